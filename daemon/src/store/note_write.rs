//! Creating, replacing and deleting notes.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use soulmem_engine::model::{Affect, MemoryNote, NoteId, Source};

use super::column::{Id, Micros, count, json, kept};
use super::error::{Result, StoreError};
use super::note::{NOTE, STATE, StoredNote};
use super::seal::Mode;
use super::tx::{Seq, Tx};

/// What to do with a note whose id is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnExisting {
    /// Fail with [`StoreError::Conflict`].
    Refuse,
    /// Replace it if it still has this revision, else fail with [`StoreError::Conflict`];
    /// fail too if it is not there.
    ReplaceRevision(u64),
    /// Replace it.
    Replace,
    /// Leave it as it is.
    Keep,
}

/// What a note's `mem_links` mean for the links that it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// Nothing: they stay as they are.
    Keep,
    /// They are all links from the note; others go.
    Set,
}

/// A note to be written.
#[derive(Debug, Clone, PartialEq)]
pub struct NoteWrite {
    /// The note. Its revision is the store's to count: what it says there does not matter.
    pub note: MemoryNote,
    /// What to do if it is there already.
    pub on_existing: OnExisting,
    /// What to do with its links.
    pub links: Links,
}

/// What became of a note that was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Change {
    /// It is new.
    Created,
    /// It took the place of an earlier revision.
    Replaced,
    /// It was there just so, or was to be left as it is.
    Unchanged,
}

/// The answer for a note that was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoteWritten {
    /// Which note.
    pub id: NoteId,
    /// Its revision now.
    pub revision: u64,
    /// What became of it.
    pub change: Change,
}

impl Tx {
    /// Writes notes and their links: all of them, or (with the error of the first that cannot) none.
    ///
    /// Links are written after all notes, so that they may lead from one of them to another.
    /// A replaced note keeps the larger of its old and new counts and last times of use.
    /// Where its text changed, its vectors, words and wordings go: they were made from the old one.
    pub fn put_notes(&self, notes: &[NoteWrite]) -> Result<Vec<NoteWritten>> {
        let mut written = Vec::with_capacity(notes.len());
        for note in notes {
            let in_field = |error: StoreError| within(error, "notes", written.len());
            written.push(self.put_note(note).map_err(in_field)?);
        }
        for (i, note) in notes.iter().enumerate() {
            if note.links == Links::Set && written[i].change != Change::Unchanged {
                self.set_links(&note.note)
                    .map_err(|error| within(error, "notes", i))?;
            }
        }
        Ok(written)
    }

    fn put_note(&self, write: &NoteWrite) -> Result<NoteWritten> {
        let note = &write.note;
        note.check().map_err(|error| StoreError::Invalid {
            field: error.field,
            reason: error.reason,
        })?;
        match (self.note(note.id)?, write.on_existing) {
            (None, OnExisting::ReplaceRevision(_)) => Err(StoreError::Conflict(format!(
                "the note {} is not there, or no longer",
                note.id
            ))),
            (None, _) => self.create_note(note),
            (Some(_), OnExisting::Refuse) => Err(StoreError::Conflict(format!(
                "the note {} exists already",
                note.id
            ))),
            (Some(old), OnExisting::ReplaceRevision(revision)) if revision != old.note.revision => {
                let found = old.note.revision;
                Err(StoreError::Conflict(format!(
                    "the note {} has revision {found}, not {revision}",
                    note.id
                )))
            }
            (Some(old), OnExisting::Keep) => Ok(unchanged(&old)),
            (Some(old), _) => self.replace_note(&old, write),
        }
    }

    fn create_note(&self, note: &MemoryNote) -> Result<NoteWritten> {
        // A deleted note of that id makes way; the revision goes on, so that no one mistakes the new one for it.
        let revision = self.remove_deleted(note.id)? + 1;
        let detail = format!(r#"{{"revision":{revision}}}"#);
        let seq = self.journal("note.create", Some(note.id.0), Some(&detail))?;
        self.write_note(Mode::Insert, seq, note, revision, None)?;
        self.write_state(seq, note, None)?;
        self.write_evidence(seq, note)?;
        self.grow(|tally| tally.notes += 1);
        Ok(NoteWritten {
            id: note.id,
            revision,
            change: Change::Created,
        })
    }

    fn replace_note(&self, old: &StoredNote, write: &NoteWrite) -> Result<NoteWritten> {
        let note = merged(&old.note, &write.note, write.links);
        if note == old.note {
            return Ok(unchanged(old));
        }
        let revision = old.note.revision + 1;
        let detail = format!(r#"{{"revision":{revision}}}"#);
        self.journal("note.replace", Some(note.id.0), Some(&detail))?;
        self.write_note(Mode::Update, old.seq, &note, revision, None)?;
        self.write_state(old.seq, &note, old.archived_at)?;
        self.write_evidence(old.seq, &note)?;
        if note.mem_type == old.note.mem_type && note.tags == old.note.tags {
            self.restamp_vectors(old.seq, revision)?;
        } else {
            self.drop_derived(old.seq)?;
        }
        Ok(NoteWritten {
            id: note.id,
            revision,
            change: Change::Replaced,
        })
    }

    /// Hides notes: they and their links, both ways, are gone from everything but the disk until they are erased.
    /// Returns those that were there.
    pub fn delete_notes(&self, ids: &[NoteId]) -> Result<Vec<NoteId>> {
        let mut deleted = Vec::new();
        for id in ids {
            let Some(old) = self.note(*id)? else { continue };
            self.journal("note.delete", Some(id.0), None)?;
            self.delete_links_of(old.seq, *id)?;
            self.drop_derived(old.seq)?;
            self.write_note(
                Mode::Update,
                old.seq,
                &old.note,
                old.note.revision,
                Some(self.now()),
            )?;
            deleted.push(*id);
        }
        Ok(deleted)
    }

    pub(super) fn write_note(
        &self,
        mode: Mode,
        seq: Seq,
        note: &MemoryNote,
        revision: u64,
        deleted_at: Option<Timestamp>,
    ) -> Result<()> {
        let values: [&dyn rusqlite::ToSql; 14] = [
            &seq,
            &Id(note.id.0),
            &note.kind().as_str(),
            &count("revision", revision)?,
            &Micros(note.created_at),
            &Micros(self.now()),
            &Micros(note.valid_from),
            &note.valid_until.map(Micros),
            &note.superseded_by.map(|id| Id(id.0)),
            &deleted_at.map(Micros),
            &json("mem_type", &note.mem_type)?,
            &json("tags", &note.tags)?,
            &json("source", &note.source)?,
            &json("anchors", &note.anchors)?,
        ];
        match mode {
            Mode::Insert => NOTE.insert(&self.connection, &values),
            Mode::Update => NOTE.update(&self.connection, &values).map(|_| ()),
        }
    }

    pub(super) fn write_state(
        &self,
        seq: Seq,
        note: &MemoryNote,
        archived_at: Option<Timestamp>,
    ) -> Result<()> {
        let affect = &note.affect;
        let kept = affect_without_counts(note);
        STATE.put(
            &self.connection,
            &[
                &seq,
                &count("retrieval_count", note.retrieval_count)?,
                &Micros(note.last_accessed_at),
                &affect.activation_count,
                &Micros(affect.last_active_at),
                &json("affect", &kept)?,
                &archived_at.map(Micros),
            ],
        )
    }

    fn write_evidence(&self, seq: Seq, note: &MemoryNote) -> Result<()> {
        self.connection
            .prepare_cached("DELETE FROM note_evidence WHERE note = ?")?
            .execute([seq])?;
        let messages: BTreeSet<_> = note
            .source
            .iter()
            .filter_map(|source| match source {
                Source::Message { id } => Some(id.0),
                _ => None,
            })
            .collect();
        let sql = "INSERT INTO note_evidence (message, note) VALUES (?, ?)";
        let mut statement = self.connection.prepare_cached(sql)?;
        for message in messages {
            statement.execute((Id(message), seq))?;
        }
        Ok(())
    }

    /// Removes what is left of a deleted note, and says which revision it had; 0 if there is none.
    fn remove_deleted(&self, id: NoteId) -> Result<u64> {
        let sql = "SELECT seq, revision FROM note WHERE id = ? AND deleted_at IS NOT NULL";
        let found = self.one(sql, [Id(id.0)], |row| {
            Ok((row.get::<_, Seq>(0)?, row.get::<_, i64>(1)?))
        })?;
        let Some((seq, revision)) = found else {
            return Ok(0);
        };
        self.connection
            .prepare_cached("DELETE FROM note WHERE seq = ?")?
            .execute([seq])?;
        self.grow(|tally| tally.notes -= 1);
        Ok(revision.cast_unsigned())
    }
}

/// The affect as it is kept in one column: its counts have columns of their own.
pub(super) fn affect_without_counts(note: &MemoryNote) -> Affect {
    Affect {
        activation_count: 0.0,
        last_active_at: Timestamp::UNIX_EPOCH,
        ..note.affect.clone()
    }
}

/// The new note as it is kept over the old one.
fn merged(old: &MemoryNote, new: &MemoryNote, links: Links) -> MemoryNote {
    let mut note = new.clone();
    note.revision = old.revision;
    note.created_at = kept(note.created_at);
    note.valid_from = kept(note.valid_from);
    note.valid_until = note.valid_until.map(kept);
    note.retrieval_count = note.retrieval_count.max(old.retrieval_count);
    note.last_accessed_at = kept(note.last_accessed_at).max(old.last_accessed_at);
    note.affect.activation_count = note
        .affect
        .activation_count
        .max(old.affect.activation_count);
    note.affect.last_active_at = kept(note.affect.last_active_at).max(old.affect.last_active_at);
    if links == Links::Keep {
        note.mem_links.clone_from(&old.mem_links);
    }
    note
}

fn unchanged(old: &StoredNote) -> NoteWritten {
    NoteWritten {
        id: old.note.id,
        revision: old.note.revision,
        change: Change::Unchanged,
    }
}

/// The same error, about an entry of a list.
pub(super) fn within(error: StoreError, list: &str, index: usize) -> StoreError {
    match error {
        StoreError::Invalid { field, reason } => StoreError::Invalid {
            field: format!("{list}[{index}].{field}"),
            reason,
        },
        other => other,
    }
}
