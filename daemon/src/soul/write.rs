//! What is common to every write: its place in the order, and its key.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::ownership::Leave;
use super::turns::Turn;
use crate::store::{Idempotency, Outcome, Pending, Result, Store, Tx};

/// How a write is to be done.
#[derive(Debug, Default)]
pub struct WriteOrder {
    /// Makes a repeat of the write do nothing and get the first answer.
    pub key: Option<Idempotency>,
    /// Its place among the writes from the same source; none where there is no order to keep.
    pub turn: Option<Turn>,
    /// Keeps the copy the one that is written to until the write was handed on.
    pub leave: Option<Leave>,
}

impl WriteOrder {
    /// Hands the write to the store once its turn has come, and lets the next one go.
    pub async fn submit<T: Serialize + DeserializeOwned + Send + 'static>(
        mut self,
        store: &Store,
        work: impl FnMut(&Tx) -> Result<T> + Send + 'static,
    ) -> Pending<Outcome<T>> {
        if let Some(turn) = &mut self.turn {
            turn.come().await;
        }
        store.write_once(self.key, work)
    }
}
