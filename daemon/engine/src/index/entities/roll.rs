//! Notes by small numbers, so that what is counted of all of them can lie in a row.

use hashbrown::HashMap;
use uuid::Uuid;

use super::Entry;
use crate::model::NoteId;
use crate::pack_fields;

/// A note by its number. Numbers follow from the order of writing: nothing may depend on theirs.
pub type NoteNumber = u32;

/// Notes, each with its entry.
#[derive(Debug, Default)]
pub(super) struct Roll {
    numbers: HashMap<NoteId, NoteNumber>,
    /// By number: which note it is, and its entry. Those of notes that went are nothing.
    ids: Vec<NoteId>,
    entries: Vec<Option<Entry>>,
    /// Numbers of notes that went.
    free: Vec<NoteNumber>,
}

pack_fields!(Roll {
    numbers,
    ids,
    entries,
    free
});

impl Roll {
    /// No note has this number or a higher one.
    pub(super) fn end(&self) -> NoteNumber {
        self.entries.len() as NoteNumber
    }

    pub(super) fn number(&self, id: NoteId) -> Option<NoteNumber> {
        self.numbers.get(&id).copied()
    }

    pub(super) fn id(&self, number: NoteNumber) -> Option<NoteId> {
        self.ids.get(number as usize).copied()
    }

    pub(super) fn at(&self, number: NoteNumber) -> Option<&Entry> {
        self.entries.get(number as usize)?.as_ref()
    }

    pub(super) fn get(&self, id: NoteId) -> Option<&Entry> {
        self.at(self.number(id)?)
    }

    pub(super) fn get_mut(&mut self, id: NoteId) -> Option<&mut Entry> {
        let number = self.number(id)?;
        self.entries.get_mut(number as usize)?.as_mut()
    }

    /// The number that a note gets if it comes next.
    pub(super) fn next(&self) -> NoteNumber {
        self.free.last().copied().unwrap_or(self.end())
    }

    /// Adds a note that is not there.
    pub(super) fn add(&mut self, id: NoteId, entry: Entry) {
        let number = self.next();
        if let Some(free) = self.free.pop() {
            self.ids[free as usize] = id;
            self.entries[free as usize] = Some(entry);
        } else {
            self.ids.push(id);
            self.entries.push(Some(entry));
        }
        self.numbers.insert(id, number);
    }

    pub(super) fn remove(&mut self, id: NoteId) -> Option<(NoteNumber, Entry)> {
        let number = self.numbers.remove(&id)?;
        *self.ids.get_mut(number as usize)? = NoteId(Uuid::nil());
        let entry = self.entries.get_mut(number as usize)?.take()?;
        self.free.push(number);
        Some((number, entry))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (NoteId, &Entry)> {
        let there = self.ids.iter().zip(&self.entries);
        there.filter_map(|(id, entry)| Some((*id, entry.as_ref()?)))
    }
}
