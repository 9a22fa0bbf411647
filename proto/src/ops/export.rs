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
