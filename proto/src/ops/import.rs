//! `import`: takes in a whole file, sent piece by piece. It writes.
//!
//! Nothing is applied before the last piece has come and everything in the file was checked; then all of it is,
//! or none. What is there already stays as it is, so that the same file imported twice adds nothing.

use serde::{Deserialize, Serialize};

/// Payload of an `import` request: one piece of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportRequest {
    /// Names the upload that the piece belongs to; of the caller's choosing, 1 to 64 characters.
    pub upload: String,
    /// Where the piece begins in the file: the `offset` of the answer before, 0 for the first.
    pub offset: u64,
    /// The piece.
    #[serde(with = "serde_bytes")]
    pub bytes: Vec<u8>,
    /// Whether it is the last.
    #[serde(default)]
    pub done: bool,
    /// What the file holds; a graph if left out.
    #[serde(default)]
    pub format: ImportFormat,
    /// Name of the file, for errors and for the `source` of what it brings.
    pub file: Option<String>,
}

/// What a file can hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImportFormat {
    /// Notes and links: the JSON array of a graph file.
    #[default]
    Graph,
    /// What was said: one message of `push` as JSON on each line.
    Messages,
    /// Everything, as `export` writes it.
    Archive,
}

/// Payload of the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportResponse {
    /// How many bytes of the file have come: where the next piece begins.
    pub offset: u64,
    /// What came of it, once the last piece was applied.
    pub report: Option<ImportReport>,
}

/// What an import brought.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportReport {
    /// Notes that are new.
    pub notes: u64,
    /// Links that came with them.
    pub links: u64,
    /// Messages that are new.
    pub messages: u64,
    /// Notes and messages of the file that were there already.
    pub known: u64,
}
