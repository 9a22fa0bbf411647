//! `note.delete`: hides notes with the links from and to them. It writes.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Payload of a `note.delete` request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoteDeleteRequest {
    /// The notes to hide.
    pub ids: Vec<Uuid>,
}

/// Payload of the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoteDeleteResponse {
    /// Those that were there, in the order of the request.
    pub ids: Vec<Uuid>,
}
