//! Comparing what is in memory with the rows that it was made from.

use std::collections::HashSet;

use soulmem_engine::index::DocKey;
use soulmem_engine::model::{MessageId, NoteId};

use super::Mind;
use crate::soul::error::Result;
use crate::store::{Result as StoreResult, Seq, View};

/// What is in the word index, and up to which place in the sequence of writing.
struct Indexed {
    keys: HashSet<DocKey>,
    through: Seq,
}

impl Mind {
    /// Says where the word index is not what the rows on the disk make. The character goes on being used meanwhile:
    /// what is written after the look at the index counts for nothing.
    pub fn differences(&self) -> Result<Vec<String>> {
        let indexed = {
            let resident = self.resident()?;
            Indexed {
                keys: resident.indexes().words.keys().copied().collect(),
                through: resident.through(),
            }
        };
        Ok(self.store.read(|view| indexed.compare(view))?)
    }
}

impl Indexed {
    fn compare(mut self, view: &View) -> StoreResult<Vec<String>> {
        let mut found = Vec::new();
        let through = self.through;
        let mut missing = |key: DocKey, seq: Seq, what: String| {
            if !self.keys.remove(&key) && seq <= through {
                found.push(what);
            }
        };
        view.for_each_note(|stored| {
            let id = stored.note.id;
            missing(
                DocKey::Note(id),
                stored.seq,
                format!("the word index lacks note {id}"),
            );
            Ok(())
        })?;
        view.for_each_message(|message| {
            let id = message.id;
            missing(
                DocKey::Message(id),
                message.seq,
                format!("the word index lacks message {id}"),
            );
            Ok(())
        })?;
        let changed = view.changes(through)?;
        let changed: HashSet<_> = changed.iter().filter_map(|entry| entry.subject).collect();
        let mut left: Vec<String> = self
            .keys
            .into_iter()
            .filter(|key| !subject(*key).is_some_and(|id| changed.contains(&id)))
            .map(|key| format!("the word index has {key:?}, of which there is no row"))
            .collect();
        left.sort();
        found.extend(left);
        Ok(found)
    }
}

fn subject(key: DocKey) -> Option<uuid::Uuid> {
    let note = key.note().map(|NoteId(id)| id);
    note.or_else(|| key.message().map(|MessageId(id)| id))
}
