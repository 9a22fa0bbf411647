//! Exact scores, the best first, without reading every list to its end.

use std::hash::Hash;

use super::super::Hit;
use super::bm25::{Bm25, Gains};
use super::list::{List, Reader};
use super::window::{WINDOW, Window};
use super::{DEAD, Postings, WordQuery};

/// The first window is this long and each after it twice the one before, up to the longest: in the first ones nothing
/// can be skipped yet.
const FIRST_WINDOW: u32 = 128;

/// A term of a query as this index sees it.
struct QueryTerm<'p> {
    list: &'p List,
    /// Its weight in the query times its rarity.
    weight: f64,
    /// No document gets more from this term.
    bound: f64,
}

/// A document with its score.
#[derive(Clone, Copy)]
struct Scored {
    doc: u32,
    score: f64,
}

impl<K: Clone + Ord + Hash> Postings<K> {
    /// The `limit` best documents among those whose key `accept`s, best first, of equal scores the smaller key first.
    ///
    /// The score is the sum, over the query's terms in the document, of weight · idf · saturated count; always above 0.
    /// The same documents and query give the same scores to the bit.
    ///
    /// Documents are scored window by window. The commonest terms, as many as cannot together lift a document into the
    /// best so far, are only looked up for documents that have one of the others (`MaxScore`, Turtle and Flood 1995).
    pub fn search(
        &self,
        query: &WordQuery,
        bm25: Bm25,
        limit: usize,
        accept: impl Fn(&K) -> bool,
    ) -> Vec<Hit<K>> {
        let gains = self.gains(bm25);
        let terms = self.query_terms(query, &gains);
        let mut search = Search {
            postings: self,
            gains: &gains,
            left: bounds_from(&terms),
            readers: terms.iter().map(|term| term.list.reader()).collect(),
            terms: &terms,
            best: Best {
                postings: self,
                limit,
                scored: Vec::new(),
                threshold: f64::NEG_INFINITY,
            },
        };
        if limit > 0 && !terms.is_empty() {
            search.run(accept);
        }
        search.best.into_hits()
    }

    /// The score of one document, 0 if it holds no term of the query or is not there; the same as [`Self::search`] gives.
    pub fn score(&self, key: &K, query: &WordQuery, bm25: Bm25) -> f64 {
        let Some(doc) = self.by_key.get(key) else {
            return 0.0;
        };
        let gains = self.gains(bm25);
        let mut score = 0.0;
        for term in self.query_terms(query, &gains) {
            if let Some(count) = term.list.reader().count_in(*doc) {
                score += term.weight * gains.of(count, self.lengths[*doc as usize]);
            }
        }
        score
    }

    fn gains(&self, bm25: Bm25) -> Gains {
        Gains::new(bm25, self.len(), self.total_length)
    }

    /// The query's terms that stand in any document, the rarest first. The order fixes the order of additions, so it must
    /// not depend on anything but the documents.
    fn query_terms(&self, query: &WordQuery, gains: &Gains) -> Vec<QueryTerm<'_>> {
        let known = query.terms().filter_map(|(term, weight)| {
            let list = &self.lists[self.terms.get(term)? as usize];
            let weight = weight * Bm25::idf(self.len(), list.live as usize);
            let bound = weight * gains.of(list.max_count, list.min_length);
            (list.live > 0).then_some(QueryTerm {
                list,
                weight,
                bound,
            })
        });
        let mut terms: Vec<_> = known.collect();
        // A stable sort: terms of one frequency stay in the order of their texts.
        terms.sort_by_key(|term| term.list.live);
        terms
    }
}

/// The most that the terms from each one on can give together; for the end, nothing.
fn bounds_from(terms: &[QueryTerm<'_>]) -> Vec<f64> {
    let mut left = vec![0.0; terms.len() + 1];
    for (at, term) in terms.iter().enumerate().rev() {
        left[at] = left[at + 1] + term.bound;
    }
    left
}

/// A search under way.
struct Search<'s, K> {
    postings: &'s Postings<K>,
    gains: &'s Gains,
    terms: &'s [QueryTerm<'s>],
    readers: Vec<Reader<'s>>,
    left: Vec<f64>,
    best: Best<'s, K>,
}

impl<K: Clone + Ord + Hash> Search<'_, K> {
    fn run(&mut self, accept: impl Fn(&K) -> bool) {
        let mut window = Window::new();
        let (mut start, mut size) = (0, FIRST_WINDOW);
        let documents = self.postings.lengths.len() as u32;
        while start < documents {
            let end = documents.min(start + size);
            // Terms from this one on cannot make a document one of the best by themselves.
            let read = self
                .left
                .iter()
                .position(|left| *left < self.best.threshold)
                .unwrap_or(self.terms.len());
            for (reader, term) in self.readers.iter_mut().zip(self.terms).take(read) {
                while let Some(posting) = reader.next_before(end) {
                    let length = self.postings.lengths[posting.doc as usize];
                    window.add(
                        (posting.doc - start) as usize,
                        term.weight * self.gains.of(posting.count, length),
                    );
                }
            }
            window.drain(|at, score| {
                let doc = start + at as u32;
                self.finish(Scored { doc, score }, read, &accept);
            });
            (start, size) = (end, WINDOW.min(size * 2));
        }
    }

    /// Looks up the terms that were not read for a document that has one of the others, as long as it has a chance.
    fn finish(&mut self, mut scored: Scored, read: usize, accept: impl Fn(&K) -> bool) {
        let length = self.postings.lengths[scored.doc as usize];
        let has_chance =
            |search: &Self, score: f64, at: usize| score + search.left[at] >= search.best.threshold;
        if length == DEAD
            || !has_chance(self, scored.score, read)
            || !accept(self.postings.key(scored.doc))
        {
            return;
        }
        for at in read..self.terms.len() {
            if !has_chance(self, scored.score, at) {
                return;
            }
            if let Some(count) = self.readers[at].count_in(scored.doc) {
                scored.score += self.terms[at].weight * self.gains.of(count, length);
            }
        }
        self.best.offer(scored);
    }
}

/// The best documents so far.
struct Best<'s, K> {
    postings: &'s Postings<K>,
    limit: usize,
    /// Twice as many as wanted at most, so that they need ordering only now and then.
    scored: Vec<Scored>,
    /// What a document must reach, less what the rounding of sums of bounds could hide.
    threshold: f64,
}

impl<K: Clone + Ord + Hash> Best<'_, K> {
    const ROUNDING: f64 = 1e-9;

    fn offer(&mut self, scored: Scored) {
        self.scored.push(scored);
        if self.scored.len() >= self.limit.saturating_mul(2) {
            self.scored = self.best();
            let least = self
                .scored
                .iter()
                .map(|it| it.score)
                .fold(f64::INFINITY, f64::min);
            self.threshold = least * (1.0 - Self::ROUNDING);
        }
    }

    /// The best `limit`, in no order.
    fn best(&self) -> Vec<Scored> {
        let hits = self.scored.iter().map(|it| Hit {
            key: (self.postings.key(it.doc), it.doc),
            score: it.score,
        });
        Hit::best(hits.collect(), self.limit)
            .into_iter()
            .map(|hit| Scored {
                doc: hit.key.1,
                score: hit.score,
            })
            .collect()
    }

    fn into_hits(self) -> Vec<Hit<K>> {
        let hits = self.scored.iter().map(|it| Hit {
            key: self.postings.key(it.doc).clone(),
            score: it.score,
        });
        Hit::best(hits.collect(), self.limit)
    }
}
