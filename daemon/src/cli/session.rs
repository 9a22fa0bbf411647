//! What a command that talks to the daemon has at hand.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressStyle};
use tokio::runtime;

use super::args::GlobalArgs;
use super::client::Client;
use super::config::Effective;
use super::failure::Failure;

/// A connection, and how results are to be shown.
pub struct Session {
    /// The daemon.
    pub client: Client,
    /// Whether results are for programs.
    pub json: bool,
}

/// Connects and runs a command to its end.
pub fn with_daemon(
    effective: &Effective,
    global: &GlobalArgs,
    command: impl AsyncFnOnce(&mut Session) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(sysexits::ExitCode::OsErr, error.to_string()))?;
    runtime.block_on(async {
        let client = Client::connect(effective, global).await?;
        command(&mut Session {
            client,
            json: global.json,
        })
        .await
    })
}

/// A progress bar over bytes on standard error; invisible where that is no terminal.
pub fn progress(bytes: u64, what: &str) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(bytes).with_message(what.to_owned());
    let style = ProgressStyle::with_template("{msg} {wide_bar} {bytes}/{total_bytes} {eta}");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
