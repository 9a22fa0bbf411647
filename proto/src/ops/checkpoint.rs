//! `checkpoint`: moves the write-ahead log into the database. It writes.

use serde::{Deserialize, Serialize};

/// Payload of a `checkpoint` request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckpointRequest {}

/// Payload of the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckpointResponse {
    /// How many bytes of the log were moved.
    pub bytes: u64,
}
