//! Exact scores, the best first, without reading every list to its end.

use std::cell::RefCell;
use std::hash::Hash;

use super::super::Hit;
use super::bm25::{Bm25, Gains};
use super::list::{List, Posting};
use super::{DEAD, Postings, WordQuery};

/// A term of a query as this index sees it.
struct QueryTerm<'p> {
    list: &'p List,
    /// Its weight in the query times its rarity.
    weight: f64,
    /// No document gets more from this term.
    bound: f64,
}

/// A document on its way through a search.
struct Candidate {
    doc: u32,
    score: f64,
}

thread_local! {
    /// One score for each document, all `NaN` between searches. A thread keeps it, because zeroing it anew would cost
    /// more than most searches.
    static SCORES: RefCell<Vec<f64>> = const { RefCell::new(Vec::new()) };
}

impl<K: Clone + Ord + Hash> Postings<K> {
    /// The `limit` best documents among those whose key `accept`s, best first, of equal scores the smaller key first.
    ///
    /// The score is the sum, over the query's terms in the document, of weight · idf · saturated count; always above 0.
    /// The same documents and query give the same scores to the bit. Terms are read from the rarest to the commonest;
    /// once those that are left cannot lift a document that has none of the rarer ones into the result, they are only
    /// looked up for the documents already found (after `MaxScore`, Turtle and Flood 1995).
    pub fn search(
        &self,
        query: &WordQuery,
        bm25: Bm25,
        limit: usize,
        accept: impl Fn(&K) -> bool,
    ) -> Vec<Hit<K>> {
        let gains = self.gains(bm25);
        let terms = self.query_terms(query, &gains);
        if limit == 0 || terms.is_empty() {
            return Vec::new();
        }
        let (mut found, read) = self.gather(&terms, &gains, limit, accept);
        self.complete(&mut found, &terms[read..], &gains, limit);
        let hit = |it: Candidate| Hit {
            key: self.docs[it.doc as usize].key.clone(),
            score: it.score,
        };
        Hit::best(found.into_iter().map(hit).collect(), limit)
    }

    /// The score of one document, 0 if it holds no term of the query or is not there; the same as [`Self::search`] gives.
    pub fn score(&self, key: &K, query: &WordQuery, bm25: Bm25) -> f64 {
        let Some(doc) = self.by_key.get(key) else {
            return 0.0;
        };
        let gains = self.gains(bm25);
        let mut score = 0.0;
        for term in self.query_terms(query, &gains) {
            if let Some(posting) = term.list.cursor().seek(*doc) {
                score += term.weight * gains.of(posting.count, self.lengths[*doc as usize]);
            }
        }
        score
    }

    fn gains(&self, bm25: Bm25) -> Gains {
        Gains::new(bm25, self.len(), self.total_length)
    }

    /// The query's terms that stand in any document, the rarest first. The order fixes the order of additions, so it
    /// must not depend on anything but the documents.
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

    /// Adds up whole lists, the rarest term first, until what is left cannot bring a new document into the best
    /// `limit`. Answers the documents found and how many terms were read.
    fn gather(
        &self,
        terms: &[QueryTerm<'_>],
        gains: &Gains,
        limit: usize,
        accept: impl Fn(&K) -> bool,
    ) -> (Vec<Candidate>, usize) {
        // Taken, not borrowed: should `accept` panic or search itself, the next search begins with a fresh one.
        let mut scores = SCORES.take();
        if scores.len() < self.docs.len() {
            scores.resize(self.docs.len(), f64::NAN);
        }
        let mut touched = Vec::new();
        let (mut read, mut highest) = (0, 0.0);
        let mut left: f64 = terms.iter().map(|term| term.bound).sum();
        for term in terms {
            // Below the highest score there may be as many as wanted, above it there are not.
            let so_far = || touched.iter().map(|doc: &u32| scores[*doc as usize]);
            if left < highest && left < threshold(so_far(), limit) {
                break;
            }
            let reached = self.add_list(term, gains, &mut scores, &mut touched, &accept);
            highest = f64::max(highest, reached);
            (read, left) = (read + 1, left - term.bound);
        }
        let take = |doc: u32| Candidate {
            doc,
            score: std::mem::replace(&mut scores[doc as usize], f64::NAN),
        };
        let found = touched
            .into_iter()
            .map(take)
            .filter(|candidate| candidate.score > 0.0)
            .collect();
        SCORES.set(scores);
        (found, read)
    }

    /// Adds one list to the scores. Answers the highest score of a document in it.
    fn add_list(
        &self,
        term: &QueryTerm<'_>,
        gains: &Gains,
        scores: &mut [f64],
        touched: &mut Vec<u32>,
        accept: impl Fn(&K) -> bool,
    ) -> f64 {
        let mut highest = 0.0;
        for Posting { doc, count } in term.list.cursor() {
            let length = self.lengths[doc as usize];
            if length == DEAD {
                continue;
            }
            let slot = &mut scores[doc as usize];
            if slot.is_nan() {
                touched.push(doc);
                *slot = if accept(&self.docs[doc as usize].key) {
                    0.0
                } else {
                    f64::NEG_INFINITY
                };
            }
            *slot += term.weight * gains.of(count, length);
            highest = f64::max(highest, *slot);
        }
        highest
    }

    /// Looks the other terms up for the documents found, dropping those that cannot be among the best any more.
    fn complete(
        &self,
        found: &mut Vec<Candidate>,
        terms: &[QueryTerm<'_>],
        gains: &Gains,
        limit: usize,
    ) {
        let mut left: f64 = terms.iter().map(|term| term.bound).sum();
        let drop_hopeless = |found: &mut Vec<Candidate>, left: f64| {
            let threshold = threshold(found.iter().map(|candidate| candidate.score), limit);
            found.retain(|candidate| candidate.score + left >= threshold);
        };
        drop_hopeless(found, left);
        found.sort_unstable_by_key(|candidate| candidate.doc);
        for term in terms {
            let mut cursor = term.list.cursor();
            for candidate in found.iter_mut() {
                if let Some(posting) = cursor.seek(candidate.doc) {
                    let length = self.lengths[candidate.doc as usize];
                    candidate.score += term.weight * gains.of(posting.count, length);
                }
            }
            left -= term.bound;
            drop_hopeless(found, left);
        }
    }
}

/// The score that the `limit`-th best is sure of, less what the rounding of sums of bounds could hide.
fn threshold(scores: impl Iterator<Item = f64>, limit: usize) -> f64 {
    const ROUNDING: f64 = 1e-9;
    let mut best: Vec<f64> = Vec::new();
    let falling = |a: &f64, b: &f64| b.total_cmp(a);
    let mut least = f64::NEG_INFINITY;
    // Kept at twice the limit at most, and cut back when full: few scores get past the least of the best.
    for score in scores.filter(|score| *score > 0.0) {
        if score > least {
            best.push(score);
            if best.len() >= limit.saturating_mul(2) {
                least = *best.select_nth_unstable_by(limit - 1, falling).1;
                best.truncate(limit);
            }
        }
    }
    if best.len() < limit {
        return f64::NEG_INFINITY;
    }
    *best.select_nth_unstable_by(limit - 1, falling).1 * (1.0 - ROUNDING)
}
