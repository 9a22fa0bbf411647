//! `stats`: counts what a character has.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::note_list::NoteKind;

/// Payload of a `stats` request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatsRequest {}

/// Payload of the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatsResponse {
    /// Notes of each kind; a kind without notes may be left out.
    pub notes_by_type: BTreeMap<NoteKind, u64>,
    /// Notes in each state; a state without notes may be left out.
    pub notes_by_state: BTreeMap<NoteState, u64>,
    /// How many links there are.
    pub links: u64,
    /// How many messages the log has.
    pub messages: u64,
    /// How large the indexes are.
    pub index: IndexSizes,
    /// The embedding model.
    pub model: ModelEntry,
    /// Version of the database's schema.
    pub schema_version: u64,
    /// What was asked of a language model for it, by task; a task that was never asked for is left out.
    #[serde(default)]
    pub llm: Vec<LlmUse>,
}

/// What one task of a language model took.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LlmUse {
    /// Its name in the configuration, such as `extract`.
    pub task: String,
    /// Today (UTC).
    pub today: LlmCounts,
    /// Ever.
    pub total: LlmCounts,
}

/// Calls and tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LlmCounts {
    /// Replies that were asked for.
    pub calls: u64,
    /// Calls that brought no reply that could be used.
    pub failures: u64,
    /// Attempts that a call took beyond its first.
    pub retries: u64,
    /// Tokens that were sent.
    pub tokens_in: u64,
    /// Tokens that came back.
    pub tokens_out: u64,
}

/// What recall does with a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoteState {
    /// It can be recalled.
    Current,
    /// A later note corrects it.
    Superseded,
    /// Faded out of recall, but kept.
    Archived,
}

/// How large the derived indexes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexSizes {
    /// Texts in the word index.
    pub documents: u64,
    /// Different words in it.
    pub terms: u64,
    /// Vectors in the vector index.
    pub vectors: u64,
}

/// Which embedding model the vectors came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelEntry {
    /// Its name.
    pub name: String,
    /// Digest of its weights and settings.
    pub digest: String,
    /// Length of its vectors.
    pub dimension: u64,
}
