//! One name.

use super::roll::NoteNumber;
use crate::pack_fields;

/// Notes in which something must be written like a name to be known as one, where no note declares it.
const WRITTEN: usize = 2;

/// How strict it is with the case of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// A name of one word that is declared with a capital is written with one.
    AsAName,
    /// It may be in lower case.
    Anyhow,
}

/// A name, and who has it.
#[derive(Debug)]
pub(super) struct Name {
    /// Its folded form.
    pub(super) key: Box<str>,
    /// How many notes declare it.
    pub(super) declared: usize,
    /// How many of them without a capital.
    pub(super) lower: usize,
    /// In how many notes it is written like a name.
    pub(super) written: usize,
    /// The notes that are about it.
    pub(super) owners: Holders,
    /// The other notes that mention it.
    pub(super) mentioning: Holders,
    /// What a mention of it binds, 0 to 1.
    pub(super) binding: f64,
}

pack_fields!(Name {
    key,
    declared,
    lower,
    written,
    owners,
    mentioning,
    binding
});

impl Name {
    pub(super) fn new(key: &str) -> Self {
        Self {
            key: key.into(),
            declared: 0,
            lower: 0,
            written: 0,
            owners: Holders::default(),
            mentioning: Holders::default(),
            binding: 1.0,
        }
    }

    /// Takes a note in or out, in one of the two lists: `1 / log2(1 + n)` is what a mention binds of a name that `n` notes
    /// hold.
    pub(super) fn hold(&mut self, change: impl FnOnce(&mut Holders, &mut Holders)) {
        change(&mut self.owners, &mut self.mentioning);
        let held = self.owners.as_slice().len() + self.mentioning.as_slice().len();
        self.binding = (1.0 + held as f64).log2().max(1.0).recip();
    }

    pub(super) fn is_known(&self) -> bool {
        self.declared > 0 || self.written >= WRITTEN
    }

    /// Whether nothing declares it or is written with it.
    pub(super) fn is_nowhere(&self) -> bool {
        self.declared == 0 && self.written == 0
    }

    /// Whether it is meant where it is written so: `Hope` is not meant by `hope`.
    pub(super) fn is_meant(&self, here: &str, written: Written) -> bool {
        let one_word = !self.key.contains(' ');
        let lower = here.starts_with(char::is_lowercase);
        !(self.lower == 0 && one_word && lower && written == Written::AsAName)
    }
}

/// Notes by their numbers, in their order, each once.
#[derive(Debug, Default)]
pub(super) struct Holders {
    notes: Vec<NoteNumber>,
}

pack_fields!(Holders { notes });

impl Holders {
    pub(super) fn as_slice(&self) -> &[NoteNumber] {
        &self.notes
    }

    pub(super) fn insert(&mut self, note: NoteNumber) {
        if let Err(place) = self.notes.binary_search(&note) {
            self.notes.insert(place, note);
        }
    }

    pub(super) fn remove(&mut self, note: NoteNumber) {
        if let Ok(place) = self.notes.binary_search(&note) {
            self.notes.remove(place);
        }
    }
}
