//! Terms as numbers, and in how many texts each stands.

use super::super::postings::Terms;
use crate::pack::Pack;

/// A term.
pub type TermId = u32;

/// Every term that any text held.
#[derive(Debug, Default)]
pub(super) struct Vocabulary {
    terms: Terms,
    frequencies: Vec<u32>,
}

impl Pack for Vocabulary {
    fn pack(&self, into: &mut Vec<u8>) {
        let terms = 0..self.terms.len() as TermId;
        let terms: Vec<String> = terms.map(|term| self.text(term).to_owned()).collect();
        terms.pack(into);
        self.frequencies.pack(into);
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        let mut vocabulary = Self::default();
        for term in Vec::<String>::unpack(from)? {
            vocabulary.intern(&term);
        }
        let frequencies = Vec::<u32>::unpack(from)?;
        let whole = frequencies.len() == vocabulary.terms.len();
        vocabulary.frequencies = frequencies;
        whole.then_some(vocabulary)
    }
}

impl Vocabulary {
    /// The same without terms that no text holds any more, and for each old number the new one.
    pub(super) fn compacted(&self) -> (Self, Vec<TermId>) {
        let mut kept = Self::default();
        let mut numbers = vec![0; self.terms.len()];
        for (term, frequency) in self.frequencies.iter().enumerate() {
            if *frequency > 0 {
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
            self.frequencies.resize(self.terms.len(), 0);
        }
        id
    }

    pub(super) fn frequency(&self, term: TermId) -> usize {
        self.frequencies
            .get(term as usize)
            .map_or(0, |count| *count as usize)
    }

    pub(super) fn raise(&mut self, term: TermId) {
        if let Some(count) = self.frequencies.get_mut(term as usize) {
            *count += 1;
        }
    }

    pub(super) fn lower(&mut self, term: TermId) {
        if let Some(count) = self.frequencies.get_mut(term as usize) {
            *count = count.saturating_sub(1);
        }
    }
}
