//! Erasing: what is erased is on no page of any file in the character's folder any more.
//!
//! Rows go with secure deletion, then the log is emptied and the database written anew without its free space.
//! Files that hold older states of the memory (snapshots, what a repair kept) go as a whole. Backups elsewhere are
//! not touched: those that still hold what was erased are listed.

mod rows;
mod soul;
mod traces;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use soulmem_engine::model::{LinkId, MessageId, NoteId};
use uuid::Uuid;

use super::backup::{self, Backup};
use super::error::Result;
use super::files;
use super::progress::{Watcher, tell};
use super::tx::Seq;
use super::{Store, View};

pub use soul::{ErasedSoul, erase_discarded_copies, erase_soul};

/// What to erase.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Erase {
    /// These notes, deleted ones too.
    pub notes: Vec<NoteId>,
    /// These messages, and the notes that rest on nothing else.
    pub messages: Vec<MessageId>,
}

/// What was erased.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Erased {
    /// Messages.
    pub messages: Vec<MessageId>,
    /// Notes: those asked for, and those that rested only on the messages.
    pub notes: Vec<NoteId>,
    /// Links from and to those notes.
    pub links: Vec<LinkId>,
    /// Notes that lost a part of what they rest on, and live on.
    pub changed: Vec<NoteId>,
    /// Notes that live on and hold the words of an erased message all the same.
    pub quoted_by: Vec<NoteId>,
    /// Whether the running summary went, because it covered an erased message: it may be made anew.
    pub summary_dropped: bool,
    /// Kept replies of a language model that went.
    pub llm_replies: u64,
    /// Answers to idempotency keys that went: a repeat of such a request is refused.
    pub answers: u64,
    /// Rows that a repair had set aside and that went.
    pub aside: u64,
    /// Words of the character's own that went, and facts and job reports that held the text.
    pub traces: u64,
    /// Files with older states of the memory that went.
    pub files: Vec<PathBuf>,
    /// The first change that a copy must not have, to be free of what was erased.
    first_seq: Option<Seq>,
    database: Uuid,
}

impl Store {
    /// Erases notes and messages, for good. What is not there is left out, so that this may be repeated.
    ///
    /// Blocks until the database was written anew; reads go on until shortly before the end.
    pub fn erase(&self, what: &Erase, watcher: Watcher<'_>) -> Result<Erased> {
        tell(watcher, "erasing", 0, 3);
        let asked = what.clone();
        let mut erased = self.write(move |tx| tx.erase(&asked)).wait()?;
        erased.files = self.finish_erasing(watcher)?;
        Ok(erased)
    }

    /// What comes after [`Tx::erase`](super::Tx::erase), which it may be repeated for: removes the files that hold older
    /// states, and writes the database anew. Returns the files.
    pub fn finish_erasing(&self, watcher: Watcher<'_>) -> Result<Vec<PathBuf>> {
        tell(watcher, "removing older states", 1, 3);
        let files = self.remove_older_states()?;
        tell(watcher, "writing the database anew", 2, 3);
        self.compact().wait()?;
        self.write(super::Tx::end_erasing).wait()?;
        tell(watcher, "erased", 3, 3);
        Ok(files)
    }

    fn remove_older_states(&self) -> Result<Vec<PathBuf>> {
        let layout = &self.inner.layout;
        let mut removed = Vec::new();
        for place in [layout.snapshots(), layout.damaged()] {
            if place.exists() {
                files::remove_folder(&place)?;
                removed.push(place);
            }
        }
        self.remove_index()?;
        files::sync_folder(&layout.folder)?;
        Ok(removed)
    }
}

impl Erased {
    /// The id of the database that it was erased from.
    pub fn database(&self) -> Uuid {
        self.database
    }

    /// The backups in a folder that still hold what was erased.
    pub fn still_in(&self, backups: &Path) -> Result<Vec<Backup>> {
        let Some(first) = self.first_seq else {
            return Ok(Vec::new());
        };
        let mut found = backup::list(backups)?;
        found.retain(|backup| {
            let souls = &backup.manifest.souls;
            souls
                .iter()
                .any(|soul| soul.database == self.database && soul.last_seq >= first)
        });
        Ok(found)
    }
}

impl View {
    fn database(&self) -> Result<Uuid> {
        Ok(self.profile()?.database)
    }
}
