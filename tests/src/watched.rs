//! A process that somebody else started.

use std::fs;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use crate::PATIENCE;

/// A process, held by a descriptor, so that its id can never come to mean another.
#[derive(Debug)]
pub struct Watched {
    id: u32,
    descriptor: OwnedFd,
}

impl Watched {
    /// The process with that id, which must be there and have `mark` in its command line.
    pub fn open(id: u32, mark: &Path) -> Self {
        let pid = Pid::from_raw(id.try_into().unwrap()).unwrap();
        let descriptor = pidfd_open(pid, PidfdFlags::empty())
            .unwrap_or_else(|error| panic!("process {id} is not there: {error}"));
        let command = command_line(id);
        assert!(
            command.contains(&*mark.to_string_lossy()),
            "process {id} is not the one that was meant: {command}"
        );
        Self { id, descriptor }
    }

    /// Its id.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// SIGKILL, where it is still there.
    pub fn kill(&self) {
        match pidfd_send_signal(&self.descriptor, Signal::KILL) {
            Ok(()) | Err(Errno::SRCH) => {}
            Err(error) => panic!("process {} cannot be killed: {error}", self.id),
        }
    }

    /// Whether it ends within that time.
    pub fn ends_within(&self, time: Duration) -> bool {
        readable_within(&self.descriptor, time)
    }

    /// Waits until it has ended.
    pub fn ended(&self) {
        assert!(
            self.ends_within(PATIENCE),
            "process {} does not end",
            self.id
        );
    }
}

/// Whether there is something to read within that time. For a process's descriptor, that is its end.
pub(crate) fn readable_within(descriptor: &impl AsFd, time: Duration) -> bool {
    let time = Timespec::try_from(time).unwrap();
    let mut descriptors = [PollFd::new(descriptor, PollFlags::IN)];
    loop {
        match poll(&mut descriptors, Some(&time)) {
            Ok(ready) => return ready > 0,
            Err(Errno::INTR) => {}
            Err(error) => panic!("a descriptor cannot be watched: {error}"),
        }
    }
}

/// The command lines of all processes that have `mark` in theirs.
pub fn with_mark(mark: &Path) -> Vec<String> {
    let processes = fs::read_dir("/proc").unwrap();
    processes
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .map(command_line)
        .filter(|command| command.contains(&*mark.to_string_lossy()))
        .collect()
}

/// What a process was started with; empty where it is gone.
fn command_line(id: u32) -> String {
    let bytes = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&bytes).replace('\0', " ")
}
