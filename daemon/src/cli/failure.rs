//! How a command ends when it does not succeed: an exit code of sysexits and a message that says what
//! to do next.

use std::fmt;

use sysexits::ExitCode;

/// A command that cannot go on.
#[derive(Debug)]
pub struct Failure {
    /// What the process exits with.
    pub exit: ExitCode,
    /// One or more lines for a person: what went wrong, where, and what to do.
    pub message: String,
}

impl Failure {
    /// A failure that ends the process with `exit`.
    pub fn new(exit: ExitCode, message: impl Into<String>) -> Self {
        Self {
            exit,
            message: message.into(),
        }
    }

    /// The command line was not understood (64).
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(ExitCode::Usage, message)
    }

    /// What was given to work on is not right (65).
    pub fn data(message: impl Into<String>) -> Self {
        Self::new(ExitCode::DataErr, message)
    }

    /// The configuration is not right (78).
    pub fn config(message: impl Into<String>) -> Self {
        Self::new(ExitCode::Config, message)
    }

    /// The daemon cannot be reached or does not serve (69).
    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::new(ExitCode::Unavailable, message)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}
