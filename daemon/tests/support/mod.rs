//! A real daemon, killed when it goes out of scope, and a client that speaks to it frame by frame.

#![allow(dead_code, reason = "each test program uses its own part")]

mod client;

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use serde_json::Value as Json;
use soulmem_proto::{ErrorCode, ErrorPayload, Op, Value};
use tempfile::TempDir;

pub use self::client::Client;

/// No test asserts a time. This is how long one waits before it fails instead of hanging.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The program under test.
pub fn soulmem() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_soulmem"));
    // Nothing of the machine's own configuration may play a part.
    command.env_clear().env("TZ", "UTC");
    command
}

/// A daemon with a folder of its own.
pub struct Daemon {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Receiver<String>,
    stderr: Receiver<String>,
    ready: Json,
    folder: Option<TempDir>,
}

impl Daemon {
    /// A hosted daemon with an empty data directory.
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    /// The same, with more arguments.
    pub fn start_with(arguments: &[&str]) -> Self {
        Self::start_in(tempfile::tempdir().unwrap(), arguments)
    }

    /// A hosted daemon on a folder that may hold something already.
    pub fn start_in(folder: TempDir, arguments: &[&str]) -> Self {
        let mut command = soulmem();
        command.env("SOULMEM_LOG_LEVEL", "debug");
        command
            .args(["serve", "--hosted", "--data-dir"])
            .arg(folder.path())
            .args(arguments);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take();
        let stdout = lines(child.stdout.take().unwrap());
        let stderr = lines(child.stderr.take().unwrap());
        let mut daemon = Self {
            child,
            stdin,
            stdout,
            stderr,
            ready: Json::Null,
            folder: Some(folder),
        };
        let Ok(line) = daemon.stdout.recv_timeout(PATIENCE) else {
            panic!(
                "no ready line; the log: {:#?}",
                daemon.stderr.iter().collect::<Vec<_>>()
            );
        };
        daemon.ready = serde_json::from_str(&line).unwrap();
        daemon
    }

    /// The ready line.
    pub fn ready(&self) -> &Json {
        &self.ready
    }

    pub fn folder(&self) -> &Path {
        self.folder.as_ref().unwrap().path()
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// A connection that has said nothing yet.
    pub fn dial(&self) -> Client {
        let port = self.ready["port"].as_u64().unwrap().try_into().unwrap();
        Client::dial(port)
    }

    /// A connection that has said hello.
    pub fn connect(&self) -> Client {
        let mut client = self.dial();
        let token = self.ready["token"].as_str().unwrap();
        client.call(Op::Hello, None, hello(token)).unwrap();
        client
    }

    /// A command of the command line, sent to this daemon.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = soulmem();
        command.arg("--data-dir").arg(self.folder()).args(arguments);
        command
    }

    pub fn close_stdin(&mut self) {
        drop(self.stdin.take());
    }

    pub fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, signal).unwrap();
    }

    /// Waits until it has ended by itself.
    pub fn wait(&mut self) -> ExitStatus {
        wait(&mut self.child)
    }

    /// What it wrote to standard output after the ready line. Only to be asked once it has ended.
    pub fn rest_of_stdout(&self) -> Vec<String> {
        self.stdout.iter().collect()
    }

    /// Its log so far, all of it once it has ended.
    pub fn log(&self) -> Vec<String> {
        self.stderr.iter().collect()
    }

    /// Kills it at once and gives its folder.
    pub fn kill(mut self) -> TempDir {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.folder.take().unwrap()
    }

    /// Ends it in good order and gives its folder.
    pub fn stop(mut self) -> TempDir {
        self.close_stdin();
        assert!(self.wait().success());
        self.folder.take().unwrap()
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits for a process, and kills it where it takes too long.
pub fn wait(child: &mut Child) -> ExitStatus {
    let (sender, receiver) = mpsc::channel::<()>();
    let pid = rustix::process::Pid::from_child(child);
    let watchdog = thread::spawn(move || {
        if receiver.recv_timeout(PATIENCE) == Err(mpsc::RecvTimeoutError::Timeout) {
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
    });
    let status = child.wait().unwrap();
    drop(sender);
    watchdog.join().unwrap();
    status
}

/// The lines of a stream as they come, read on a thread so that its writer never blocks.
pub fn lines(stream: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            let _ = sender.send(line);
        }
    });
    receiver
}

/// The payload of a `hello`.
pub fn hello(token: &str) -> Value {
    map([
        ("token", token.into()),
        (
            "client",
            map([("name", "test".into()), ("version", "0".into())]),
        ),
    ])
}

/// A map value.
pub fn map<const N: usize>(entries: [(&str, Value); N]) -> Value {
    Value::Map(
        entries
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value))
            .collect(),
    )
}

/// Asserts that another client is still served.
pub fn assert_serves(daemon: &Daemon) {
    let answer = daemon.connect().call(Op::Ping, None, map([])).unwrap();
    assert!(answer.get("uptime_ms").is_some(), "{answer:?}");
}

/// The code of a refused request.
pub fn code(outcome: Result<Value, ErrorPayload>) -> ErrorCode {
    match outcome {
        Ok(answer) => panic!("expected an error, got {answer:?}"),
        Err(error) => error.code,
    }
}

/// The path of the endpoint file in a folder.
pub fn endpoint_file(folder: &Path) -> PathBuf {
    folder.join("endpoint.json")
}
