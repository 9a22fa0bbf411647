//! What is looked at: however large the memory is, only what shares words, a near vector, the wording, the talk or telling
//! words of the best with the line.

use std::collections::BTreeSet;

use crate::index::{Bm25, Collection, DocKey, VectorError, WordQuery};
use crate::recall::memory::Memory;

use super::asked::{Asked, Part};

/// Taken from the words, for each of notes and messages.
const WORDED: usize = 160;
/// Taken from the vectors.
const NEAR: usize = 64;
/// Whoever asks for more than this has as many looked at. Up to it what comes first, and how well it fits, does not depend
/// on how many are asked for.
const MANY: usize = 400;
/// Of so many of the best it is looked at what stands around them.
const AROUND: usize = 60;
/// How far around.
pub(super) const REACH: i64 = 2;
/// So many of the best lead on over their telling words.
pub(super) const SEEDS: usize = 5;
/// Over so many words.
const TELLING: usize = 32;
/// To so many more.
const FRONTIER: usize = 64;

/// Keys of what is looked at in one collection.
#[derive(Debug)]
pub(super) struct Candidates {
    pub(super) collection: Collection,
    pub(super) keys: BTreeSet<DocKey>,
}

impl Candidates {
    /// What the line itself leads to.
    pub(super) fn gather(
        memory: &Memory<'_>,
        asked: &Asked,
        collection: Collection,
        limit: usize,
    ) -> Result<Self, VectorError> {
        let mut candidates = Self {
            collection,
            keys: BTreeSet::new(),
        };
        // A search that accepts nothing would read every list to its end.
        if memory.indexes.passages.count(collection) == 0 {
            return Ok(candidates);
        }
        let accept = |key: &DocKey| Collection::of(key) == collection && (memory.admits)(*key);
        for part in &asked.parts {
            let words = match collection {
                Collection::Notes => &part.words,
                Collection::Said => &part.content,
            };
            let worded = wide(WORDED, limit);
            let hits = memory
                .indexes
                .words
                .search(words, Bm25::default(), worded, accept);
            candidates.keys.extend(hits.into_iter().map(|hit| hit.key));
            candidates.near(memory, part, limit)?;
        }
        if let Some(fingerprint) = asked.fingerprint {
            let same = memory.indexes.passages.worded(fingerprint);
            candidates.keys.extend(same.filter(accept));
        }
        Ok(candidates)
    }

    fn near(&mut self, memory: &Memory<'_>, part: &Part, limit: usize) -> Result<(), VectorError> {
        let Some(vector) = &part.vector else {
            return Ok(());
        };
        let whole = |key: DocKey| key.note().map_or(key, DocKey::Note);
        let accept =
            |key: &DocKey| Collection::of(key) == self.collection && (memory.admits)(whole(*key));
        let near = wide(NEAR, limit);
        let hits = memory.indexes.vectors.search(vector, near, accept)?;
        self.keys.extend(hits.into_iter().map(|hit| whole(hit.key)));
        Ok(())
    }

    /// What stands around the best, and what shares telling words with the very best. `best` are ordered, best first.
    pub(super) fn beyond(&self, memory: &Memory<'_>, best: &[DocKey]) -> BTreeSet<DocKey> {
        let passages = &memory.indexes.passages;
        let mut beyond = BTreeSet::new();
        for key in best.iter().take(AROUND) {
            let Some(turn) = passages.get(key).and_then(|passage| passage.turn) else {
                continue;
            };
            let around = (-REACH..=REACH).filter_map(|distance| passages.beside(turn, distance));
            beyond.extend(around);
        }
        let query = self.telling_words(memory, &best[..best.len().min(SEEDS)]);
        let accept = |key: &DocKey| Collection::of(key) == self.collection && (memory.admits)(*key);
        let hits = memory
            .indexes
            .words
            .search(&query, Bm25::default(), FRONTIER, accept);
        beyond.extend(hits.into_iter().map(|hit| hit.key));
        beyond.retain(|key| (memory.admits)(*key));
        beyond
    }

    /// The rarest words that the seeds share with anything.
    fn telling_words(&self, memory: &Memory<'_>, seeds: &[DocKey]) -> WordQuery {
        let passages = &memory.indexes.passages;
        let held = seeds.iter().filter_map(|key| passages.get(key));
        let terms = held.flat_map(|passage| passage.terms.iter().filter(|count| count.telling));
        let mut terms: Vec<(usize, &str)> = terms
            .map(|count| {
                (
                    passages.frequency(count.term, self.collection),
                    passages.term_text(count.term),
                )
            })
            .filter(|(frequency, _)| *frequency > 1)
            .collect();
        terms.sort_unstable();
        terms.dedup();
        terms.truncate(TELLING);
        WordQuery::new(terms.into_iter().map(|(_, term)| (term.to_owned(), 1.0)))
    }
}

fn wide(usual: usize, limit: usize) -> usize {
    if limit > MANY { limit } else { usual }
}
