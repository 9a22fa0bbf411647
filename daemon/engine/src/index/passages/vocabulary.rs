//! Terms as numbers, and in how many texts each stands.

use super::super::postings::Terms;
use super::Collection;
use crate::pack::Pack;

/// A term.
pub type TermId = u32;

/// Every term that any text held.
#[derive(Debug, Default)]
pub(super) struct Vocabulary {
    terms: Terms,
    /// For each term, in how many texts of each collection it stands.
    frequencies: Vec<[u32; 2]>,
}

impl Pack for Vocabulary {
    fn pack(&self, into: &mut Vec<u8>) {
        let terms = 0..self.terms.len() as TermId;
        let terms: Vec<String> = terms.map(|term| self.text(term).to_owned()).collect();
        terms.pack(into);
        for collection in Collection::BOTH {
            let frequencies = self.frequencies.iter();
            let of_one: Vec<u32> = frequencies.map(|each| each[collection as usize]).collect();
            of_one.pack(into);
        }
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        let mut vocabulary = Self::default();
        for term in Vec::<String>::unpack(from)? {
            vocabulary.intern(&term);
        }
        for collection in Collection::BOTH {
            let frequencies = Vec::<u32>::unpack(from)?;
            if frequencies.len() != vocabulary.frequencies.len() {
                return None;
            }
            for (each, of_one) in vocabulary.frequencies.iter_mut().zip(frequencies) {
                each[collection as usize] = of_one;
            }
        }
        Some(vocabulary)
    }
}

impl Vocabulary {
    /// The same without terms that no text holds any more, and for each old number the new one.
    pub(super) fn compacted(&self) -> (Self, Vec<TermId>) {
        let mut kept = Self::default();
        let mut numbers = vec![0; self.terms.len()];
        for (term, frequency) in self.frequencies.iter().enumerate() {
            if frequency.iter().any(|count| *count > 0) {
                let number = kept.intern(self.text(term as TermId));
                kept.frequencies[number as usize] = *frequency;
                numbers[term] = number;
            }
        }
        (kept, numbers)
    }

    pub(super) fn get(&self, term: &str) -> Option<TermId> {
        self.terms.get(term)
    }

    pub(super) fn text(&self, term: TermId) -> &str {
        self.terms.term(term)
    }

    pub(super) fn intern(&mut self, term: &str) -> TermId {
        let id = self.terms.intern(term);
        if self.frequencies.len() < self.terms.len() {
            self.frequencies.resize(self.terms.len(), [0; 2]);
        }
        id
    }

    pub(super) fn frequency(&self, term: TermId, collection: Collection) -> usize {
        self.frequencies
            .get(term as usize)
            .map_or(0, |each| each[collection as usize] as usize)
    }

    pub(super) fn raise(&mut self, term: TermId, collection: Collection) {
        if let Some(each) = self.frequencies.get_mut(term as usize) {
            each[collection as usize] += 1;
        }
    }

    pub(super) fn lower(&mut self, term: TermId, collection: Collection) {
        if let Some(each) = self.frequencies.get_mut(term as usize) {
            let count = &mut each[collection as usize];
            *count = count.saturating_sub(1);
        }
    }
}
