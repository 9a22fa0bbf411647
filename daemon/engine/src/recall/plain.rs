//! A plain line against notes and messages: words and vectors, on one absolute scale.
//!
//! Both channels say how much of the question a text answers, from 0 to 1: the words by the share of the question's BM25
//! weight that the text earns, the vector by its cosine. Their weighted sum is comparable from one question to the next,
//! so a floor means the same for all, and notes and messages can be ranked together.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::index::{Bm25, DocKey, Hit, VectorError, WordQuery};
use crate::model::{MessageId, NoteId};
use crate::recall::memory::Memory;

/// What the words count. A word that is there is better evidence than a vector that is near.
const WORDS: f64 = 0.6;

/// What the vector counts.
const VECTOR: f64 = 0.4;

/// Candidates taken from each index, at least.
const CANDIDATES: usize = 64;

/// A text with how it fits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlainScore<K> {
    /// The note or message.
    pub id: K,
    /// The sum.
    pub score: f64,
    /// Share of the question's words, weighted by their rarity, that it answers.
    pub words: f64,
    /// Cosine of its nearest text.
    pub vector: f64,
}

/// Scores `text` against every note and message that could be among the best `limit`, best first.
pub struct PlainQuery<'a> {
    memory: &'a Memory<'a>,
    query: WordQuery,
    vector: Option<Arc<[f32]>>,
    bm25: Bm25,
    /// What a text would score that had every word of the question as often as counts.
    full: f64,
}

impl<'a> PlainQuery<'a> {
    /// A question to this memory.
    pub fn new(memory: &'a Memory<'a>, text: &str) -> Self {
        let query = WordQuery::from_text(&memory.indexes.segmenter, text);
        let bm25 = Bm25::default();
        let documents = memory.indexes.words.len();
        let rarity =
            |term: &str| Bm25::idf(documents, memory.indexes.words.document_frequency(term));
        let full = query
            .terms()
            .map(|(term, weight)| weight * rarity(term))
            .sum();
        Self {
            memory,
            query,
            vector: memory.embedded.query(text),
            bm25,
            full,
        }
    }

    /// The best notes.
    pub fn notes(&self, limit: usize) -> Result<Vec<PlainScore<NoteId>>, VectorError> {
        self.best(
            limit,
            |key| key.note().filter(|&id| self.memory.admits_note(id)),
            DocKey::Note,
        )
    }

    /// The best messages.
    pub fn messages(&self, limit: usize) -> Result<Vec<PlainScore<MessageId>>, VectorError> {
        self.best(
            limit,
            |key| key.message().filter(|&id| self.memory.admits_message(id)),
            DocKey::Message,
        )
    }

    fn best<K: Copy + Ord>(
        &self,
        limit: usize,
        id_of: impl Fn(DocKey) -> Option<K>,
        key_of: impl Fn(K) -> DocKey,
    ) -> Result<Vec<PlainScore<K>>, VectorError> {
        let width = limit.saturating_mul(2).max(CANDIDATES);
        let accept = |key: &DocKey| id_of(*key).is_some();
        let near = match &self.vector {
            Some(vector) => self.memory.indexes.vectors.search(vector, width, accept)?,
            None => Vec::new(),
        };
        let worded = self
            .memory
            .indexes
            .words
            .search(&self.query, self.bm25, width, accept);
        let mut found: BTreeMap<K, f64> = BTreeMap::new();
        for Hit { key, score } in near {
            if let Some(id) = id_of(key) {
                let cosine = found.entry(id).or_default();
                *cosine = cosine.max(score.clamp(0.0, 1.0));
            }
        }
        for id in worded.iter().filter_map(|hit| id_of(hit.key)) {
            found.entry(id).or_default();
        }
        let mut scores: Vec<_> = found
            .into_iter()
            .map(|(id, vector)| self.score(id, key_of(id), vector))
            .collect();
        scores.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.id.cmp(&b.id)));
        scores.truncate(limit);
        Ok(scores)
    }

    fn score<K>(&self, id: K, key: DocKey, vector: f64) -> PlainScore<K> {
        let words = if self.full > 0.0 {
            (self
                .memory
                .indexes
                .words
                .score(&key, &self.query, self.bm25)
                / self.full)
                .min(1.0)
        } else {
            0.0
        };
        PlainScore {
            id,
            score: WORDS * words + VECTOR * vector,
            words,
            vector,
        }
    }
}
