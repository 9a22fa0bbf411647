//! `note.supersede`: corrects a note by another, which takes its place from then on. It writes.
//!
//! The old one is kept as what was believed before: recall `as_of` an earlier time sees it, any other the new one.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::Value;

/// Payload of a `note.supersede` request: `new` or `note`. `N` is a note as a client drafts it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NoteSupersedeRequest<N = Value> {
    /// The note that was wrong, or is true no longer.
    pub old: Uuid,
    /// The note that takes its place, where it is there already.
    pub new: Option<Uuid>,
    /// The note that takes its place, to be made in the same step.
    pub note: Option<N>,
    /// Until when the old one was held true; now if left out.
    pub at: Option<Timestamp>,
}

/// Payload of the answer. `N` is a note as the engine writes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NoteSupersedeResponse<N = Value> {
    /// The old note as it now is.
    pub old: N,
    /// The note in its place.
    pub new: N,
}
