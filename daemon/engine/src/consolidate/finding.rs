//! What extraction finds in a talk: a note to be, and what identity has to know about it.

use jiff::{Timestamp, ZonedDateTime};

use crate::model::{
    AbstractSituation, AffectDraft, Anchor, MemoryType, MessageId, NoteKind, SituationMemory,
};

/// The tag of what somebody likes or dislikes.
pub const PREFERENCE: &str = "Preference";
/// The tag of what is known.
pub const KNOWLEDGE: &str = "Knowledge";
/// The tag of what was lived through.
pub const EXPERIENCE: &str = "Experience";

/// One message, as extraction reads it.
#[derive(Debug, Clone)]
pub struct Utterance<'t> {
    /// Which message.
    pub id: MessageId,
    /// Who said it.
    pub speaker: &'t str,
    /// Whom it was said to; empty where that is not known.
    pub listener: &'t str,
    /// What was said.
    pub text: &'t str,
    /// When, in the zone of whoever said it.
    pub at: ZonedDateTime,
}

/// Which way something is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Polarity {
    /// As it is.
    Neutral,
    /// Somebody likes it.
    Like,
    /// Somebody dislikes it, or is afraid of it.
    Dislike,
    /// Somebody gave their word.
    Promise,
    /// It is no longer as it was.
    Correction,
}

impl Polarity {
    /// The tag that says so; none for what is neutral.
    pub fn tag(self) -> Option<&'static str> {
        match self {
            Self::Neutral => None,
            Self::Like => Some("like"),
            Self::Dislike => Some("dislike"),
            Self::Promise => Some("promise"),
            Self::Correction => Some("correction"),
        }
    }
}

/// A memory to be.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// What is to be remembered.
    pub body: MemoryType,
    /// Its labels.
    pub tags: Vec<String>,
    /// Which way it is meant.
    pub polarity: Polarity,
    /// The people and things that it names, each to be linked with what is known of it.
    pub names: Vec<String>,
    /// Whether its words tell a time of their own: then the same words on another day are another memory.
    pub timed: bool,
    /// The names (content or aliases) of what it says is no longer so.
    pub ends: Vec<String>,
    /// Whether it says of something told before that it was otherwise.
    pub corrects: bool,
    /// What it is said to take the place of, in whatever words.
    pub replaces: Option<String>,
    /// When it was said.
    pub said: Timestamp,
    /// From when on it is held true.
    pub since: Timestamp,
    /// The messages that say it.
    pub sources: Vec<MessageId>,
    /// How it feels and matters.
    pub affect: AffectDraft,
    /// The passages that fade last.
    pub anchors: Vec<Anchor>,
}

impl Finding {
    /// The kind of note that it becomes.
    pub fn kind(&self) -> NoteKind {
        self.body.kind()
    }
}

/// The text that says most of what a note is: what two notes are compared by.
pub fn main_text(body: &MemoryType) -> &str {
    match body {
        MemoryType::Semantic(semantic) => &semantic.content,
        MemoryType::Situation(SituationMemory::SpecificSituation(lived)) => &lived.narrative,
        MemoryType::Situation(SituationMemory::AbstractSituation(pattern)) => match pattern {
            AbstractSituation::Location(location) => &location.name,
            AbstractSituation::Participant(participant) => &participant.name,
            AbstractSituation::Environment(air) if air.atmosphere.is_empty() => &air.tone,
            AbstractSituation::Environment(air) => &air.atmosphere,
            AbstractSituation::Event(event) => &event.action,
        },
        MemoryType::Procedure(procedure) => &procedure.action.content,
    }
}
