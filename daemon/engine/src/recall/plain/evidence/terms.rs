//! The words of the line, counted in texts and scored.

use hashbrown::HashMap;

use crate::index::{Bm25, Collection, TermId, WordQuery};
use crate::recall::memory::Memory;
use crate::recall::plain::asked::numbered;

/// The terms of all that is asked, each with its place: they are looked up once for all.
pub(in crate::recall::plain) struct Terms {
    places: HashMap<TermId, usize>,
    /// Where they are looked for.
    collection: Collection,
    /// A bit for each term, by its number modulo their count. Most terms of a text are asked for by nobody, and the bit says
    /// so sooner than the map.
    marks: [u64; MARKS / 64],
}

/// How many bits there are: a hundred times the terms of a line.
const MARKS: usize = 4096;

/// How often a text holds each of the [`Terms`], in their order.
pub(in crate::recall::plain) type Counts = Vec<u32>;

impl Terms {
    /// None yet, for texts of this collection.
    pub(super) fn of(collection: Collection) -> Self {
        Self {
            places: HashMap::new(),
            collection,
            marks: [0; MARKS / 64],
        }
    }

    pub(super) fn collection(&self) -> Collection {
        self.collection
    }

    /// Takes in the terms of a query. Those that no text holds are left out.
    pub(super) fn weighted(&mut self, memory: &Memory<'_>, query: &WordQuery) -> Weighted {
        let (mut weights, mut plain) = (Vec::new(), Vec::new());
        for (term, weight, rarity) in numbered(memory, query, self.collection) {
            let next = self.places.len();
            let place = *self.places.entry(term).or_insert(next);
            let (word, bit) = Self::mark(term);
            self.marks[word] |= bit;
            weights.push((place, weight * rarity));
            plain.push(weight);
        }
        Weighted {
            weights,
            total: query.terms().map(|(_, weight)| weight).sum(),
            plain,
        }
    }

    pub(in crate::recall::plain) fn count(
        &self,
        terms: impl Iterator<Item = (TermId, u32)>,
    ) -> Counts {
        let mut counts = vec![0; self.places.len()];
        for (term, count) in terms {
            let (word, bit) = Self::mark(term);
            if self.marks[word] & bit == 0 {
                continue;
            }
            if let Some(place) = self.places.get(&term) {
                counts[*place] += count;
            }
        }
        counts
    }

    /// In which word a term has its bit, and the bit.
    fn mark(term: TermId) -> (usize, u64) {
        let place = term as usize % MARKS;
        (place / 64, 1 << (place % 64))
    }
}

/// A query: places of terms, with weight times rarity, in the order of their texts.
pub(in crate::recall::plain) struct Weighted {
    weights: Vec<(usize, f64)>,
    /// The weights of the same terms without their rarity, and their sum with those that no text holds.
    plain: Vec<f64>,
    total: f64,
}

impl Weighted {
    /// Share of the query's terms that are there, by their weights in the query.
    pub(super) fn share(&self, counts: &Counts) -> f64 {
        let held = self.weights.iter().zip(&self.plain);
        let held = held.filter(|((place, _), _)| counts[*place] > 0);
        let sum: f64 = held.map(|(_, weight)| weight).sum();
        if self.total > 0.0 {
            sum / self.total
        } else {
            0.0
        }
    }

    /// BM25. The sum goes over the terms in the order of their texts, so it is the same to the bit for the same texts.
    pub(in crate::recall::plain) fn score(&self, counts: &Counts, length: f64, mean: f64) -> f64 {
        let Bm25 { k1, b } = Bm25::default();
        let norm = k1 * (1.0 - b + b * length / mean.max(1.0));
        let gain = |count: u32| f64::from(count) * (k1 + 1.0) / (f64::from(count) + norm);
        let held = self
            .weights
            .iter()
            .map(|(place, weight)| (counts[*place], weight));
        held.filter(|(count, _)| *count > 0)
            .map(|(count, weight)| weight * gain(count))
            .sum()
    }
}

/// What a text of a collection would score that had every term as often as counts, those that no text holds too.
pub(super) fn full(memory: &Memory<'_>, query: &WordQuery, collection: Collection) -> f64 {
    let passages = &memory.indexes.passages;
    let rarity = |term: &str| passages.rarity(passages.term(term), collection);
    query
        .terms()
        .map(|(term, weight)| weight * rarity(term))
        .sum()
}
