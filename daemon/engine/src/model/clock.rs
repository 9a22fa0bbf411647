//! The time, passed in.

use jiff::Timestamp;

/// Tells the time; the engine never asks the machine for it.
pub trait Clock {
    /// The present moment.
    fn now(&self) -> Timestamp;
}

/// A clock that stands still, for evaluations, replays and tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FixedClock(pub Timestamp);

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        self.0
    }
}
