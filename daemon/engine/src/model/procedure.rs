//! Procedural memory: how the character tends to act.

use serde::{Deserialize, Serialize};

use super::check::{self, ModelError};

/// A way of acting. What triggers it is the situation at the other end of a link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcMemory {
    /// What is done.
    pub action: Action,
}

/// Something that the character does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Action {
    /// What it is, in words.
    pub content: String,
    /// By which means.
    pub action_type: ActionType,
}

/// By which means something is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ActionType {
    /// By saying something.
    Speak,
    /// By a skill, written `{"Skill": {}}`.
    Skill {},
    /// In thought.
    Think,
}

impl ProcMemory {
    pub(super) fn check(&self) -> Result<(), ModelError> {
        check::text("action.content", &self.action.content)
    }
}
