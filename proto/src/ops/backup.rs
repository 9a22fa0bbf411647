//! `backup`: copies characters into a folder while they are in use. It needs no soul.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::SoulName;

/// Payload of a `backup` request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupRequest {
    /// Folder that keeps backups, an absolute path; the configured one if left out.
    pub folder: Option<String>,
    /// Which characters; all of them if none are named.
    #[serde(default)]
    pub souls: Vec<SoulName>,
    /// Keys of the age format to encrypt to; the configured ones if left out, none if empty.
    pub recipients: Option<Vec<String>>,
}

/// Payload of the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupResponse {
    /// The backup's own folder.
    pub folder: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// The characters in it.
    pub souls: Vec<BackedUpSoul>,
}

/// One character in a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackedUpSoul {
    /// Its name.
    pub soul: SoulName,
    /// The file in the backup's folder.
    pub file: String,
    /// Size of the file, in bytes.
    pub bytes: u64,
    /// SHA-256 of the file, in hexadecimal.
    pub sha256: String,
    /// Whether the file is encrypted.
    pub encrypted: bool,
    /// Version of the database's schema.
    pub schema: u32,
    /// The id of the database and its copies.
    pub database: Uuid,
    /// The last change in it.
    pub last_seq: u64,
    /// Notes in it, deleted ones among them.
    pub notes: u64,
    /// Links in it.
    pub links: u64,
    /// Messages in it.
    pub messages: u64,
}
