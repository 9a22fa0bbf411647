//! What a recall is asked, how it goes about it, and why it may refuse.

use jiff::tz::TimeZone;
use jiff::{Timestamp, ZonedDateTime};

use crate::graph::{WalkError, WalkOptions};
use crate::index::VectorError;
use crate::recall::actions::ACTION_TOP_K;
use crate::recall::memory::SourceError;
use crate::recall::plain::channel::FusionWeights;
use crate::recall::query::{QueryError, SubQuery};
use crate::recall::weights::BlendWeights;

/// How a recall goes about it.
#[derive(Clone, Debug)]
pub struct Options {
    /// Notes in the result at most; utterances as many again.
    pub limit: usize,
    /// How many of the likest notes the walk starts from.
    pub seed_k: usize,
    /// A score under which nothing competes; the model's own, calibrated one.
    pub floor: f64,
    /// Whether messages are searched too.
    pub utterances: Utterances,
    /// How the fields are blended.
    pub weights: BlendWeights,
    /// What the channels of a plain line are worth.
    pub fusion: FusionWeights,
    /// How the walk goes.
    pub walk: WalkOptions,
    /// Actions in the result at most.
    pub action_top_k: usize,
}

/// Whether messages are searched beside the notes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Utterances {
    /// They are.
    Searched,
    /// Only notes are.
    LeftOut,
}

impl Options {
    /// The defaults, with the floor of the model in use.
    pub fn with_floor(floor: f64) -> Self {
        Self {
            limit: 10,
            seed_k: 4,
            floor,
            utterances: Utterances::Searched,
            weights: BlendWeights::default(),
            fusion: FusionWeights::default(),
            walk: WalkOptions::default(),
            action_top_k: ACTION_TOP_K,
        }
    }
}

/// What is asked.
#[derive(Clone, Debug)]
pub struct Question {
    /// Structured sub-queries.
    pub queries: Vec<SubQuery>,
    /// A plain line.
    pub text: Option<String>,
    /// When the line was said, and in which zone: what its times are resolved against.
    pub said: ZonedDateTime,
}

impl Default for Question {
    /// Nothing, asked at the beginning of 1970.
    fn default() -> Self {
        Self {
            queries: Vec::new(),
            text: None,
            said: Timestamp::UNIX_EPOCH.to_zoned_datetime(TimeZone::UTC),
        }
    }
}

/// Why a recall failed.
#[derive(Debug, thiserror::Error)]
pub enum RecallError {
    /// There is neither a sub-query nor a line with text.
    #[error("there is nothing to search for: give `text`, `queries`, or both")]
    Nothing,
    /// A sub-query is not one.
    #[error("queries[{index}].{error}")]
    Query {
        /// Its place.
        index: usize,
        /// What is wrong with it.
        error: QueryError,
    },
    /// A weight is out of range.
    #[error(transparent)]
    Weights(QueryError),
    /// The walk was given settings that it refuses.
    #[error(transparent)]
    Walk(#[from] WalkError),
    /// A vector of the question does not fit those of the memory.
    #[error(transparent)]
    Vector(#[from] VectorError),
    /// The bodies of notes could not be read.
    #[error("notes could not be read: {0}")]
    Source(SourceError),
}

pub(super) fn check(question: &Question, options: &Options) -> Result<(), RecallError> {
    options.weights.check().map_err(RecallError::Weights)?;
    options.fusion.check().map_err(RecallError::Weights)?;
    for (index, query) in question.queries.iter().enumerate() {
        query
            .check()
            .map_err(|error| RecallError::Query { index, error })?;
    }
    let silent = question
        .text
        .as_deref()
        .is_none_or(|text| text.trim().is_empty());
    if silent && question.queries.is_empty() {
        Err(RecallError::Nothing)
    } else {
        Ok(())
    }
}
