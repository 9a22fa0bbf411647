//! Similarity: the notes that a sub-query may mean, found by the indexes and then scored.

use std::collections::BTreeSet;

use super::{RecallError, Run};
use crate::index::{Bm25, DocKey, WordQuery};
use crate::model::NoteId;
use crate::recall::query::SubQuery;
use crate::recall::similarity::{Scorer, WRITTEN_ALIKE};

/// Notes taken from the word index, and from the vector index for each text of a sub-query, as candidates.
const CANDIDATES: usize = 64;

impl Run<'_> {
    /// Scores of all candidates of a sub-query that reach above zero, best first.
    pub(super) fn similar(
        &mut self,
        index: usize,
        query: &SubQuery,
    ) -> Result<Vec<(NoteId, f64)>, RecallError> {
        let candidates: Vec<NoteId> = self.candidates(query)?.into_iter().collect();
        self.load(&candidates)?;
        let scorer = Scorer::new(&self.options.weights, self.memory.embedded, query);
        let mut found = Vec::new();
        for id in candidates {
            let Some(note) = self.bodies.get(&id) else {
                continue;
            };
            let similarity = scorer.score(note);
            if similarity.score > 0.0 {
                found.push((id, similarity.score));
                self.why
                    .entry(id)
                    .or_default()
                    .similar
                    .push((index, similarity));
            }
        }
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        Ok(found)
    }

    /// Notes that share a word with the sub-query, have a text near one of its texts, or a name written like one of its
    /// names. Only these are looked at, however large the memory is.
    fn candidates(&self, query: &SubQuery) -> Result<BTreeSet<NoteId>, RecallError> {
        let texts = query.texts();
        let accept = |key: &DocKey| key.note().is_some_and(|id| self.memory.admits_note(id));
        let words = WordQuery::from_text(&self.memory.indexes.segmenter, &texts.join("\n"));
        let worded = self
            .memory
            .indexes
            .words
            .search(&words, Bm25::default(), CANDIDATES, accept);
        let mut found: BTreeSet<NoteId> = worded
            .into_iter()
            .filter_map(|hit| hit.key.note())
            .collect();
        for vector in texts
            .iter()
            .filter_map(|text| self.memory.embedded.query(text))
        {
            let near = self
                .memory
                .indexes
                .vectors
                .search(&vector, CANDIDATES, accept)?;
            found.extend(near.into_iter().filter_map(|hit| hit.key.note()));
        }
        for name in query.names() {
            let alike = self
                .memory
                .indexes
                .names
                .similar(name, WRITTEN_ALIKE, CANDIDATES);
            found.extend(
                alike
                    .into_iter()
                    .map(|hit| hit.key)
                    .filter(|&id| self.memory.admits_note(id)),
            );
        }
        Ok(found)
    }
}
