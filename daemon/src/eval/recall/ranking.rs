//! From notes and messages that came up to the rows that they stand for.

use std::collections::{HashMap, HashSet};

use soulmem_engine::model::{MemoryNote, Source};
use soulmem_proto::ops::retrieve::RetrieveResponse;
use uuid::Uuid;

/// A note made of many rows says of which it is made, not which of them answers: the best three count.
const ROWS_OF_A_NOTE: usize = 3;

/// Rows by how well they fit, best first, each once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ranked {
    /// What the rows are called.
    pub ids: Vec<String>,
    /// Their scores.
    pub scores: Vec<f64>,
}

/// Ranks by score, notes and messages together. `rows` tells which row a message was; `notes` are the bodies of the notes.
pub(super) fn ranked(
    response: &RetrieveResponse,
    rows: &HashMap<Uuid, String>,
    notes: &HashMap<Uuid, MemoryNote>,
) -> Ranked {
    let said: HashMap<Uuid, f64> = response
        .utterances
        .iter()
        .map(|hit| (hit.id, hit.score))
        .collect();
    let mut hits: Vec<(f64, Vec<String>)> = response
        .utterances
        .iter()
        .map(|hit| (hit.score, rows.get(&hit.id).cloned().into_iter().collect()))
        .collect();
    for hit in &response.notes {
        let imported = notes.get(&hit.id).map(imported);
        let mut origins = messages(&hit.sources, &said, rows);
        origins.extend(imported.unwrap_or_default());
        origins.truncate(ROWS_OF_A_NOTE);
        hits.push((hit.score, origins));
    }
    // Stable: of equal scores, messages first, in their order.
    hits.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut seen = HashSet::new();
    let mut ranked = Ranked::default();
    for (score, ids) in hits {
        for id in ids {
            if seen.insert(id.clone()) {
                ranked.ids.push(id);
                ranked.scores.push(score);
            }
        }
    }
    ranked
}

/// The rows of the messages that a note was made of, those that came up themselves first, by their scores.
fn messages(
    sources: &[Uuid],
    said: &HashMap<Uuid, f64>,
    rows: &HashMap<Uuid, String>,
) -> Vec<String> {
    let score = |id: &Uuid| said.get(id).copied().unwrap_or(f64::NEG_INFINITY);
    let mut sources = sources.to_vec();
    sources.sort_by(|a, b| score(b).total_cmp(&score(a)));
    let mut names: Vec<String> = Vec::new();
    for row in sources.iter().filter_map(|id| rows.get(id)) {
        if !names.contains(row) {
            names.push(row.clone());
        }
    }
    names
}

/// The rows that a note was imported from.
fn imported(note: &MemoryNote) -> Vec<String> {
    let origins = note.source.iter().filter_map(|source| match source {
        Source::Import { id, .. } => Some(id.clone()),
        Source::Message { .. } | Source::Consolidation { .. } | Source::Given => None,
    });
    origins.collect()
}
