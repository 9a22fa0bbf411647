//! `health`: the condition of everything that can fail. It needs no soul.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::soul_owner::Ownership;
use crate::SoulName;

/// Payload of a `health` request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HealthRequest {}

/// Payload of the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HealthResponse {
    /// Every character, by name.
    pub souls: Vec<SoulHealth>,
    /// The embedding model.
    pub embedding: EmbeddingHealth,
    /// The LLM endpoint, where one is configured.
    pub llm: Option<LlmHealth>,
    /// Folder of the data, as the daemon was given it.
    pub data_dir: String,
    /// Room left on the disk of that folder, in bytes.
    pub free_bytes: u64,
    /// Backups on a schedule, where they are configured.
    pub backup: Option<BackupHealth>,
}

/// One character's condition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SoulHealth {
    /// Its name.
    pub soul: SoulName,
    /// What it does.
    pub state: State,
    /// How many notes it has.
    pub notes: u64,
    /// How many links it has.
    pub links: u64,
    /// When its last consolidation ended.
    pub last_consolidation: Option<Timestamp>,
    /// The last thing that failed, or why it is read-only.
    pub last_error: Option<String>,
    /// What this copy of it is, where it is not simply the one that is written to.
    pub ownership: Option<Ownership>,
}

/// What a character is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum State {
    /// In talk, or was a short while ago.
    Working,
    /// Left alone for long enough that background work may run.
    Idle,
    /// Its disk or database failed: it answers, but takes nothing in.
    ReadOnly,
}

/// Whether a part works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Condition {
    /// It works.
    Ready,
    /// It is being made ready.
    Loading,
    /// It failed; the reason stands beside this.
    Down,
}

/// The embedding model's condition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmbeddingHealth {
    /// Name of the model.
    pub model: String,
    /// Length of its vectors.
    pub dimension: u64,
    /// Whether it works.
    pub condition: Condition,
    /// Why it does not.
    pub reason: Option<String>,
}

/// The condition of backups that are made on a schedule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupHealth {
    /// Folder that keeps them.
    pub folder: String,
    /// When the last good one was made.
    pub last: Option<Timestamp>,
    /// Whether the last good one is as new as it should be, and the folder there.
    pub condition: Condition,
    /// Why not.
    pub reason: Option<String>,
    /// How many backups in the folder another daemon made, where there are any. This one neither counts nor removes them.
    pub of_others: Option<u64>,
}

/// The LLM endpoint's condition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LlmHealth {
    /// Address of the endpoint.
    pub endpoint: String,
    /// Name of the model there.
    pub model: String,
    /// Whether it answered last time.
    pub condition: Condition,
    /// Why it did not.
    pub reason: Option<String>,
    /// Tasks that have no model and use their fallback, by the names of the configuration.
    #[serde(default)]
    pub without_model: Vec<String>,
    /// Tokens, in and out, that all characters took today (UTC).
    #[serde(default)]
    pub tokens_today: u64,
    /// Tokens that a day may take, where that is bounded.
    pub daily_tokens: Option<u64>,
}
