//! Comparing what is searched of one note or message with what it should be.

use std::collections::BTreeMap;

use super::Indexes;
use crate::index::DocKey;
use crate::model::MemoryNote;

/// A passage by the texts of its terms, whatever their numbers.
#[derive(PartialEq)]
struct Terms<'t> {
    counts: BTreeMap<&'t str, (u16, bool)>,
    length: u32,
    clauses: usize,
}

impl Indexes {
    /// What of a note or message is otherwise here than in indexes that were made of it alone, cut by the same names.
    pub fn differs(&self, alone: &Self, key: DocKey) -> Option<&'static str> {
        if self.words.terms_of(&key) != alone.words.terms_of(&key) {
            return Some("the word index");
        }
        if self.passage_of(key) != alone.passage_of(key) {
            return Some("the passages");
        }
        let keys = alone.vector_keys(&key);
        let same = |key: &DocKey| self.vectors.get(key) == alone.vectors.get(key);
        if self.vector_keys(&key) != keys || !keys.iter().all(same) {
            return Some("the vector index");
        }
        let id = key.note()?;
        let held = alone.held.get(&id)?;
        let named = |name: &String| self.names.exact(name).contains(&id);
        (!held.names.iter().all(named)).then_some("the names")
    }

    /// Whether the links that start from a note are those that it has.
    pub fn has_links_of(&self, note: &MemoryNote) -> bool {
        let between = self.graph.links_from(note.id);
        let there = |link: &crate::model::MemoryLink| {
            let found = between.iter().find(|found| found.link.id == link.id);
            let same = found.is_none_or(|found| {
                found.to == link.to && found.link.intensity.to_bits() == link.intensity.to_bits()
            });
            same && self.graph.link_place(link.id).is_some()
        };
        between.len() <= note.mem_links.len() && note.mem_links.iter().all(there)
    }

    /// Whether a message is cut as it should be, or waits for that.
    pub fn is_uncut(&self, key: DocKey) -> bool {
        key.message()
            .is_some_and(|id| self.uncut_messages.contains(&id))
    }

    fn passage_of(&self, key: DocKey) -> Option<Terms<'_>> {
        let passage = self.passages.get(&key)?;
        let terms = passage.terms.iter().map(|held| {
            let term = self.passages.term_text(held.term);
            (term, (held.count, held.telling))
        });
        Some(Terms {
            counts: terms.collect(),
            length: passage.length,
            clauses: passage.clauses.len(),
        })
    }
}
