//! Semantic memory: concepts, facts and what is known of them.

use serde::{Deserialize, Serialize};

use super::check::{self, ModelError};
use super::nil::nil_as_default;

/// A concept or a fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SemMemory {
    /// The word or phrase, or a fact as one sentence.
    pub content: String,
    /// Other names of the same thing.
    #[serde(default, deserialize_with = "nil_as_default")]
    pub aliases: Vec<String>,
    /// Whether it is a thing or an idea.
    pub concept_type: ConceptType,
    /// What is known of it; may be empty.
    #[serde(default, deserialize_with = "nil_as_default")]
    pub description: String,
}

/// Whether a concept is a thing or an idea.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ConceptType {
    /// Something that exists in the world.
    Entity,
    /// An idea, a quality, a relation.
    Abstract,
}

impl SemMemory {
    pub(super) fn check(&self) -> Result<(), ModelError> {
        check::text("content", &self.content)?;
        check::few("aliases", &self.aliases, |alias| check::text("", alias))?;
        check::length("description", &self.description)
    }
}
