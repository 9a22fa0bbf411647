//! Plain questions to memories of messages or documents: what comes first is measured against what answers.
//!
//! Every memory is a fresh character in a folder of its own, written through the same path as the daemon's and asked
//! as a client asks.

pub mod data;
pub mod memory;
pub mod metrics;
pub mod ranking;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::Path;

use serde::Serialize;
use soulmem_engine::recall::plain::channel::FusionWeights;
use soulmem_proto::Value;

use self::data::{Conversation, Query};
use self::memory::{Answered, Way};
use self::metrics::{Measured, measure};
use super::error::EvalError;
use super::parallel::in_parallel;

/// What was asked, and what came of it.
#[derive(Debug)]
pub struct Evaluated {
    /// Every answer, in the order of the memories and of their questions.
    pub answers: Vec<(Query, Answered)>,
}

/// One line of a file of hits.
#[derive(Debug, Serialize)]
pub struct HitLine<'a> {
    /// The question.
    pub id: &'a str,
    /// What came up, by what it is called in the file of messages, best first, each once.
    pub ranked: &'a [String],
    /// How well each fits; comparable within one answer.
    pub scores: &'a [f64],
}

/// One line of a file of channels: what every channel said of what came up.
#[derive(Debug, Serialize)]
pub struct ChannelLine<'a> {
    /// The question.
    pub id: &'a str,
    /// What kind of question it is.
    pub category: &'a str,
    /// What answers it.
    pub gold: &'a [String],
    /// What the channels were worth.
    pub weights: &'a FusionWeights,
    /// What came up: which row, and what the trace says.
    pub trace: &'a Option<Value>,
    /// Which row each message was.
    pub rows: BTreeMap<String, &'a str>,
}

/// How deep an answer goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// As far as any measure looks, and further.
    Hits,
    /// Everything that was looked at.
    Candidates,
}

/// Whether what was said is thought over, by the rules and without a language model, before it is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thought {
    /// It is: notes were made of it.
    Over,
    /// It is asked for as it was said.
    NotOver,
}

/// What is to be asked, and how.
#[derive(Clone, Copy, Debug)]
pub struct Evaluation<'a> {
    /// The file of messages or passages.
    pub messages: &'a Path,
    /// The file of questions.
    pub queries: &'a Path,
    /// What the channels are worth.
    pub weights: FusionWeights,
    /// How deep the answers go.
    pub depth: Depth,
    /// Whether what was said is thought over first.
    pub thought: Thought,
    /// Memories that are asked at once.
    pub workers: NonZeroUsize,
}

impl Evaluation<'_> {
    /// Reads the files, fills the memories and asks them. `done` is told of every question that was answered, `ready` of
    /// how many there are.
    pub fn run(
        &self,
        ready: impl FnOnce(usize),
        done: impl Fn() + Sync,
    ) -> Result<Evaluated, EvalError> {
        let conversations = data::read(self.messages, self.queries)?;
        let asked = conversations.iter().map(|memory| memory.queries.len());
        ready(asked.sum());
        let file = self.messages.file_name().unwrap_or_default();
        let way = Way {
            file: &file.to_string_lossy(),
            weights: self.weights,
            depth: self.depth,
            thought: self.thought,
        };
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .map_err(|error| EvalError::Read {
                file: self.messages.to_owned(),
                error,
            })?;
        let answer = |memory: &Conversation| {
            if memory.queries.is_empty() {
                return Ok(Vec::new());
            }
            runtime
                .block_on(memory::answers(memory, &way, &done))
                .map_err(|error| EvalError::Soul {
                    memory: memory.name.clone(),
                    error,
                })
        };
        let answers = in_parallel(&conversations, self.workers, answer)
            .into_iter()
            .collect::<Result<Vec<_>, _>>()?;
        let queries = conversations.into_iter().map(|memory| memory.queries);
        let answers = queries
            .zip(answers)
            .flat_map(|(asked, answers)| asked.into_iter().zip(answers));
        Ok(Evaluated {
            answers: answers.collect(),
        })
    }
}

impl Evaluated {
    /// Means over the questions; those of the `apart` categories do not count in the total.
    pub fn measured(&self, apart: &[String]) -> Measured {
        let each = self
            .answers
            .iter()
            .map(|(query, answered)| (&*query.category, &*answered.hits.ids, &*query.gold));
        measure(each, apart)
    }

    /// What every channel said, line by line, and of what it was worth.
    pub fn channels<'a>(
        &'a self,
        weights: &'a FusionWeights,
    ) -> impl Iterator<Item = ChannelLine<'a>> {
        self.answers
            .iter()
            .map(move |(query, answered)| ChannelLine {
                weights,
                id: &query.id,
                category: &query.category,
                gold: &query.gold,
                trace: &answered.trace,
                rows: answered.found(),
            })
    }

    /// The hits, line by line.
    pub fn hits(&self) -> impl Iterator<Item = HitLine<'_>> {
        self.answers.iter().map(|(query, answered)| HitLine {
            id: &query.id,
            ranked: &answered.hits.ids,
            scores: &answered.hits.scores,
        })
    }
}
