//! `note.put`: creates notes, or replaces them where `if_revision` is given. It writes.

use serde::{Deserialize, Serialize};

use crate::Value;

/// Payload of a `note.put` request. `N` is a note as a client drafts it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NotePutRequest<N = Value> {
    /// The notes to write: all of them or none.
    pub notes: Vec<N>,
}

/// Payload of the answer. `N` is a note as the engine writes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NotePutResponse<N = Value> {
    /// The notes as they now are, in the order of the request.
    pub notes: Vec<N>,
}
