//! `note.get`: reads notes by id.

use jiff::Timestamp;
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
    /// The notes as they were written, with their revision and outgoing links, in the order of the request.
    pub notes: Vec<N>,
    /// The same notes as the character remembers them, in the same order.
    #[serde(default)]
    pub remembered: Vec<RememberedNote>,
}

/// A note as the character remembers it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RememberedNote {
    /// The note.
    pub id: Uuid,
    /// What it says, as far as the character remembers.
    pub text: String,
    /// Whether parts of the text are masked or told anew.
    pub masked: bool,
    /// How much of it is missing, 0 to 1; absent for what does not fade.
    pub degree: Option<f64>,
    /// Hours after which half of it is missing; absent for what does not fade.
    pub half_life_hours: Option<f64>,
    /// From when on it fades; absent for what does not.
    pub fades_since: Option<Timestamp>,
    /// The character's own tellings of its texts.
    #[serde(default)]
    pub reimagined: Vec<Telling>,
    /// When it was taken out of recall, if it was.
    pub archived_at: Option<Timestamp>,
}

/// The character's own telling of one text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Telling {
    /// Which text: `narrative`, `description` or `content`; `alias` for the names and the type of something known, as JSON.
    pub field: String,
    /// How it is told.
    pub text: String,
    /// The missing degree that it was made for.
    pub degree: f64,
}
