//! The ties to whatever started the daemon: its standard input, its life, its signals.

use std::io::{self, Read};
use std::thread;

use rustix::process::{
    Resource, Rlimit, Signal, getppid, getrlimit, set_parent_process_death_signal, setrlimit,
};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Asks the kernel for a SIGTERM when the host dies. Standard input's end says the same; this is the
/// second guard, for a host whose pipe some other process still holds open. Call it on the main thread:
/// the kernel ties the wish to the thread that utters it.
pub fn die_with_parent() -> io::Result<()> {
    let before = getppid();
    set_parent_process_death_signal(Some(Signal::TERM))?;
    if getppid() == before {
        return Ok(());
    }
    Err(io::Error::other(
        "the host ended while the daemon was starting",
    ))
}

/// Lets the process open as many files as the system allows: the databases of many open characters and their
/// connections are more than the usual soft limit.
pub fn raise_file_limit() -> io::Result<()> {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    Ok(setrlimit(Resource::Nofile, raised)?)
}

/// Reads standard input to its end, which means that the host is gone or wants the daemon to go, then
/// cancels `gone`. The thread is never joined: it may be blocked in a read for as long as the process lives.
pub fn watch_stdin(gone: CancellationToken) -> io::Result<()> {
    let watch = move || {
        let mut sink = [0_u8; 4096];
        let mut stdin = io::stdin().lock();
        loop {
            match stdin.read(&mut sink) {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    tracing::warn!(%error, "standard input cannot be read");
                    break;
                }
            }
        }
        tracing::info!("standard input ended: shutting down");
        gone.cancel();
    };
    thread::Builder::new()
        .name("stdin".to_owned())
        .spawn(watch)
        .map(drop)
}

/// Cancels `stop` on SIGTERM or SIGINT.
pub fn watch_signals(stop: CancellationToken) -> io::Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => tracing::info!("SIGTERM: shutting down"),
            _ = interrupt.recv() => tracing::info!("SIGINT: shutting down"),
        }
        stop.cancel();
    });
    Ok(())
}
