//! Comparing what is searched, in memory and in the file in which it is kept, with the rows that it was made from.

use std::collections::HashSet;

use soulmem_engine::index::DocKey;
use soulmem_engine::model::{MessageId, NoteId};
use uuid::Uuid;

use super::Mind;
use super::change::Change;
use super::changed::Read;
use super::resident::Resident;
use super::rows::{apply_all, heard, in_batches};
use super::vectors::Vectors;
use crate::soul::error::Result;
use crate::soul::forgetting::Curves;
use crate::store::{Result as StoreResult, Store};

/// Looks at the indexes as they are at one moment.
type Look<'l> = &'l dyn Fn(&mut dyn FnMut(&Resident));

impl Mind {
    /// Says where the indexes, and those that are kept in the file, are not what the rows on the disk make. The character goes on
    /// being used meanwhile: what is written during the check counts for nothing.
    pub fn differences(&self) -> Result<Vec<String>> {
        self.cut_again(usize::MAX)?;
        let through = self.resident()?.through();
        let look = |look: &mut dyn FnMut(&Resident)| {
            if let Ok(resident) = self.resident() {
                look(&resident);
            }
        };
        let vectors = Vectors::new(self.embedder.model());
        let mut found = Check::new(&vectors, self.curves, "in memory, ").run(&self.store, &look)?;
        found.extend(self.differences_in_file(&vectors)?);
        // What was written since may be in or not.
        let changed = self.store.read(|view| view.changes(through))?;
        let changed: HashSet<Uuid> = changed.iter().filter_map(|entry| entry.subject).collect();
        found.retain(|difference| !changed.contains(&difference.subject));
        Ok(found
            .into_iter()
            .map(|difference| difference.what)
            .collect())
    }

    fn differences_in_file(&self, vectors: &Vectors<'_>) -> Result<Vec<Difference>> {
        let mut resident = match self.kept.look(self.embedder.model().dimension()) {
            Ok(Some(resident)) => resident,
            Ok(None) => return Ok(Vec::new()),
            Err(reason) => {
                return Ok(vec![Difference {
                    subject: Uuid::nil(),
                    what: format!("memory.index: {reason}"),
                }]);
            }
        };
        let after = resident.through();
        let (read, through) = self.store.read(|view| Read::after(view, after, vectors))?;
        let refused = apply_all(&mut resident, read.into_changes(vectors).0);
        resident.reached(through);
        if refused.is_err() {
            return Ok(Vec::new());
        }
        let uncut = resident.uncut(usize::MAX);
        let messages = self.store.read(|view| view.messages(&uncut))?;
        for message in messages {
            resident.cut_again(&message);
        }
        let look = |look: &mut dyn FnMut(&Resident)| look(&resident);
        Ok(Check::new(vectors, self.curves, "in memory.index, ").run(&self.store, &look)?)
    }
}

/// Something that is not as it should be, and of what.
struct Difference {
    subject: Uuid,
    what: String,
}

/// A comparison, row by row.
struct Check<'c> {
    vectors: &'c Vectors<'c>,
    curves: Curves,
    place: &'static str,
    found: Vec<Difference>,
    rows: HashSet<DocKey>,
}

impl<'c> Check<'c> {
    fn new(vectors: &'c Vectors<'c>, curves: Curves, place: &'static str) -> Self {
        Self {
            vectors,
            curves,
            place,
            found: Vec::new(),
            rows: HashSet::new(),
        }
    }

    fn run(mut self, store: &Store, look: Look<'_>) -> StoreResult<Vec<Difference>> {
        store.read(|view| {
            in_batches(
                |each| view.for_each_note(each),
                |notes| {
                    let kept = self.vectors.kept_of_notes(view, notes);
                    for (stored, _) in &kept {
                        look(&mut |resident| {
                            if !resident.indexes().has_links_of(&stored.note) {
                                self.add(DocKey::Note(stored.note.id), "the links");
                            }
                        });
                    }
                    let keys = kept.iter().map(|(stored, _)| DocKey::Note(stored.note.id));
                    let keys: Vec<DocKey> = keys.collect();
                    let changes = self.vectors.note_changes(kept, &mut None);
                    self.compare(look, &keys, changes);
                },
            )?;
            in_batches(
                |each| view.for_each_message(each),
                |messages| {
                    let heard = messages.into_iter().map(|message| heard(view, message));
                    let kept = self.vectors.kept_of_messages(view, heard.collect());
                    let keys = kept
                        .iter()
                        .map(|(heard, _)| DocKey::Message(heard.message.id));
                    let keys: Vec<DocKey> = keys.collect();
                    let changes = self.vectors.message_changes(kept, &mut None);
                    self.compare(look, &keys, changes);
                },
            )
        })?;
        look(&mut |resident| {
            let all = resident.indexes().words.keys();
            let mut left: Vec<DocKey> = all
                .filter(|key| !self.rows.contains(key))
                .copied()
                .collect();
            left.sort_unstable();
            for key in left {
                self.found.push(Difference {
                    subject: subject(key),
                    what: format!("{}there is {}, which has no row", self.place, told(key)),
                });
            }
        });
        Ok(self.found)
    }

    /// Compares some with what they make alone.
    fn compare(&mut self, look: Look<'_>, keys: &[DocKey], changes: Vec<Change>) {
        let changes = std::cell::Cell::new(Some(changes));
        look(&mut |resident| {
            let mut alone = Resident::beside(resident, self.vectors.dimension(), self.curves);
            // What is refused here is refused at every opening, and told then.
            let _ = apply_all(&mut alone, changes.take().unwrap_or_default());
            alone.settle();
            for key in keys {
                if let Some(what) = resident.differs(&alone, *key) {
                    self.add(*key, what);
                }
            }
        });
        self.rows.extend(keys);
    }

    fn add(&mut self, key: DocKey, what: &str) {
        self.found.push(Difference {
            subject: subject(key),
            what: format!(
                "{}{what} of {} is not that of its row",
                self.place,
                told(key)
            ),
        });
    }
}

fn subject(key: DocKey) -> Uuid {
    match key {
        DocKey::Note(NoteId(id))
        | DocKey::NoteText(NoteId(id), ..)
        | DocKey::Message(MessageId(id)) => id,
    }
}

fn told(key: DocKey) -> String {
    match key {
        DocKey::Note(id) | DocKey::NoteText(id, ..) => format!("note {id}"),
        DocKey::Message(id) => format!("message {id}"),
    }
}
