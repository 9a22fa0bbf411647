//! A memory that could only be read when it was opened, for its disk and not for damage.

use std::sync::PoisonError;

use super::connection::{Purpose, connect};
use super::files::Lock;
use super::{Condition, Store};

impl Store {
    /// Whether it opened read-only because its disk was full or did not let it write.
    pub fn is_frozen(&self) -> bool {
        matches!(self.condition(), Condition::ReadOnly(error) if error.is_of_the_disk())
    }

    /// Whether it is worth to close it and open it again: the disk takes something in by now.
    pub fn thaws(&self) -> bool {
        let inner = &self.inner;
        let held = || {
            let lock = inner.lock.lock().unwrap_or_else(PoisonError::into_inner);
            lock.is_some() || Lock::take(self.folder()).is_ok()
        };
        let (_, vfs) = inner.pool.access();
        self.is_frozen()
            && held()
            && connect(&inner.layout.database(), Purpose::Write, vfs.as_deref()).is_ok()
    }
}
