//! Why a task uses its fallback.

use std::time::Duration;

use thiserror::Error;

use super::fault::Fault;
use super::ledger::OverBudget;
use super::task::Task;

/// A question that brought no answer. Whoever asked uses the fallback; nothing is lost.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{task}: {reason}")]
pub struct LlmError {
    /// What was asked for.
    pub task: Task,
    /// Why there is no answer.
    pub reason: LlmFailure,
    /// The last reply as it came, where one did to its end.
    pub raw: Option<String>,
}

/// Why there is no answer, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LlmFailure {
    /// No model is there to be asked.
    #[error("no model is configured (llm.base_url, llm.model, llm.{}.model)", .0)]
    NotConfigured(Task),
    /// The endpoint cannot be used as it is configured.
    #[error("{0}")]
    Unusable(String),
    /// The day's tokens do not suffice.
    #[error(
        "the day's budget has {} tokens left and this may take {} (llm.daily_tokens); it begins anew at 00:00 UTC",
        .0.left, .0.needed
    )]
    Budget(OverBudget),
    /// Whoever asked would wait no longer.
    #[error("no answer within {} ms", .0.as_millis())]
    Timeout(Duration),
    /// The endpoint did not answer.
    #[error("the endpoint did not answer: {0}")]
    Endpoint(Fault),
    /// What it answered could not be used, twice.
    #[error(
        "what the model wrote could not be used: {0}; another model (llm.model) or mode (llm.mode) may do better"
    )]
    Reply(String),
}
