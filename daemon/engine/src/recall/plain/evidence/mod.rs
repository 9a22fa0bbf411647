//! What each channel says of each candidate.
//!
//! - `scorer`: what a text says for itself.
//! - `terms`: the words of the line, counted and scored.
//! - `standard`: one scale for all.
//! - `entities`: the names that the line and the notes share.

mod entities;
mod scorer;
mod standard;
mod terms;

use std::collections::BTreeSet;

use self::scorer::{PartScores, Scorer};
use self::standard::standardise_texts;
use super::asked::Asked;
use super::candidates::{Candidates, SEEDS};
use super::channel::{Channels, FusionWeights, Kind};
use super::{context, keywords};
use crate::index::{Collection, DocKey};
use crate::recall::memory::Memory;

pub(super) use self::standard::standardise;
pub(super) use self::terms::{Counts, Terms, Weighted};

/// What the words count for the absolute relevance. A word that is there is better evidence than a vector that is near.
const WORDS: f64 = 0.6;
/// What the vector counts there.
const VECTOR: f64 = 0.4;
/// With this share of a walk, something is reached by it.
pub(super) const REACHED: f64 = 1e-3;

/// A candidate.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) key: DocKey,
    pub(super) kind: Kind,
    /// Whether the line, or a line or sentence of the candidate, is worded exactly like it.
    pub(super) exact: bool,
    /// Share of the question's words, weighted by their rarity, that it answers.
    pub(super) words: f64,
    /// Cosine of its nearest text.
    pub(super) vector: f64,
    pub(super) channels: Channels,
    /// Whether a walk from what fits led to it.
    pub(super) reached: bool,
    /// Logarithm of how long it is.
    length: f64,
    parts: Vec<PartScores>,
}

impl Row {
    /// From 0 to 1, the same for all questions.
    pub(super) fn relevance(&self) -> f64 {
        WORDS * self.words + VECTOR * self.vector
    }
}

/// Candidates, by key.
#[derive(Default)]
pub(super) struct Evidence {
    pub(super) rows: Vec<Row>,
}

impl Evidence {
    pub(super) fn weigh(
        memory: &Memory<'_>,
        asked: &Asked,
        weights: &FusionWeights,
        candidates: &Candidates,
    ) -> Self {
        let scorer = Scorer::new(memory, asked, weights, candidates.collection);
        let row = |key: &DocKey| scorer.row(*key);
        let mut rows: Vec<Row> = candidates.keys.iter().filter_map(row).collect();
        standardise_texts(&mut rows);
        let best = best(&rows, weights);
        let beyond = candidates.beyond(memory, &best);
        let notes = candidates.collection == Collection::Notes;
        let reached = notes.then(|| entities::walked(memory, asked, &rows, weights));
        let new = beyond.difference(&candidates.keys);
        rows.extend(new.filter_map(row));
        if let Some(reached) = &reached {
            let known: BTreeSet<DocKey> = rows.iter().map(|row| row.key).collect();
            let led = entities::led_to(memory, reached);
            rows.extend(led.difference(&known).filter_map(row));
        }
        rows.sort_by_key(|row| row.key);
        standardise_texts(&mut rows);
        let own: Vec<f64> = rows
            .iter()
            .map(|row| weights.base.sum(&row.channels))
            .collect();
        if let Some(reached) = &reached {
            entities::weigh(memory, asked, reached, &mut rows);
        }
        let content: Vec<&Weighted> = scorer.parts.iter().map(|part| &part.content).collect();
        context::weigh(memory, &scorer.terms, &content, &mut rows, &own);
        if rows.iter().any(|row| weights.of(row.kind).keywords != 0.0) {
            keywords::weigh(memory, &mut rows, &own, SEEDS);
        }
        Self { rows }
    }
}

/// The keys, best first by what the texts themselves say.
fn best(rows: &[Row], weights: &FusionWeights) -> Vec<DocKey> {
    let mut sums: Vec<(f64, DocKey)> = rows
        .iter()
        .map(|row| (weights.base.sum(&row.channels), row.key))
        .collect();
    sums.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    sums.into_iter().map(|(_, key)| key).collect()
}
