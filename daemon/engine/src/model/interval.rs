//! A stretch of time, as things are compared by it.

use jiff::Timestamp;

/// A stretch of time, both ends included; an instant if they are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Interval {
    start: Timestamp,
    end: Timestamp,
}

impl Interval {
    /// From the earlier of the two to the later.
    pub fn new(one: Timestamp, other: Timestamp) -> Self {
        Self {
            start: one.min(other),
            end: one.max(other),
        }
    }

    /// One instant.
    pub fn instant(at: Timestamp) -> Self {
        Self { start: at, end: at }
    }

    /// The first moment.
    pub fn start(self) -> Timestamp {
        self.start
    }

    /// The last moment.
    pub fn end(self) -> Timestamp {
        self.end
    }

    /// Whether the two have a moment in common.
    pub fn overlaps(self, other: Self) -> bool {
        self.start <= other.end && other.start <= self.end
    }
}
