//! Why each hit came up, as clients are told it.

use serde::Serialize;
use soulmem_engine::recall::similarity::Similarity;
use soulmem_engine::recall::{Recalled, RecalledNote};
use soulmem_proto::{Value, to_value};
use uuid::Uuid;

#[derive(Serialize)]
struct Trace {
    notes: Vec<NoteTrace>,
    utterances: Vec<UtteranceTrace>,
}

#[derive(Serialize)]
struct NoteTrace {
    id: Uuid,
    /// Whether the walk started from it.
    seed: bool,
    similar: Vec<SimilarTrace>,
    plain: Option<PlainTrace>,
}

/// What a structured sub-query found alike.
#[derive(Serialize)]
struct SimilarTrace {
    query: u64,
    score: f64,
    tags: Option<f64>,
    vectors: f64,
    strings: f64,
}

/// What of the line the text answers.
#[derive(Serialize)]
struct PlainTrace {
    words: f64,
    vector: f64,
}

#[derive(Serialize)]
struct UtteranceTrace {
    id: Uuid,
    words: f64,
    vector: f64,
}

/// The channels of every hit.
pub fn trace(recalled: &Recalled) -> Value {
    let utterances = recalled.utterances.iter();
    let trace = Trace {
        notes: recalled.notes.iter().map(note).collect(),
        utterances: utterances
            .map(|hit| UtteranceTrace {
                id: hit.id.0,
                words: hit.words,
                vector: hit.vector,
            })
            .collect(),
    };
    // Scores are finite and keys are ours, so that nothing in it can be refused.
    to_value(&trace).unwrap_or_default()
}

fn note(hit: &RecalledNote) -> NoteTrace {
    NoteTrace {
        id: hit.note.id.0,
        seed: hit.why.seed,
        similar: hit
            .why
            .similar
            .iter()
            .map(|(query, similarity)| similar(*query, similarity))
            .collect(),
        plain: hit
            .why
            .plain
            .map(|(words, vector)| PlainTrace { words, vector }),
    }
}

fn similar(query: usize, similarity: &Similarity) -> SimilarTrace {
    let Similarity {
        score,
        tags,
        vectors,
        strings,
    } = *similarity;
    SimilarTrace {
        query: query as u64,
        score,
        tags,
        vectors,
        strings,
    }
}
