//! `note.get`: reads notes by id.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::Value;

/// Payload of a `note.get` request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoteGetRequest {
    /// The notes to read.
    pub ids: Vec<Uuid>,
}

/// Payload of the answer. `N` is a note as the engine writes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NoteGetResponse<N = Value> {
    /// The notes with their revision and outgoing links, in the order of the request.
    pub notes: Vec<N>,
}
