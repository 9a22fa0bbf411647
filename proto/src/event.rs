use std::fmt;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::ops::consolidate::ConsolidationReport;
use crate::ops::health::State;

/// What a client can be told without having asked each time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum EventName {
    /// A character went from working to idle or back.
    #[serde(rename = "state")]
    State,
    /// What slid out of the window was summarised.
    #[serde(rename = "window.summarised")]
    WindowSummarised,
    /// A consolidation ended.
    #[serde(rename = "consolidated")]
    Consolidated,
    /// A round of forgetting ended.
    #[serde(rename = "forgotten")]
    Forgotten,
    /// Notes were created, replaced or deleted.
    #[serde(rename = "note.changed")]
    NoteChanged,
    /// A character was created or dropped.
    #[serde(rename = "soul.changed")]
    SoulChanged,
    /// Long work went on.
    #[serde(rename = "progress")]
    Progress,
    /// This subscriber was too slow and missed events.
    #[serde(rename = "lagged")]
    Lagged,
}

impl EventName {
    /// Every event.
    pub const ALL: [EventName; 8] = [
        EventName::State,
        EventName::WindowSummarised,
        EventName::Consolidated,
        EventName::Forgotten,
        EventName::NoteChanged,
        EventName::SoulChanged,
        EventName::Progress,
        EventName::Lagged,
    ];

    /// The event's name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            EventName::State => "state",
            EventName::WindowSummarised => "window.summarised",
            EventName::Consolidated => "consolidated",
            EventName::Forgotten => "forgotten",
            EventName::NoteChanged => "note.changed",
            EventName::SoulChanged => "soul.changed",
            EventName::Progress => "progress",
            EventName::Lagged => "lagged",
        }
    }

    /// The event of that name.
    pub fn parse(name: &str) -> Option<EventName> {
        EventName::ALL
            .into_iter()
            .find(|event| event.as_str() == name)
    }
}

impl fmt::Display for EventName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Payload of `state`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateEvent {
    /// What the character does from now on.
    pub state: State,
}

/// Payload of `note.changed`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoteChangedEvent {
    /// The notes that changed.
    pub ids: Vec<Uuid>,
}

/// Payload of `soul.changed`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SoulChangedEvent {
    /// What happened to the character that the event's envelope names.
    pub change: SoulChange,
}

/// What can happen to a character as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SoulChange {
    /// It was made.
    Created,
    /// It was put into the trash.
    Dropped,
    /// Everything of it was removed for good.
    Erased,
    /// It is as a backup has it.
    Restored,
}

/// Payload of `progress`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgressEvent {
    /// The operation that goes on.
    pub op: String,
    /// What is being done.
    pub what: String,
    /// How much of it is done, in whatever unit `total` is in.
    pub done: u64,
    /// How much there is to do; 0 if that is not known.
    pub total: u64,
}

/// Payload of `window.summarised`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowSummarisedEvent {
    /// How many messages went into the summary besides the one before.
    pub messages: u64,
    /// The last message that it has seen.
    pub through: Uuid,
    /// What wrote it: `sentences` (the most telling ones as they were said) or `llm`.
    pub by: String,
}

/// Payload of `consolidated`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConsolidatedEvent {
    /// The job.
    pub job: Uuid,
    /// What came of it.
    pub report: ConsolidationReport,
}

/// Payload of `lagged`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaggedEvent {
    /// How many events this subscriber missed.
    pub dropped: u64,
}
