//! How each hit was found.

use serde::Serialize;
use soulmem_engine::model::{MessageId, NoteId};
use soulmem_engine::recall::plain::PlainScore;
use soulmem_engine::recall::{Recalled, RecalledNote};

/// The trace of one answer.
#[derive(Debug, Serialize)]
pub struct Trace {
    notes: Vec<NoteTrace>,
    utterances: Vec<UtteranceTrace>,
}

#[derive(Debug, Serialize)]
struct NoteTrace {
    id: NoteId,
    /// Whether the walk started from it.
    seed: bool,
    /// Its likeness to sub-queries.
    similar: Vec<SimilarTrace>,
    /// What it answers of the plain line.
    plain: Option<PlainTrace>,
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
}

#[derive(Debug, Serialize)]
struct UtteranceTrace {
    id: MessageId,
    words: f64,
    vector: f64,
}

impl Trace {
    /// That of what came to mind.
    pub fn of(recalled: &Recalled) -> Self {
        Self {
            notes: recalled.notes.iter().map(note).collect(),
            utterances: recalled.utterances.iter().map(utterance).collect(),
        }
    }
}

fn note(hit: &RecalledNote) -> NoteTrace {
    let similar = hit
        .why
        .similar
        .iter()
        .map(|(query, similarity)| SimilarTrace {
            query: *query,
            score: similarity.score,
            tags: similarity.tags,
            vectors: similarity.vectors,
            strings: similarity.strings,
        });
    NoteTrace {
        id: hit.note.id,
        seed: hit.why.seed,
        similar: similar.collect(),
        plain: hit
            .why
            .plain
            .map(|(words, vector)| PlainTrace { words, vector }),
    }
}

fn utterance(hit: &PlainScore<MessageId>) -> UtteranceTrace {
    UtteranceTrace {
        id: hit.id,
        words: hit.words,
        vector: hit.vector,
    }
}
