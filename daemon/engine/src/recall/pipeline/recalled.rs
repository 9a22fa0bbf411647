//! What came to mind.

use std::sync::Arc;

use crate::model::{MemoryNote, MemoryType, MessageId, SituationMemory};
use crate::recall::actions::Trigger;
use crate::recall::merge::Stage;
use crate::recall::plain::PlainScore;
use crate::recall::why::Why;
use crate::text::Understanding;

/// A note that came up.
#[derive(Clone, Debug)]
pub struct RecalledNote {
    /// The note.
    pub note: Arc<MemoryNote>,
    /// The better the larger; comparable within one recall.
    pub score: f64,
    /// Where it came from.
    pub stage: Stage,
    /// What the stages found.
    pub why: Why,
}

/// A procedure that the situations trigger.
#[derive(Clone, Debug)]
pub struct RecalledAction {
    /// The procedure.
    pub note: Arc<MemoryNote>,
    /// How strongly the situations call for it; comparable within one recall.
    pub score: f64,
    /// The situations that do.
    pub triggers: Vec<Trigger>,
}

/// A sub-query whose best hit was under the floor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dropped {
    /// Its place among the sub-queries.
    pub query: usize,
    /// The score of its best hit, where it had one.
    pub best: Option<f64>,
}

/// What came to mind.
#[derive(Clone, Debug, Default)]
pub struct Recalled {
    /// Notes, best first.
    pub notes: Vec<RecalledNote>,
    /// Messages, best first.
    pub utterances: Vec<PlainScore<MessageId>>,
    /// Procedures that the situations trigger, likeliest first.
    pub actions: Vec<RecalledAction>,
    /// What the plain line was understood as.
    pub understood: Option<Understanding>,
    /// Sub-queries that found nothing good enough.
    pub dropped: Vec<Dropped>,
}

/// When a note was, as recall tells it: the time of a situation, else since when it holds.
pub fn told_time(note: &MemoryNote) -> jiff::Timestamp {
    match &note.mem_type {
        MemoryType::Situation(SituationMemory::SpecificSituation(lived)) => lived.time_span.start(),
        _ => note.valid_from,
    }
}
