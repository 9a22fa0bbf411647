//! The walk over shared words: from what fits best to what is about the same things, though the line does not name them.
//!
//! Candidates and the words that say what they are about are the nodes of a graph with two sides; an edge weighs as much
//! as the word is rare. Personalised `PageRank` from the best candidates, by power iteration: the graph is small.

use hashbrown::HashMap;

use crate::index::{Collection, TermId};
use crate::recall::memory::Memory;

use super::channel::Channel;
use super::evidence::{REACHED, Row, standardise};

/// Share of the mass that goes on at each step.
const DAMPING: f64 = 0.5;
/// Steps. After these, half to the power of them is left to be shared out.
const STEPS: usize = 8;
/// A share under this tells nothing.
const LEAST: f64 = 1e-6;

/// Lets the walk from the best `seeds` say what it has to.
pub(super) fn weigh(memory: &Memory<'_>, rows: &mut [Row], own: &[f64], seeds: usize) {
    let graph = Graph::new(memory, rows);
    let sources = sources(rows, own, seeds);
    let shares = graph.walk(&sources);
    for (row, share) in rows.iter_mut().zip(shares) {
        row.reached |= share >= REACHED;
        row.channels.set(Channel::Keywords, share.max(LEAST).ln());
    }
    standardise(rows, Channel::Keywords);
}

/// Shares of the best rows, by how far they are above the mean; they sum to 1.
fn sources(rows: &[Row], own: &[f64], seeds: usize) -> Vec<f64> {
    let mut order: Vec<usize> = (0..rows.len()).filter(|at| own[*at] > 0.0).collect();
    order.sort_by(|a, b| own[*b].total_cmp(&own[*a]).then(a.cmp(b)));
    order.truncate(seeds);
    let total: f64 = order.iter().map(|at| own[*at]).sum();
    let mut sources = vec![0.0; rows.len()];
    for at in order {
        sources[at] = own[at] / total;
    }
    sources
}

/// Rows and the words that at least two of them share.
struct Graph {
    /// For each row its words, for each word its rows, with weights.
    rows: Vec<Vec<(usize, f64)>>,
    words: Vec<Vec<(usize, f64)>>,
}

impl Graph {
    fn new(memory: &Memory<'_>, rows: &[Row]) -> Self {
        let passages = &memory.indexes.passages;
        let held = |row: &Row| {
            let passage = passages.get(&row.key);
            let terms = passage.into_iter().flat_map(|passage| passage.terms.iter());
            terms.filter(|held| held.telling).map(|held| held.term)
        };
        // Numbered in the order of the rows and of their texts, never of writing.
        let mut numbers: HashMap<TermId, usize> = HashMap::new();
        let mut words: Vec<Vec<(usize, f64)>> = Vec::new();
        for (at, row) in rows.iter().enumerate() {
            for term in held(row) {
                let number = *numbers.entry(term).or_insert_with(|| {
                    words.push(Vec::new());
                    words.len() - 1
                });
                let weight = passages.rarity(Some(term), Collection::of(&row.key));
                words[number].push((at, weight));
            }
        }
        let mut by_row = vec![Vec::new(); rows.len()];
        for (number, holders) in words.iter_mut().enumerate() {
            if holders.len() < 2 {
                holders.clear();
            }
            for (at, weight) in holders.iter() {
                by_row[*at].push((number, *weight));
            }
        }
        Self {
            rows: by_row,
            words,
        }
    }

    fn walk(&self, sources: &[f64]) -> Vec<f64> {
        let mut rows = sources.to_vec();
        let mut words = vec![0.0; self.words.len()];
        for _ in 0..STEPS {
            let to_words = spread(&self.rows, &rows, self.words.len());
            let to_rows = spread(&self.words, &words, self.rows.len());
            rows = sources
                .iter()
                .zip(to_rows)
                .map(|(source, share)| (1.0 - DAMPING) * source + DAMPING * share)
                .collect();
            words = to_words.into_iter().map(|share| DAMPING * share).collect();
        }
        rows
    }
}

/// One step of all mass along the edges.
fn spread(edges: &[Vec<(usize, f64)>], mass: &[f64], onto: usize) -> Vec<f64> {
    let mut spread = vec![0.0; onto];
    for (edges, mass) in edges.iter().zip(mass).filter(|(_, mass)| **mass > 0.0) {
        let total: f64 = edges.iter().map(|(_, weight)| weight).sum();
        for (to, weight) in edges {
            spread[*to] += mass * weight / total;
        }
    }
    spread
}
