//! `erase`: removes notes, messages or a whole character, so that no file holds them any more. It writes.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::SoulName;

/// Payload of an `erase` request: notes and messages, or `soul`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EraseRequest {
    /// Notes, deleted ones too.
    #[serde(default)]
    pub notes: Vec<Uuid>,
    /// Messages, with the notes that rest on nothing else.
    #[serde(default)]
    pub messages: Vec<Uuid>,
    /// Everything of the character, out of the trash too.
    #[serde(default)]
    pub soul: bool,
    /// With `soul`: the name of the character once more, so that a slip erases none.
    pub confirm: Option<SoulName>,
    /// Folders of backups to look into beside the configured one.
    #[serde(default)]
    pub backups: Vec<String>,
}

/// Payload of the answer: what went from where, and what still holds it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EraseResponse {
    /// Messages that went.
    pub messages: Vec<Uuid>,
    /// Notes that went: those asked for, and those that rested only on the messages.
    pub notes: Vec<Uuid>,
    /// Links from and to those notes, which went with them.
    pub links: Vec<Uuid>,
    /// Notes that lost a part of what they rest on, and live on.
    pub changed: Vec<Uuid>,
    /// Notes that live on and hold the words of an erased message all the same.
    pub quoted_by: Vec<Uuid>,
    /// Whether the running summary went, because it covered an erased message.
    pub summary_dropped: bool,
    /// Kept replies of a language model that went.
    pub llm_replies: u64,
    /// Answers to idempotency keys that went: a repeat of such a request is refused.
    pub answers: u64,
    /// Rows that a repair had set aside and that went.
    pub aside: u64,
    /// Own words, facts and job reports that held the text and went.
    pub traces: u64,
    /// Files and folders with older states that went, those in the trash among them.
    pub files: Vec<String>,
    /// Backups that still hold what was erased.
    pub backups: Vec<BackupEntry>,
}

/// A backup that holds something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupEntry {
    /// Its folder.
    pub folder: String,
    /// When it was made.
    pub created_at: Timestamp,
}
