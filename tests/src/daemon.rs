//! A daemon on a data directory.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{ChildStdin, ExitStatus, Stdio};

use serde::Deserialize;

use crate::watched::readable_within;
use crate::{Client, Guarded, PATIENCE, program};

/// Where a daemon is, by its ready line.
#[derive(Debug, Clone, Deserialize)]
pub struct Endpoint {
    /// On 127.0.0.1.
    pub port: u16,
    /// What opens a connection.
    pub token: String,
    /// The daemon's process.
    pub pid: u32,
}

/// A hosted daemon, killed when it goes out of scope.
#[derive(Debug)]
pub struct Daemon {
    process: Guarded,
    stdin: Option<ChildStdin>,
    endpoint: Endpoint,
}

impl Daemon {
    /// Starts one and waits until it is ready.
    pub fn start(data_dir: &Path) -> Self {
        let process = Self::started(data_dir);
        Self::ready(process).unwrap_or_else(|process| panic!("no ready line:\n{}", process.log()))
    }

    /// Starts one and waits for nothing.
    pub fn started(data_dir: &Path) -> Guarded {
        let mut command = program::command();
        command
            .args(["serve", "--hosted", "--data-dir"])
            .arg(data_dir)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        Guarded::start("a daemon", &mut command)
    }

    /// Waits for the ready line of one that was started. Gives it back where its output ends without one.
    pub fn ready(mut process: Guarded) -> Result<Self, Guarded> {
        let stdout = process.child.stdout.take().unwrap();
        let mut line = String::new();
        if readable_within(&stdout, PATIENCE) {
            BufReader::new(stdout).read_line(&mut line).unwrap();
        }
        let Ok(endpoint) = serde_json::from_str(&line) else {
            return Err(process);
        };
        let stdin = process.child.stdin.take();
        Ok(Self {
            process,
            stdin,
            endpoint,
        })
    }

    /// Where it is.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// A connection that has said hello.
    pub fn connect(&self) -> Client {
        Client::connect(&self.endpoint).unwrap()
    }

    /// SIGKILL.
    pub fn kill(mut self) {
        self.process.kill();
    }

    /// Ends its standard input, as a host that goes, and waits for nothing.
    pub fn ask_to_leave(&mut self) {
        drop(self.stdin.take());
    }

    /// Waits for it to end by itself, and gives the whole of its log too.
    pub fn ended(mut self) -> (ExitStatus, String) {
        (self.process.ended(), self.process.log())
    }

    /// Ends its standard input and waits for its end.
    pub fn leave(mut self) -> ExitStatus {
        self.ask_to_leave();
        self.process.ended()
    }
}
