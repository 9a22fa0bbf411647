//! What a memory needs from outside to be opened.

use std::fmt;
use std::num::NonZeroU32;
use std::sync::Arc;

use soulmem_engine::model::{Clock, IdSource};

/// The clock, as threads share it.
pub type SharedClock = Arc<dyn Clock + Send + Sync>;

/// The source of ids, as threads share it.
pub type SharedIds = Arc<dyn IdSource + Send + Sync>;

/// How to open a memory.
#[derive(Clone)]
pub struct StoreOptions {
    /// Tells when a write happens.
    pub clock: SharedClock,
    /// Gives the database its own id when it is made.
    pub ids: SharedIds,
    /// Messages that the sliding window holds.
    pub window_capacity: NonZeroU32,
    /// Most connections that read at the same time; further readers wait.
    pub readers: NonZeroU32,
    /// The SQLite VFS to use instead of the system's own.
    pub vfs: Option<String>,
}

impl StoreOptions {
    /// The usual settings: a window of 12 messages, 4 readers, the system's own files.
    pub fn new(clock: SharedClock, ids: SharedIds) -> Self {
        const WINDOW: NonZeroU32 = NonZeroU32::new(12).unwrap();
        const READERS: NonZeroU32 = NonZeroU32::new(4).unwrap();
        Self {
            clock,
            ids,
            window_capacity: WINDOW,
            readers: READERS,
            vfs: None,
        }
    }
}

impl fmt::Debug for StoreOptions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("StoreOptions")
            .field("window_capacity", &self.window_capacity)
            .field("readers", &self.readers)
            .field("vfs", &self.vfs)
            .finish_non_exhaustive()
    }
}
