//! `export`: writes a character as a file that `import` reads back, piece by piece.

use serde::{Deserialize, Serialize};

use super::import::ImportFormat;

/// Payload of an `export` request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportRequest {
    /// What the file holds; an archive, which holds everything, if left out.
    pub format: Option<ImportFormat>,
    /// Where the piece before ended: its `cursor`.
    pub cursor: Option<String>,
    /// Whether an archive also holds the answers to the requests with a key of the last day, for a copy that takes the
    /// character over: what is asked again there gets the first answer. Not for a file that is kept.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub answers: bool,
}

/// Payload of the answer: one piece of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportResponse {
    /// The piece; the file is all of them one after the other.
    #[serde(with = "serde_bytes")]
    pub bytes: Vec<u8>,
    /// Where to go on; absent with the last.
    pub cursor: Option<String>,
    /// Whether it is the last.
    pub done: bool,
}
