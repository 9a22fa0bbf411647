//! How each hit was found, in the wire's terms.

use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;
use serde::Serialize;
use soulmem_engine::graph::Step;
use soulmem_engine::model::{LinkId, MessageId, NoteId, Source};
use soulmem_engine::recall::plain::PlainScore;
use soulmem_engine::recall::similarity::Similarity;
use soulmem_engine::recall::{Asked, OwnWay, Reached, Recalled, RecalledAction, RecalledNote};
use soulmem_proto::ops::push::Role;

use super::helped::SubQueryTrace;
use crate::store::Message;

/// The trace of one answer.
#[derive(Debug, Serialize)]
pub struct Trace {
    /// The sub-queries that a language model made of the line, in the order in which hits name them.
    #[serde(skip_serializing_if = "Option::is_none")]
    sub_queries: Option<Vec<SubQueryTrace>>,
    notes: Vec<NoteTrace>,
    utterances: Vec<UtteranceTrace>,
    actions: Vec<ActionTrace>,
}

#[derive(Debug, Serialize)]
struct NoteTrace {
    id: NoteId,
    /// Whether it stands behind the messages that it was made of.
    behind_talk: bool,
    /// Whether the walk started from it.
    seed: bool,
    /// How much of it is retained.
    retention: f64,
    /// Its likeness to sub-queries.
    similar: Vec<SimilarTrace>,
    /// What it answers of the plain line.
    plain: Option<PlainTrace>,
    /// How walks reached it.
    walks: Vec<WalkTrace>,
    /// How it came along, where it is a procedure that something known speaks of.
    way: Option<WayTrace>,
    /// What it was made from.
    sources: Vec<Source>,
    /// The messages among them, as far as they are still there.
    messages: Vec<MessageTrace>,
}

#[derive(Debug, Serialize)]
struct SimilarTrace {
    /// Place of the sub-query.
    query: usize,
    score: f64,
    tags: Option<f64>,
    vectors: f64,
    strings: f64,
}

#[derive(Debug, Serialize)]
struct PlainTrace {
    /// Share of the line's words, weighted by their rarity.
    words: f64,
    /// Cosine of the nearest text.
    vector: f64,
    /// What every channel says.
    channels: BTreeMap<&'static str, f64>,
}

#[derive(Debug, Serialize)]
struct WalkTrace {
    /// Place of the sub-query that the walk started for; absent for the plain line.
    query: Option<usize>,
    score: f64,
    /// The note that the path starts from, and its share among those that the walk started from.
    seed: NoteId,
    seed_share: f64,
    path: Vec<StepTrace>,
}

#[derive(Debug, Serialize)]
struct StepTrace {
    link: LinkId,
    from: NoteId,
    to: NoteId,
    weight: f64,
    /// Its part in the weights of all active links of `from`.
    share: f64,
}

#[derive(Debug, Serialize)]
struct WayTrace {
    from: NoteId,
    link: LinkId,
    weight: f64,
}

#[derive(Debug, Serialize)]
struct MessageTrace {
    id: MessageId,
    role: Role,
    name: Option<String>,
    at: Timestamp,
    text: String,
}

#[derive(Debug, Serialize)]
struct UtteranceTrace {
    id: MessageId,
    #[serde(flatten)]
    plain: PlainTrace,
}

#[derive(Debug, Serialize)]
struct ActionTrace {
    id: NoteId,
    triggers: Vec<TriggerTrace>,
}

#[derive(Debug, Serialize)]
struct TriggerTrace {
    link: LinkId,
    situation: NoteId,
    prob: f64,
    weight: f64,
}

impl Trace {
    /// That of what came to mind. `sources` are the messages that notes were made from.
    pub fn of(
        recalled: &Recalled,
        sources: &HashMap<MessageId, Message>,
        sub_queries: Option<Vec<SubQueryTrace>>,
    ) -> Self {
        let notes = recalled.notes.iter();
        Self {
            sub_queries,
            notes: notes.map(|hit| note(hit, sources)).collect(),
            utterances: recalled.utterances.iter().map(utterance).collect(),
            actions: recalled.actions.iter().map(action).collect(),
        }
    }
}

/// The messages that the notes among the hits were made from.
pub fn source_messages(recalled: &Recalled) -> Vec<MessageId> {
    let sources = recalled.notes.iter().flat_map(|hit| &hit.note.source);
    sources.filter_map(message_of).collect()
}

fn message_of(source: &Source) -> Option<MessageId> {
    match source {
        Source::Message { id } => Some(*id),
        _ => None,
    }
}

fn note(hit: &RecalledNote, sources: &HashMap<MessageId, Message>) -> NoteTrace {
    let (note, why) = (&hit.note, &hit.why);
    let messages = note.source.iter().filter_map(message_of);
    NoteTrace {
        id: note.id,
        behind_talk: why.behind_talk,
        seed: why.seed,
        retention: why.retention,
        similar: why.similar.iter().map(similar).collect(),
        plain: why.plain.as_ref().map(PlainTrace::of),
        walks: why.walks.iter().map(walk).collect(),
        way: why
            .way
            .map(|OwnWay { from, link, weight }| WayTrace { from, link, weight }),
        sources: note.source.clone(),
        messages: messages
            .filter_map(|id| sources.get(&id))
            .map(message)
            .collect(),
    }
}

fn similar((query, similarity): &(usize, Similarity)) -> SimilarTrace {
    SimilarTrace {
        query: *query,
        score: similarity.score,
        tags: similarity.tags,
        vectors: similarity.vectors,
        strings: similarity.strings,
    }
}

fn walk(reached: &Reached) -> WalkTrace {
    WalkTrace {
        query: match reached.asked {
            Asked::Query(query) => Some(query),
            Asked::Line => None,
        },
        score: reached.score,
        seed: reached.path.source,
        seed_share: reached.path.source_share,
        path: reached.path.steps.iter().map(step).collect(),
    }
}

fn step(step: &Step) -> StepTrace {
    StepTrace {
        link: step.link,
        from: step.from,
        to: step.to,
        weight: step.weight,
        share: step.share,
    }
}

fn message(message: &Message) -> MessageTrace {
    MessageTrace {
        id: message.id,
        role: message.role,
        name: message.name.clone(),
        at: message.at,
        text: message.text.clone(),
    }
}

fn utterance(hit: &PlainScore<MessageId>) -> UtteranceTrace {
    UtteranceTrace {
        id: hit.id,
        plain: PlainTrace::of(hit),
    }
}

impl PlainTrace {
    fn of<K>(hit: &PlainScore<K>) -> Self {
        Self {
            words: hit.words,
            vector: hit.vector,
            channels: hit.channels.named().collect(),
        }
    }
}

fn action(hit: &RecalledAction) -> ActionTrace {
    let triggers = hit.triggers.iter().map(|trigger| TriggerTrace {
        link: trigger.link,
        situation: trigger.situation,
        prob: trigger.probability,
        weight: trigger.weight,
    });
    ActionTrace {
        id: hit.note.id,
        triggers: triggers.collect(),
    }
}
