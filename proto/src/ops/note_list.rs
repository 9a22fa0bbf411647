//! `note.list`: reads all notes, page by page.

use serde::{Deserialize, Serialize};

use crate::Value;

/// Payload of a `note.list` request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoteListRequest {
    /// Which notes.
    #[serde(default)]
    pub filter: NoteFilter,
    /// Where the page before ended: its `cursor`.
    pub cursor: Option<String>,
    /// Most notes to answer with.
    pub limit: Option<u32>,
}

/// Which notes to list: those that meet every condition given.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoteFilter {
    /// Only notes of this kind.
    #[serde(rename = "type")]
    pub kind: Option<NoteKind>,
    /// Only notes with this tag.
    pub tag: Option<String>,
}

/// The kinds of notes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoteKind {
    /// A thing or an idea.
    Semantic,
    /// Something that happened.
    SpecificSituation,
    /// A pattern of what happens.
    AbstractSituation,
    /// How the character tends to act.
    Procedure,
}

/// Payload of the answer. `N` is a note as the engine writes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NoteListResponse<N = Value> {
    /// The notes with their revision and outgoing links, in the order of their writing.
    pub notes: Vec<N>,
    /// Where to go on; absent on the last page.
    pub cursor: Option<String>,
}
