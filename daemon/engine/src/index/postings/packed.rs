//! The packed form of an inverted index: its lists as they are in memory, so that nothing is cut or counted again.

use std::hash::{BuildHasher, Hash, RandomState};

use hashbrown::HashTable;

use super::list::List;
use super::terms::{Terms, slice};
use super::{Doc, Postings};
use crate::pack::Pack;

impl Pack for Terms {
    fn pack(&self, into: &mut Vec<u8>) {
        let Self {
            text,
            ends,
            table: _,
            hasher: _,
        } = self;
        text.pack(into);
        ends.pack(into);
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        let text = String::unpack(from)?;
        let ends = Vec::<usize>::unpack(from)?;
        let in_order = ends.is_sorted() && ends.last().is_none_or(|end| *end == text.len());
        if !in_order || !ends.iter().all(|end| text.is_char_boundary(*end)) {
            return None;
        }
        let hasher = RandomState::new();
        let mut table = HashTable::with_capacity(ends.len());
        let hash_of = |id: &u32| hasher.hash_one(slice(&text, &ends, *id));
        for id in 0..ends.len() as u32 {
            table.insert_unique(hash_of(&id), id, hash_of);
        }
        Some(Self {
            text,
            ends,
            table,
            hasher,
        })
    }
}

impl<K: Pack> Pack for Doc<K> {
    fn pack(&self, into: &mut Vec<u8>) {
        let Self { key, terms } = self;
        key.pack(into);
        terms.pack(into);
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        let key = K::unpack(from)?;
        let terms = Pack::unpack(from)?;
        Some(Self { key, terms })
    }
}

impl<K: Pack + Clone + Eq + Hash> Pack for Postings<K> {
    fn pack(&self, into: &mut Vec<u8>) {
        let Self {
            terms,
            lists,
            docs,
            lengths,
            by_key: _,
            total_length,
        } = self;
        terms.pack(into);
        lists.pack(into);
        docs.pack(into);
        lengths.pack(into);
        total_length.pack(into);
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        let terms = Terms::unpack(from)?;
        let lists = Vec::<List>::unpack(from)?;
        let docs = Vec::<Doc<K>>::unpack(from)?;
        let lengths = Vec::<u32>::unpack(from)?;
        let total_length = u64::unpack(from)?;
        if lists.len() != terms.len() || lengths.len() != docs.len() {
            return None;
        }
        let living = docs
            .iter()
            .zip(0_u32..)
            .filter(|(doc, _)| doc.terms.is_some());
        let by_key = living
            .map(|(doc, number)| (doc.key.clone(), number))
            .collect();
        Some(Self {
            terms,
            lists,
            docs,
            lengths,
            by_key,
            total_length,
        })
    }
}
