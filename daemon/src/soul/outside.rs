//! Time and ids as the running daemon has them; tests have their own.

use std::sync::Arc;

use jiff::Timestamp;
use soulmem_engine::model::{Clock, IdSource};
use uuid::Uuid;

use crate::store::{SharedClock, SharedIds};

/// The system's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

/// Ids that sort by the time of their making (`UUIDv7`).
#[derive(Debug, Clone, Copy, Default)]
pub struct TimedIds;

impl IdSource for TimedIds {
    fn next_uuid(&self) -> Uuid {
        Uuid::now_v7()
    }
}

/// What the daemon takes from outside of itself.
#[derive(Clone)]
pub struct Outside {
    /// Tells the time.
    pub clock: SharedClock,
    /// Makes ids.
    pub ids: SharedIds,
}

impl Outside {
    /// The system's.
    pub fn system() -> Self {
        Self {
            clock: Arc::new(SystemClock),
            ids: Arc::new(TimedIds),
        }
    }
}
