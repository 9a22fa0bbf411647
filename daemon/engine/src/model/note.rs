//! One memory.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::affect::Affect;
use super::anchor::Anchor;
use super::check::{self, ModelError};
use super::id::NoteId;
use super::link::MemoryLink;
use super::nil::nil_as_default;
use super::procedure::ProcMemory;
use super::semantic::SemMemory;
use super::situation::SituationMemory;
use super::source::Source;

/// One memory of a character, with the links that start from it.
///
/// Made by [`NoteDraft::build`](super::NoteDraft::build), which checks it; whoever changes one
/// checks it again with [`MemoryNote::check`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MemoryNote {
    /// Which note.
    pub id: NoteId,
    /// Labels, searched along with the body.
    #[serde(default, deserialize_with = "nil_as_default")]
    pub tags: Vec<String>,
    /// What is remembered.
    pub mem_type: MemoryType,
    /// When it was first remembered.
    pub created_at: Timestamp,
    /// When it was last recalled; the creation where it never was.
    pub last_accessed_at: Timestamp,
    /// How often it was recalled.
    #[serde(default, deserialize_with = "nil_as_default")]
    pub retrieval_count: u64,
    /// Counts the changes, from 1.
    pub revision: u64,
    /// What it came from.
    #[serde(default, deserialize_with = "nil_as_default")]
    pub source: Vec<Source>,
    /// From when on it is held true.
    pub valid_from: Timestamp,
    /// Until when it was held true, where it no longer is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_until: Option<Timestamp>,
    /// The note that took its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<NoteId>,
    /// How it feels and how much it matters.
    pub affect: Affect,
    /// Passages that fade last.
    #[serde(default, deserialize_with = "nil_as_default")]
    pub anchors: Vec<Anchor>,
    /// The links that start from it.
    #[serde(default, deserialize_with = "nil_as_default")]
    pub mem_links: Vec<MemoryLink>,
}

/// What is remembered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum MemoryType {
    /// A concept or a fact.
    Semantic(SemMemory),
    /// An experience, or a pattern of experiences.
    Situation(SituationMemory),
    /// A way of acting.
    Procedure(ProcMemory),
}

/// The kind of a note: its type, with experiences and patterns told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoteKind {
    /// A concept or a fact.
    Semantic,
    /// One experience.
    SpecificSituation,
    /// A pattern of experiences.
    AbstractSituation,
    /// A way of acting.
    Procedure,
}

impl NoteKind {
    /// The name on the wire and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Semantic => "semantic",
            Self::SpecificSituation => "specific_situation",
            Self::AbstractSituation => "abstract_situation",
            Self::Procedure => "procedure",
        }
    }
}

impl fmt::Display for NoteKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl MemoryType {
    /// The kind of a note with this body.
    pub fn kind(&self) -> NoteKind {
        match self {
            Self::Semantic(_) => NoteKind::Semantic,
            Self::Situation(SituationMemory::SpecificSituation(_)) => NoteKind::SpecificSituation,
            Self::Situation(SituationMemory::AbstractSituation(_)) => NoteKind::AbstractSituation,
            Self::Procedure(_) => NoteKind::Procedure,
        }
    }

    fn check(&self) -> Result<(), ModelError> {
        match self {
            Self::Semantic(semantic) => semantic.check().map_err(|e| e.within("Semantic")),
            Self::Situation(situation) => situation.check().map_err(|e| e.within("Situation")),
            Self::Procedure(procedure) => procedure.check().map_err(|e| e.within("Procedure")),
        }
    }
}

impl MemoryNote {
    /// The kind of the note.
    pub fn kind(&self) -> NoteKind {
        self.mem_type.kind()
    }

    /// Checks everything that the types do not already say, naming the first field refused.
    pub fn check(&self) -> Result<(), ModelError> {
        check::few("tags", &self.tags, |tag| check::text("", tag))?;
        self.mem_type
            .check()
            .map_err(|error| error.within("mem_type"))?;
        self.check_times()?;
        check::each("source", &self.source, Source::check)?;
        self.affect
            .check()
            .map_err(|error| error.within("affect"))?;
        check::each("anchors", &self.anchors, |anchor| anchor.check(self))?;
        check::each("mem_links", &self.mem_links, |link| self.check_link(link))
    }

    fn check_times(&self) -> Result<(), ModelError> {
        if self.last_accessed_at < self.created_at {
            return Err(ModelError::new(
                "last_accessed_at",
                format!(
                    "{} is before the creation at {}",
                    self.last_accessed_at, self.created_at
                ),
            ));
        }
        if let Some(until) = self.valid_until.filter(|until| *until < self.valid_from) {
            return Err(ModelError::new(
                "valid_until",
                format!("{until} is before valid_from, {}", self.valid_from),
            ));
        }
        if self.superseded_by == Some(self.id) {
            return Err(ModelError::new("superseded_by", "is the note itself"));
        }
        Ok(())
    }

    fn check_link(&self, link: &MemoryLink) -> Result<(), ModelError> {
        if link.from != self.id {
            return Err(ModelError::new(
                "from",
                format!("is {}, but the note is {}", link.from, self.id),
            ));
        }
        link.check()
    }
}
