//! What changed since a place in the sequence of writing, read from the journal and the rows.

use std::collections::BTreeSet;

use soulmem_engine::model::{LinkId, MessageId, NoteId};

use super::bodies::Stale;
use super::change::{Change, Heard};
use super::made::Made;
use super::rows::{called, heard};
use super::vectors::{Vectors, WithVector, WithVectors};
use crate::store::{Result as StoreResult, Seq, StoredNote, Uses, View};

/// The journal's word for something that is no more, and of which nothing may be left.
const ERASE: &str = "erase";
/// What can be done to a note without changing what it says: nothing of it is to be embedded again.
const SAYS_THE_SAME: [&str; 3] = ["note.affect", "note.archive", "note.unarchive"];
/// After these the character may be called otherwise.
const CALLS: [&str; 3] = ["profile", "words.put", "words.delete"];

/// What changed, as it is now on the disk.
#[derive(Default)]
pub struct Read {
    notes: Vec<WithVectors>,
    messages: Vec<WithVector>,
    recalled: Vec<(MessageId, Uses)>,
    others: Vec<Change>,
    /// What is not as it was any more.
    pub stale: Stale,
    /// Whether something was erased.
    pub erased: bool,
}

impl Read {
    /// What was written after this place, and up to which.
    pub fn after(view: &View, after: Seq, vectors: &Vectors<'_>) -> StoreResult<(Self, Seq)> {
        let entries = view.changes(after)?;
        let through = entries.last().map_or(after, |entry| entry.seq);
        let (mut notes, mut links, mut messages) =
            (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        let erased = entries.iter().any(|entry| entry.what == ERASE);
        let calls = entries
            .iter()
            .any(|entry| CALLS.contains(&entry.what.as_str()));
        let mut felt = BTreeSet::new();
        for entry in entries {
            let Some(subject) = entry.subject else {
                continue;
            };
            match entry.what.split('.').next() {
                // Nothing that is searched depends on how a text is told.
                Some("note") if entry.what == "note.wording" => {}
                Some("note") if SAYS_THE_SAME.contains(&entry.what.as_str()) => {
                    felt.insert(NoteId(subject));
                }
                Some("note") => drop(notes.insert(NoteId(subject))),
                Some("link") => drop(links.insert(LinkId(subject))),
                Some("message") => drop(messages.insert(MessageId(subject))),
                _ => {}
            }
        }
        let mut read = Self {
            erased,
            ..Self::default()
        };
        for id in felt.difference(&notes) {
            read.stale.add(*id);
            let found = view.note(*id)?;
            read.others
                .extend(found.map(|note| Change::NoteFacts(Box::new(note))));
        }
        if calls {
            read.others.push(Change::Called(called(view)?));
        }
        let mut found = Vec::new();
        for id in notes {
            found.extend(read.note(view, id)?);
        }
        read.notes = vectors.kept_of_notes(view, found);
        for id in links {
            read.link(view, id)?;
        }
        let mut found: Vec<Heard> = Vec::new();
        for id in messages {
            match view.message(id)? {
                Some(message) => {
                    let uses = view.message_use(id)?;
                    read.recalled.extend(uses.map(|uses| (id, uses)));
                    found.push(heard(view, message));
                }
                None => read.others.push(Change::MessageGone(id)),
            }
        }
        read.messages = vectors.kept_of_messages(view, found);
        Ok((read, through))
    }

    fn note(&mut self, view: &View, id: NoteId) -> StoreResult<Option<StoredNote>> {
        self.stale.add(id);
        let found = view.note(id)?;
        if found.is_none() {
            self.others.push(Change::NoteGone(id));
        }
        Ok(found)
    }

    fn link(&mut self, view: &View, id: LinkId) -> StoreResult<()> {
        if let Some(stored) = view.link(id)? {
            self.stale.add(stored.link.from);
            self.others.push(Change::Link(stored.link));
        } else {
            // Which note it started from is not known any more.
            self.stale = Stale::All;
            self.others.push(Change::LinkGone(id));
        }
        Ok(())
    }

    /// Makes the vectors that are missing. Notes come before links, so that a link finds the note that it starts from.
    pub fn into_changes(self, vectors: &Vectors<'_>) -> (Vec<Change>, Made) {
        let mut made = vectors.to_be_kept();
        let mut changes = vectors.note_changes(self.notes, &mut made);
        changes.extend(self.others);
        changes.extend(vectors.message_changes(self.messages, &mut made));
        let recalled = self.recalled.into_iter();
        changes.extend(recalled.map(|(id, uses)| Change::MessageRecalled(id, uses)));
        (changes, made.unwrap_or_default())
    }
}
