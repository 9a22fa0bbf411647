//! `restore`: brings characters back from a backup, all of them or none. It needs no soul.

use serde::{Deserialize, Serialize};

use crate::SoulName;

/// Payload of a `restore` request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RestoreRequest {
    /// The backup's own folder, an absolute path.
    pub folder: String,
    /// Which characters; all that are in the backup if none are named.
    #[serde(default)]
    pub souls: Vec<SoulName>,
    /// Moves characters that are there already into the trash; without it they make the restore a `conflict`.
    #[serde(default)]
    pub replace: bool,
    /// File with the keys that decrypt, as `age-keygen` writes it; an absolute path.
    pub identity: Option<String>,
}

/// Payload of the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RestoreResponse {
    /// What was brought back.
    pub souls: Vec<RestoredSoul>,
}

/// A character that was brought back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RestoredSoul {
    /// Its name.
    pub soul: SoulName,
    /// Notes in it, deleted ones among them.
    pub notes: u64,
    /// Links in it.
    pub links: u64,
    /// Messages in it.
    pub messages: u64,
    /// Whether another memory stood in its place, which is in the trash now.
    pub replaced: bool,
}
