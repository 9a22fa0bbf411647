//! The names of one character: who and what its notes are about, and which of them mention whom.
//!
//! A name is known when a note declares it (the content and aliases of something known, those who take part in a
//! situation, its place) or when it is written like a name in two notes. Texts are linked to known names by the longest
//! match. A name belongs to every note that is about it; two that share it stay two notes.
//!
//! Everything follows from the notes alone: the same notes give the same links, whatever was written first, changed or
//! taken out in between. Changes are collected and the links brought up to date by [`Entities::settle`].

mod known;
mod roll;
mod spans;

use std::collections::BTreeSet;

use hashbrown::HashMap;

use crate::model::{MemoryNote, MemoryType, NoteId, SituationMemory};
use crate::pack_fields;
use crate::text::{Segmenter, fold, key};

use self::known::{Name, Written};
pub use self::roll::NoteNumber;
use self::roll::Roll;
use self::spans::written_names;

/// A name by its number.
pub type NameId = u32;

/// With so many new names at once, all of them are looked for in one pass over the texts.
const FEW: usize = 16;

/// Longer contents are sentences and no names.
const MAX_NAME_CHARS: usize = 64;

/// Names a note is linked to by its text, at most; the first ones count.
const MAX_MENTIONS: usize = 64;

/// Names, and the notes that they link.
#[derive(Debug, Default)]
pub struct Entities {
    /// Finds the known names in a text.
    linker: Segmenter,
    numbers: HashMap<String, NameId>,
    names: Vec<Name>,
    notes: Roll,
    /// Names that became known or unknown since the links were brought up to date.
    changed: BTreeSet<NameId>,
    /// Notes whose links are not up to date.
    unlinked: BTreeSet<NoteId>,
}

/// A note and its names.
#[derive(Debug)]
struct Entry {
    text: Box<str>,
    folded: Box<str>,
    about: Vec<NameId>,
    /// Every name that it declares, and whether without a capital.
    declared: Vec<(NameId, bool)>,
    written: Vec<NameId>,
    mentions: Vec<NameId>,
}

pack_fields!(Entities {
    linker,
    numbers,
    names,
    notes,
    changed,
    unlinked
});

pack_fields!(Entry {
    text,
    folded,
    about,
    declared,
    written,
    mentions
});

impl Entities {
    /// Leaves no trace of names that nothing holds any more.
    pub fn compact(&mut self) {
        self.linker = Segmenter::new();
        for name in &mut self.names {
            if name.is_known() {
                self.linker.add_name(&name.key);
            } else if name.is_nowhere() {
                self.numbers.remove(&*name.key);
                name.key = Box::default();
            }
        }
    }

    /// How many names are known.
    pub fn len(&self) -> usize {
        self.names.iter().filter(|name| name.is_known()).count()
    }

    /// Whether no name is known.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The folded form of a name.
    pub fn name(&self, id: NameId) -> &str {
        self.names.get(id as usize).map_or("", |name| &name.key)
    }

    /// The names that a note is about, its own, and the others that its text mentions, in the order of the text.
    pub fn names_of(&self, note: NoteId) -> (&[NameId], &[NameId]) {
        let entry = self.notes.get(note);
        entry.map_or((&[], &[]), |entry| (&entry.about, &entry.mentions))
    }

    /// The number of a note, as [`holding_numbers`](Self::holding_numbers) gives it.
    pub fn number_of(&self, note: NoteId) -> Option<NoteNumber> {
        self.notes.number(note)
    }

    /// The note with a number.
    pub fn numbered(&self, number: NoteNumber) -> Option<NoteId> {
        self.notes.id(number)
    }

    /// The names of the note with a number, as [`names_of`](Self::names_of) gives them.
    pub fn names_at(&self, number: NoteNumber) -> (&[NameId], &[NameId]) {
        let entry = self.notes.at(number);
        entry.map_or((&[], &[]), |entry| (&entry.about, &entry.mentions))
    }

    /// No note and no name has a number from these on.
    pub fn ends(&self) -> (NoteNumber, NameId) {
        (self.notes.end(), self.names.len() as NameId)
    }

    /// The text of a note.
    pub fn text_of(&self, note: NoteId) -> Option<&str> {
        self.notes.get(note).map(|entry| &*entry.text)
    }

    /// How many notes are about a name or mention it.
    pub fn frequency(&self, name: NameId) -> usize {
        let (owners, mentioning) = self.holding_numbers(name);
        owners.len() + mentioning.len()
    }

    /// What a mention of a name binds, 0 to 1: the less the more notes hold the name.
    pub fn binding(&self, name: NameId) -> f64 {
        self.names
            .get(name as usize)
            .map_or(0.0, |name| name.binding)
    }

    /// The notes that are about a name, and those that mention it and are not about it, each in order.
    pub fn holders(&self, name: NameId) -> (Vec<NoteId>, Vec<NoteId>) {
        let (owners, mentioning) = self.holding_numbers(name);
        let ids = |numbers: &[NoteNumber]| {
            let notes = numbers.iter().filter_map(|number| self.numbered(*number));
            let mut notes: Vec<NoteId> = notes.collect();
            notes.sort_unstable();
            notes
        };
        (ids(owners), ids(mentioning))
    }

    /// The same by their numbers, in no order that means anything.
    pub fn holding_numbers(&self, name: NameId) -> (&[NoteNumber], &[NoteNumber]) {
        let name = self.names.get(name as usize);
        name.map_or((&[], &[]), |name| {
            (name.owners.as_slice(), name.mentioning.as_slice())
        })
    }

    /// The known names in a text, each once, in its order. In a line that somebody types, names may be in lower case.
    pub fn names_in(&self, text: &str) -> Vec<NameId> {
        self.linked(text, Written::Anyhow)
    }

    /// Adds a note, or replaces it.
    pub fn put(&mut self, note: &MemoryNote, text: &str) {
        self.remove(note.id);
        let own = self.declared(&own_names(note));
        let mut declared = self.declared(&other_names(note));
        declared.extend(&own);
        let about: Vec<NameId> = own.into_iter().map(|(name, _)| name).collect();
        let written: Vec<NameId> = written_names(text)
            .into_iter()
            .map(|name| self.number(&name))
            .collect();
        for (name, lower) in &declared {
            self.change(*name, |name| {
                name.declared += 1;
                name.lower += usize::from(*lower);
            });
        }
        for name in &written {
            self.change(*name, |name| name.written += 1);
        }
        let number = self.notes.next();
        for name in &about {
            self.names[*name as usize].hold(|owners, _| owners.insert(number));
        }
        let entry = Entry {
            text: text.into(),
            folded: fold(text).into(),
            about,
            declared,
            written,
            mentions: Vec::new(),
        };
        self.notes.add(note.id, entry);
        self.unlinked.insert(note.id);
    }

    /// Takes a note out. Answers whether it was there.
    pub fn remove(&mut self, id: NoteId) -> bool {
        let Some((number, entry)) = self.notes.remove(id) else {
            return false;
        };
        for (name, lower) in &entry.declared {
            self.change(*name, |name| {
                name.declared -= 1;
                name.lower -= usize::from(*lower);
            });
        }
        for name in &entry.written {
            self.change(*name, |name| name.written -= 1);
        }
        for name in &entry.about {
            self.names[*name as usize].hold(|owners, _| owners.remove(number));
        }
        for name in &entry.mentions {
            self.names[*name as usize].hold(|_, mentioning| mentioning.remove(number));
        }
        self.unlinked.remove(&id);
        true
    }

    /// Brings the links up to date: of notes that changed, and of those whose text holds a name that became known or
    /// unknown. Answers which notes were looked at.
    pub fn settle(&mut self) -> Vec<NoteId> {
        let mut stale = std::mem::take(&mut self.unlinked);
        let changed = std::mem::take(&mut self.changed);
        if !changed.is_empty() {
            stale.extend(self.holding(&changed));
        }
        for id in &stale {
            self.link(*id);
        }
        stale.into_iter().collect()
    }

    /// The notes whose texts hold any of these names.
    fn holding(&self, names: &BTreeSet<NameId>) -> Vec<NoteId> {
        let keys: Vec<&str> = names.iter().map(|name| self.name(*name)).collect();
        let mut finder = Segmenter::new();
        if keys.len() > FEW {
            for key in &keys {
                finder.add_name(key);
            }
        }
        let holds = |entry: &Entry| {
            if keys.len() > FEW {
                !finder.names_in(&entry.text).is_empty()
            } else {
                keys.iter().any(|key| entry.folded.contains(key))
            }
        };
        let holding = self.notes.iter().filter(|(_, entry)| holds(entry));
        holding.map(|(id, _)| id).collect()
    }

    fn link(&mut self, id: NoteId) {
        let Some(number) = self.notes.number(id) else {
            return;
        };
        let Some(entry) = self.notes.at(number) else {
            return;
        };
        let mut mentions = self.linked(&entry.text, Written::AsAName);
        mentions.retain(|name| !entry.about.contains(name));
        mentions.truncate(MAX_MENTIONS);
        for name in entry.mentions.clone() {
            self.names[name as usize].hold(|_, mentioning| mentioning.remove(number));
        }
        for name in &mentions {
            self.names[*name as usize].hold(|_, mentioning| mentioning.insert(number));
        }
        if let Some(entry) = self.notes.get_mut(id) {
            entry.mentions = mentions;
        }
    }

    fn linked(&self, text: &str, written: Written) -> Vec<NameId> {
        let mut found = Vec::new();
        for range in self.linker.names_in(text) {
            let here = text.get(range).unwrap_or_default();
            let Some(id) = self.numbers.get(&key(here)) else {
                continue;
            };
            if self.names[*id as usize].is_meant(here, written) && !found.contains(id) {
                found.push(*id);
            }
        }
        found
    }

    fn declared(&mut self, names: &[&str]) -> Vec<(NameId, bool)> {
        let mut numbers = Vec::new();
        for name in names {
            if (1..=MAX_NAME_CHARS).contains(&key(name).chars().count()) {
                let number = self.number(name);
                let lower = name.trim_start().starts_with(char::is_lowercase);
                if !numbers.iter().any(|(known, _)| *known == number) {
                    numbers.push((number, lower));
                }
            }
        }
        numbers
    }

    /// The number of a name, a new one if it had none.
    fn number(&mut self, name: &str) -> NameId {
        let key = key(name);
        if let Some(id) = self.numbers.get(&key) {
            return *id;
        }
        let id = self.names.len() as NameId;
        self.names.push(Name::new(&key));
        self.numbers.insert(key, id);
        id
    }

    /// Changes what is counted of a name, and notes whether it became known or unknown by that.
    fn change(&mut self, id: NameId, change: impl FnOnce(&mut Name)) {
        let name = &mut self.names[id as usize];
        let before = (name.is_known(), name.lower > 0);
        change(name);
        let after = (name.is_known(), name.lower > 0);
        if before == after {
            return;
        }
        if after.0 {
            self.linker.add_name(&name.key);
        } else {
            self.linker.remove_name(&name.key);
        }
        self.changed.insert(id);
    }
}

/// What a note is called: the content and aliases of something known.
fn own_names(note: &MemoryNote) -> Vec<&str> {
    match &note.mem_type {
        MemoryType::Semantic(known) => std::iter::once(&known.content)
            .chain(&known.aliases)
            .map(String::as_str)
            .collect(),
        _ => Vec::new(),
    }
}

/// Names that a note declares beside its own: who took part, and where it was.
fn other_names(note: &MemoryNote) -> Vec<&str> {
    match &note.mem_type {
        MemoryType::Situation(SituationMemory::SpecificSituation(lived)) => {
            let people = lived.context.participants.iter().map(|who| &*who.name);
            let place = lived.context.location.iter().map(|place| &*place.name);
            people.chain(place).collect()
        }
        _ => Vec::new(),
    }
}
