//! A process that never outlives its test.

use std::fs;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};

use crate::PATIENCE;
use crate::watched::readable_within;

/// How many lines of its log a failed test shows.
const SHOWN: usize = 60;

/// A child in a process group of its own. The whole group is killed when this goes out of scope, and where that
/// is because the test failed, the end of its log is shown.
#[derive(Debug)]
pub struct Guarded {
    /// The child; its standard streams are for the test to take.
    pub child: Child,
    name: String,
    log: tempfile::NamedTempFile,
    status: Option<ExitStatus>,
}

impl Guarded {
    /// Starts it. Standard error goes to its log.
    pub fn start(name: impl Into<String>, command: &mut Command) -> Self {
        let name = name.into();
        let log = tempfile::NamedTempFile::new().unwrap();
        let child = command
            .stderr(Stdio::from(log.reopen().unwrap()))
            .process_group(0)
            .spawn()
            .unwrap_or_else(|error| panic!("{name} cannot be started ({command:?}): {error}"));
        Self {
            child,
            name,
            log,
            status: None,
        }
    }

    /// Runs a command to its end, with that for its standard input.
    pub fn finish(name: impl Into<String>, command: &mut Command, input: &str) -> Output {
        let stdout = tempfile::NamedTempFile::new().unwrap();
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::from(stdout.reopen().unwrap()));
        let mut process = Self::start(name, command);
        let mut stdin = process.child.stdin.take().unwrap();
        // One that does not read its input to the end says so by what else it does.
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        Output {
            status: process.ended(),
            stdout: fs::read(stdout.path()).unwrap(),
            stderr: fs::read(process.log.path()).unwrap(),
        }
    }

    /// Its id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// SIGKILL to the child alone, as a crash would have it, and waits for its end.
    pub fn kill(&mut self) {
        if self.status.is_none() {
            self.child.kill().unwrap();
            self.ended();
        }
    }

    /// Whether it ends within that time.
    pub fn ends_within(&self, time: Duration) -> bool {
        self.status.is_some() || readable_within(&self.descriptor(), time)
    }

    /// Waits until it has ended.
    pub fn ended(&mut self) -> ExitStatus {
        if let Some(status) = self.status {
            return status;
        }
        assert!(self.ends_within(PATIENCE), "{} does not end", self.name);
        let status = self.child.wait().unwrap();
        self.status = Some(status);
        status
    }

    /// Whether it has that file open.
    pub fn has_open(&self, file: &Path) -> bool {
        let descriptors = fs::read_dir(format!("/proc/{}/fd", self.id()));
        let mut open = descriptors.into_iter().flatten();
        open.any(|entry| {
            entry.is_ok_and(|entry| fs::read_link(entry.path()).is_ok_and(|target| target == file))
        })
    }

    /// What it wrote to standard error so far.
    pub fn log(&self) -> String {
        String::from_utf8_lossy(&fs::read(self.log.path()).unwrap()).into_owned()
    }

    fn descriptor(&self) -> OwnedFd {
        pidfd_open(Pid::from_child(&self.child), PidfdFlags::empty()).unwrap()
    }

    fn show_log(&self) {
        let log = self.log();
        let lines: Vec<&str> = log.lines().collect();
        let end = &lines[lines.len().saturating_sub(SHOWN)..];
        eprintln!("--- end of the log of {}:\n{}", self.name, end.join("\n"));
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        if self.status.is_none() {
            // Not reaped yet, so the id is still its own; a group that is empty already is no failure.
            let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
            let _ = self.child.wait();
        }
        if thread::panicking() {
            self.show_log();
        }
    }
}
