//! BM25 over the postings: exact scores, the best first, without reading every list to its end.

use std::cell::RefCell;
use std::hash::Hash;

use super::super::Hit;
use super::list::{Cursor, List, Posting};
use super::{Postings, WordQuery};

/// The two constants of BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009, section 3.4).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bm25 {
    /// How soon further occurrences of a term in a document stop counting; under 0 is taken as 0.
    pub k1: f64,
    /// How much of a document's length is held against it; taken into 0 to 1.
    pub b: f64,
}

impl Default for Bm25 {
    /// The constants that did best on conversations: short texts of one thought each.
    fn default() -> Self {
        Self { k1: 0.9, b: 0.4 }
    }
}

impl Bm25 {
    /// How rare a term is that stands in `frequency` of `documents`: `ln(1 + (N − n + ½) / (n + ½))`, never negative.
    pub fn idf(documents: usize, frequency: usize) -> f64 {
        let (all, with) = (documents as f64, frequency as f64);
        ((all - with + 0.5) / (with + 0.5)).ln_1p()
    }

    /// The nearest constants under which a score grows with the count and falls with the length; 0 for NaN.
    fn sound(self) -> Self {
        Self {
            k1: self.k1.max(0.0),
            b: self.b.max(0.0).clamp(0.0, 1.0),
        }
    }

    /// What `count` occurrences are worth in a document whose length is `relative` of the mean: `0 ..= k1 + 1`.
    #[inline]
    fn saturate(self, count: u32, relative: f64) -> f64 {
        let count = f64::from(count);
        count * (self.k1 + 1.0) / (count + self.k1 * (1.0 - self.b + self.b * relative))
    }
}

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
    /// once the common ones that are left cannot lift a document that has none of the rare ones into the result, they
    /// are only looked up for the documents already found (after `MaxScore`, Turtle and Flood 1995).
    pub fn search(
        &self,
        query: &WordQuery,
        bm25: Bm25,
        limit: usize,
        accept: impl Fn(&K) -> bool,
    ) -> Vec<Hit<K>> {
        let bm25 = bm25.sound();
        let terms = self.query_terms(query, bm25);
        if limit == 0 || terms.is_empty() {
            return Vec::new();
        }
        let (mut found, read) = self.gather(&terms, bm25, limit, accept);
        self.complete(&mut found, &terms[read..], bm25, limit);
        let hits = found.into_iter().map(|it| Hit {
            key: self.docs[it.doc as usize].key.clone(),
            score: it.score,
        });
        Hit::best(hits.collect(), limit)
    }

    /// The score of one document, 0 if it holds no term of the query or is not there; the same as [`Self::search`] gives.
    pub fn score(&self, key: &K, query: &WordQuery, bm25: Bm25) -> f64 {
        let Some(doc) = self.by_key.get(key) else {
            return 0.0;
        };
        let relative = self.relative_length(*doc);
        let terms = self.query_terms(query, bm25);
        let gains = terms.iter().filter_map(|term| {
            let posting = term.list.cursor().seek(*doc)?;
            Some(term.weight * bm25.saturate(posting.count, relative))
        });
        gains.fold(0.0, |sum, gain| sum + gain)
    }

    /// The query's terms that stand in any document, the rarest first. The order fixes the order of additions, so it
    /// must not depend on anything but the documents.
    fn query_terms(&self, query: &WordQuery, bm25: Bm25) -> Vec<QueryTerm<'_>> {
        let known = query.terms().filter_map(|(term, weight)| {
            let list = &self.lists[self.terms.get(term)? as usize];
            (list.live > 0).then(|| {
                let weight = weight * Bm25::idf(self.len(), list.live as usize);
                let bound = weight * bm25.saturate(list.max_count, self.relative(list.min_length));
                QueryTerm {
                    list,
                    weight,
                    bound,
                }
            })
        });
        let mut terms: Vec<_> = known.collect();
        // A stable sort: terms of one frequency stay in the order of their texts.
        terms.sort_by_key(|term| term.list.live);
        terms
    }

    fn relative_length(&self, doc: u32) -> f64 {
        self.relative(self.lengths[doc as usize])
    }

    /// A length as a multiple of the mean; 0 if no document has any.
    fn relative(&self, length: u32) -> f64 {
        if self.total_length == 0 {
            0.0
        } else {
            f64::from(length) * self.len() as f64 / self.total_length as f64
        }
    }

    /// Adds up whole lists, the rarest term first, until what is left cannot bring a new document into the best `limit`.
    /// Answers the documents found, by number, and how many terms were read.
    fn gather(
        &self,
        terms: &[QueryTerm<'_>],
        bm25: Bm25,
        limit: usize,
        accept: impl Fn(&K) -> bool,
    ) -> (Vec<Candidate>, usize) {
        // Taken, not borrowed: should `accept` panic or search itself, the next search begins with a fresh one.
        let mut scores = SCORES.take();
        if scores.len() < self.docs.len() {
            scores.resize(self.docs.len(), f64::NAN);
        }
        let mut touched = Vec::new();
        let (mut read, mut reached) = (0, 0.0);
        let mut left: f64 = terms.iter().map(|term| term.bound).sum();
        for term in terms {
            // No document can have more than `reached` so far, so only then is the threshold worth computing.
            let scores_so_far = touched.iter().map(|doc: &u32| scores[*doc as usize]);
            if left < reached && left < threshold(scores_so_far, limit) {
                break;
            }
            self.add_list(term, bm25, &mut scores, &mut touched, &accept);
            (read, reached, left) = (read + 1, reached + term.bound, left - term.bound);
        }
        let found = drain(&mut scores, touched);
        SCORES.set(scores);
        (found, read)
    }

    fn add_list(
        &self,
        term: &QueryTerm<'_>,
        bm25: Bm25,
        scores: &mut [f64],
        touched: &mut Vec<u32>,
        accept: impl Fn(&K) -> bool,
    ) {
        for Posting { doc, count } in term.list.cursor() {
            let slot = &mut scores[doc as usize];
            if slot.is_nan() {
                touched.push(doc);
                let doc = &self.docs[doc as usize];
                *slot = if doc.terms.is_some() && accept(&doc.key) {
                    0.0
                } else {
                    f64::NEG_INFINITY
                };
            }
            *slot += term.weight * bm25.saturate(count, self.relative_length(doc));
        }
    }

    /// Looks the other terms up for the documents found, dropping those that cannot be among the best any more.
    fn complete(
        &self,
        found: &mut Vec<Candidate>,
        terms: &[QueryTerm<'_>],
        bm25: Bm25,
        limit: usize,
    ) {
        let mut left: f64 = terms.iter().map(|term| term.bound).sum();
        found.sort_unstable_by_key(|candidate| candidate.doc);
        for term in terms {
            let threshold = threshold(found.iter().map(|candidate| candidate.score), limit);
            found.retain(|candidate| candidate.score + left >= threshold);
            let mut cursor: Cursor<'_> = term.list.cursor();
            for candidate in found.iter_mut() {
                if let Some(posting) = cursor.seek(candidate.doc) {
                    candidate.score += term.weight
                        * bm25.saturate(posting.count, self.relative_length(candidate.doc));
                }
            }
            left -= term.bound;
        }
    }
}

/// Takes the scores of the touched documents out, leaving the scratch as it was.
fn drain(scores: &mut [f64], touched: Vec<u32>) -> Vec<Candidate> {
    let take = |doc: u32| Candidate {
        doc,
        score: std::mem::replace(&mut scores[doc as usize], f64::NAN),
    };
    touched
        .into_iter()
        .map(take)
        .filter(|candidate| candidate.score > 0.0)
        .collect()
}

/// The score that the `limit`-th best is sure of, less what the rounding of sums of bounds could hide.
fn threshold(scores: impl Iterator<Item = f64>, limit: usize) -> f64 {
    const ROUNDING: f64 = 1e-9;
    let mut scores: Vec<f64> = scores.collect();
    if scores.len() < limit {
        return f64::NEG_INFINITY;
    }
    *scores
        .select_nth_unstable_by(limit - 1, |a, b| b.total_cmp(a))
        .1
        * (1.0 - ROUNDING)
}
