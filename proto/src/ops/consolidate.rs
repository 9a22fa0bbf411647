//! `consolidate`: makes memories of what was said and not yet thought over. It writes.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Payload of a `consolidate` request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConsolidateRequest {
    /// Whether to answer only when it is done, with the report.
    #[serde(default)]
    pub wait: bool,
}

/// Payload of the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConsolidateResponse {
    /// The job. Asked for while one runs, it is that one.
    pub job: Uuid,
    /// What came of it, where that was waited for.
    pub report: Option<ConsolidationReport>,
}

/// What a consolidation came to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ConsolidationReport {
    /// Messages that it went through.
    pub messages: u64,
    /// Notes that are new, in the order of their writing.
    pub created: Vec<Uuid>,
    /// Notes that were there and now know more.
    pub merged: Vec<Uuid>,
    /// Notes that were corrected and are no longer current.
    pub superseded: Vec<Uuid>,
    /// Links that are new.
    pub linked: u64,
    /// Links that grew stronger.
    pub strengthened: u64,
    /// Links that grew weaker.
    pub weakened: u64,
    /// Links that were too weak to stay.
    pub pruned: u64,
    /// Whether the running summary was cleared, because notes were made of it.
    pub summary_cleared: bool,
    /// What understood the messages: `rules`, `llm`, or `mixed` where the language model failed for a part.
    pub by: String,
    /// Why rules did what a language model was meant to do, where they did.
    pub notice: Option<String>,
}
