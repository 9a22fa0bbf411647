//! `forget`: goes through all notes as time has made them. It writes.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::note_list::NoteKind;

/// Payload of a `forget` request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForgetRequest {
    /// The time that it is done at; the daemon's clock if left out.
    pub now: Option<Timestamp>,
    /// Only says what would be forgotten, and how. Nothing is written.
    #[serde(default)]
    pub dry_run: bool,
    /// Most notes that a dry run tells of (default 100).
    pub limit: Option<u32>,
    /// Notes to be taken back instead: into recall again, as they were worded, and fresh as if recalled at `now`.
    #[serde(default)]
    pub restore: Vec<Uuid>,
}

/// Payload of the answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ForgetResponse {
    /// What was done; in a dry run, what would be.
    pub report: ForgetReport,
    /// In a dry run, the notes that are no longer told as they were, or that something would be done to, in the order of their
    /// writing.
    #[serde(default)]
    pub notes: Vec<FadedNote>,
    /// The notes that were taken back.
    #[serde(default)]
    pub restored: Vec<Uuid>,
}

/// What a round of forgetting came to; also the payload of the event `forgotten`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForgetReport {
    /// Notes that were looked at.
    pub checked: u64,
    /// Notes of which words are masked when they are told now.
    pub masked: u64,
    /// Notes that are told in the character's own words now.
    pub revised: u64,
    /// Links that count for less now, because the note that they start from has faded.
    pub edges_weakened: u64,
    /// Links among them that lead nowhere any more. None is deleted.
    pub edges_pruned: u64,
    /// Notes that were taken out of recall.
    pub archived: u64,
    /// Notes that were resolved, because they matter little and were left alone.
    pub resolved: u64,
    /// Notes that no longer come up by themselves.
    pub dormant: u64,
}

/// A note as time has made it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FadedNote {
    /// The note.
    pub id: Uuid,
    /// Its kind.
    #[serde(rename = "type")]
    pub kind: NoteKind,
    /// How much of it is missing, from 0 to 1.
    pub degree: f64,
    /// What is done to it when it is told.
    pub action: ForgetAction,
    /// What it says now.
    pub text: String,
    /// Whether it would be taken out of recall.
    pub archive: bool,
    /// Whether it would be resolved.
    pub resolve: bool,
    /// Whether it would no longer come up by itself.
    pub fall_dormant: bool,
}

/// What is done to a note when it is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ForgetAction {
    /// Nothing.
    None,
    /// Words are masked.
    Mask,
    /// It is told anew; until it has been, more words are masked.
    Reimagine,
}
