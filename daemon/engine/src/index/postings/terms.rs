//! The vocabulary: every term once, as a number.

use std::hash::{BuildHasher, RandomState};

use hashbrown::HashTable;

/// Numbers for terms, in the order of their first use. All texts lie in one string: a quarter of a million short terms
/// as boxes of their own would take more memory than what is indexed by them.
#[derive(Debug, Default)]
pub(in crate::index) struct Terms {
    pub(super) text: String,
    /// Where each term ends in `text`; it begins where the one before ends.
    pub(super) ends: Vec<usize>,
    /// Finds numbers by text. Its order is never looked at, so that the hasher may be random.
    pub(super) table: HashTable<u32>,
    pub(super) hasher: RandomState,
}

impl Terms {
    /// The number of a term, if it has one.
    pub(in crate::index) fn get(&self, term: &str) -> Option<u32> {
        let hash = self.hasher.hash_one(term);
        self.table.find(hash, |id| self.term(*id) == term).copied()
    }

    /// The number of a term, a new one if it had none.
    pub(in crate::index) fn intern(&mut self, term: &str) -> u32 {
        if let Some(id) = self.get(term) {
            return id;
        }
        let id = self.ends.len() as u32;
        self.text.push_str(term);
        self.ends.push(self.text.len());
        let Self {
            text,
            ends,
            table,
            hasher,
        } = self;
        let hash_of = |id: &u32| hasher.hash_one(slice(text, ends, *id));
        table.insert_unique(hasher.hash_one(term), id, hash_of);
        id
    }

    /// How many terms there are.
    pub(in crate::index) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The text of a term.
    pub(in crate::index) fn term(&self, id: u32) -> &str {
        slice(&self.text, &self.ends, id)
    }
}

pub(super) fn slice<'t>(text: &'t str, ends: &[usize], id: u32) -> &'t str {
    let at = id as usize;
    let start = at.checked_sub(1).map_or(0, |before| ends[before]);
    &text[start..ends[at]]
}
