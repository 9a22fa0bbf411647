//! Whether a memory can be written, and if not, why.

use std::sync::{Mutex, PoisonError};

use super::error::StoreError;

/// What a memory can do at present.
#[derive(Debug, Clone)]
pub enum Condition {
    /// It reads and writes.
    Ready,
    /// The last write failed for want of room or a fault of the disk. Reads go on, every write is
    /// tried, and the first that succeeds ends this.
    Failing(StoreError),
    /// It reads only, until it is repaired and opened again.
    ReadOnly(StoreError),
}

impl Condition {
    /// Why it cannot be written, in words for `health`.
    pub fn reason(&self) -> Option<String> {
        match self {
            Self::Ready => None,
            Self::Failing(error) | Self::ReadOnly(error) => Some(error.to_string()),
        }
    }
}

/// The condition as the writer and the readers of one memory share it.
#[derive(Debug)]
pub(super) struct Watch(Mutex<Condition>);

impl Watch {
    pub fn new(condition: Condition) -> Self {
        Self(Mutex::new(condition))
    }

    pub fn get(&self) -> Condition {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Why nothing may be written, if so.
    pub fn refusal(&self) -> Option<StoreError> {
        match &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            Condition::ReadOnly(error) => Some(error.clone()),
            Condition::Ready | Condition::Failing(_) => None,
        }
    }

    /// A write went well.
    pub fn succeeded(&self) {
        let mut condition = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Condition::Failing(error) = &*condition {
            tracing::info!(%error, "the memory can be written again");
            *condition = Condition::Ready;
        }
    }

    /// Takes note of a failure that says something about the memory as a whole.
    pub fn failed(&self, error: &StoreError) {
        let mut condition = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match (error, &*condition) {
            (_, Condition::ReadOnly(_)) => {}
            (StoreError::Corrupt { .. }, _) => {
                tracing::error!(%error, "the memory is damaged and now read-only");
                *condition = Condition::ReadOnly(error.clone());
            }
            (StoreError::Full { .. } | StoreError::Io { .. } | StoreError::ReadOnly { .. }, _) => {
                if matches!(&*condition, Condition::Ready) {
                    tracing::error!(%error, "the memory cannot be written");
                }
                *condition = Condition::Failing(error.clone());
            }
            _ => {}
        }
    }
}
