//! What was brought to mind, when, and together with what.

use std::collections::BTreeSet;

use jiff::Timestamp;
use rusqlite::Row;
use serde::{Deserialize, Serialize};
use soulmem_engine::forget::decay::wake;
use soulmem_engine::model::{Affect, MemoryNote, MessageId, NoteId};

use super::column::{Id, Micros, kept};
use super::error::{Result, StoreError};
use super::note::{STATE, StoredNote};
use super::seal::Sealed;
use super::tx::{Seq, Tx, View};

pub(super) static RECALL: Sealed = Sealed::new("recall", 1, &["seq", "at", "mode", "notes"]);
pub(super) static MESSAGE_STATE: Sealed = Sealed::new(
    "message_state",
    1,
    &["message", "retrieval_count", "last_accessed_at"],
);

/// A recall to be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recalled {
    /// The notes that came up together.
    pub notes: Vec<NoteId>,
    /// The messages that did.
    pub messages: Vec<MessageId>,
    /// When.
    pub at: Timestamp,
    /// By which way of remembering, such as `retrieve`.
    pub mode: String,
}

/// A recall that was kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recall {
    /// Its place in the sequence of writing.
    pub seq: Seq,
    /// When.
    pub at: Timestamp,
    /// By which way of remembering.
    pub mode: String,
    /// The notes that came up together, by id.
    pub notes: Vec<NoteId>,
}

/// How often a note or a message was recalled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Uses {
    /// How often.
    pub retrieval_count: u64,
    /// When last.
    pub last_accessed_at: Timestamp,
}

impl Tx {
    /// Keeps a recall, and counts it with everything that came up. What is gone meanwhile is left out.
    ///
    /// Times of last use never go back, whatever the clock did.
    pub fn record_recall(&self, recalled: &Recalled) -> Result<Seq> {
        let seq = self.journal("recall", None, None)?;
        let mut together = Vec::new();
        for id in recalled.notes.iter().copied().collect::<BTreeSet<_>>() {
            let Some(note) = self.note_without_links(id)? else {
                continue;
            };
            together.extend(note.seq.to_le_bytes());
            self.count_recall(note, recalled.at)?;
        }
        RECALL.insert(
            &self.connection,
            &[&seq, &Micros(recalled.at), &recalled.mode, &together],
        )?;
        for id in &recalled.messages {
            self.count_message_recall(*id, recalled.at)?;
        }
        Ok(seq)
    }

    fn count_recall(&self, mut note: StoredNote, at: Timestamp) -> Result<()> {
        note.note.retrieval_count += 1;
        note.note.last_accessed_at = note.note.last_accessed_at.max(kept(at));
        activate(&mut note.note, 1.0, at);
        wake(&mut note.note.affect);
        self.write_state(note.seq, &note.note, note.archived_at)
    }

    fn count_message_recall(&self, id: MessageId, at: Timestamp) -> Result<()> {
        let Some(message) = self.message_seq(id)? else {
            return Ok(());
        };
        let (before, last) = match self.message_use(id)? {
            Some(old) => (old.retrieval_count, old.last_accessed_at.max(kept(at))),
            None => (0, at),
        };
        MESSAGE_STATE.put(
            &self.connection,
            &[
                &message,
                &before.cast_signed().saturating_add(1),
                &Micros(last),
            ],
        )
    }

    /// Makes notes a little more active (`amount` of an activation) without counting a recall.
    /// Returns how many were there.
    pub fn touch(&self, ids: &[NoteId], amount: f64, at: Timestamp) -> Result<usize> {
        if !(amount.is_finite() && amount >= 0.0) {
            let reason = format!("is {amount}, must be 0 or more");
            return Err(StoreError::Invalid {
                field: "amount".to_owned(),
                reason,
            });
        }
        let mut touched = 0;
        for id in ids {
            let Some(mut note) = self.note_without_links(*id)? else {
                continue;
            };
            activate(&mut note.note, amount, at);
            self.write_state(note.seq, &note.note, note.archived_at)?;
            touched += 1;
        }
        Ok(touched)
    }

    /// Changes how a note feels and matters. Its revision stays: what it says is the same.
    pub fn set_affect(&self, id: NoteId, affect: &Affect) -> Result<()> {
        let note = self.note_without_links(id)?;
        let mut note =
            note.ok_or_else(|| StoreError::NotFound(format!("there is no note {id}")))?;
        note.note.affect = affect.clone();
        note.note.check().map_err(|error| StoreError::Invalid {
            field: error.field,
            reason: error.reason,
        })?;
        self.journal("note.affect", Some(id.0), None)?;
        self.write_state(note.seq, &note.note, note.archived_at)
    }

    /// Takes notes out of recall, for having faded; they are kept. Returns those for which that is new.
    pub fn archive_notes(&self, ids: &[NoteId]) -> Result<Vec<NoteId>> {
        self.set_archived(ids, "note.archive", Some(self.now()))
    }

    /// The same, for notes that faded at an earlier time.
    pub fn archive_notes_at(&self, ids: &[NoteId], at: Timestamp) -> Result<Vec<NoteId>> {
        self.set_archived(ids, "note.archive", Some(at))
    }

    /// Takes archived notes back into recall. Returns those for which that is new.
    pub fn unarchive_notes(&self, ids: &[NoteId]) -> Result<Vec<NoteId>> {
        self.set_archived(ids, "note.unarchive", None)
    }

    fn set_archived(
        &self,
        ids: &[NoteId],
        what: &str,
        at: Option<Timestamp>,
    ) -> Result<Vec<NoteId>> {
        let mut changed = Vec::new();
        for id in ids {
            let Some(note) = self.note_without_links(*id)? else {
                continue;
            };
            if note.archived_at.is_some() == at.is_some() {
                continue;
            }
            self.journal(what, Some(id.0), None)?;
            self.write_state(note.seq, &note.note, at)?;
            changed.push(*id);
        }
        Ok(changed)
    }

    /// Forgets the recalls up to and with `through`; what they counted stays.
    pub fn prune_recalls(&self, through: Seq) -> Result<usize> {
        Ok(self
            .connection
            .execute("DELETE FROM recall WHERE seq <= ?", [through])?)
    }
}

impl View {
    /// The recalls after a place in the sequence, oldest first, at most `limit`.
    pub fn recalls(&self, after: Seq, limit: usize) -> Result<Vec<Recall>> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let sql = format!("{} WHERE seq > ? ORDER BY seq LIMIT ?", RECALL.select());
        self.all(&sql, (after, limit), |row| {
            RECALL.check(row, 0)?;
            let at = row.get::<_, Micros>(1)?.0;
            let notes = self.ids_at(&row.get::<_, Vec<u8>>(3)?)?;
            Ok(Recall {
                seq: row.get(0)?,
                at,
                mode: row.get(2)?,
                notes,
            })
        })
    }

    /// The ids of the notes at these places, as far as they are still there, in the order of the ids.
    fn ids_at(&self, places: &[u8]) -> Result<Vec<NoteId>> {
        let (places, _) = places.as_chunks::<8>();
        let mut ids = Vec::with_capacity(places.len());
        for place in places {
            let sql = "SELECT id FROM note WHERE seq = ? AND deleted_at IS NULL";
            ids.extend(self.one(sql, [Seq::from_le_bytes(*place)], |row| {
                Ok(NoteId(row.get::<_, Id>(0)?.0))
            })?);
        }
        ids.sort_unstable();
        Ok(ids)
    }

    /// How often those of the notes were recalled that are still there.
    pub fn rehearsals(&self, ids: &[NoteId]) -> Result<Vec<(NoteId, Uses)>> {
        let uses = |id: &NoteId| {
            let note = self.note_without_links(*id)?.map(|found| found.note);
            let uses = note.map(|note| Uses {
                retrieval_count: note.retrieval_count,
                last_accessed_at: note.last_accessed_at,
            });
            Ok(uses.map(|uses| (*id, uses)))
        };
        ids.iter().filter_map(|id| uses(id).transpose()).collect()
    }

    /// Goes through all notes that were ever recalled, in the order of their writing.
    pub fn for_each_note_use(
        &self,
        mut each: impl FnMut(NoteId, Uses) -> Result<()>,
    ) -> Result<()> {
        let sql = format!(
            "SELECT {}, note.id FROM note_state LEFT JOIN note ON note.seq = note_state.note \
             ORDER BY note_state.note",
            STATE.columns()
        );
        self.each(&sql, [], |row| {
            STATE.check(row, 0)?;
            let uses = Uses {
                retrieval_count: row.get::<_, i64>(1)?.cast_unsigned(),
                last_accessed_at: row.get::<_, Micros>(2)?.0,
            };
            if uses.retrieval_count == 0 {
                return Ok(());
            }
            each(NoteId(STATE.owner(row)?), uses)
        })
    }

    /// How often a message was recalled; none if it never was.
    pub fn message_use(&self, id: MessageId) -> Result<Option<Uses>> {
        let sql = format!(
            "{} JOIN message ON message.seq = message_state.message WHERE message.id = ?",
            MESSAGE_STATE.select()
        );
        self.one(&sql, [Id(id.0)], read_use)
    }

    /// Goes through all messages that were ever recalled, in the order of their writing.
    pub fn for_each_message_use(
        &self,
        mut each: impl FnMut(MessageId, Uses) -> Result<()>,
    ) -> Result<()> {
        let sql = format!(
            "SELECT {}, message.id FROM message_state LEFT JOIN message ON message.seq = message_state.message \
             ORDER BY message_state.message",
            MESSAGE_STATE.columns()
        );
        self.each(&sql, [], |row| {
            let uses = read_use(row)?;
            each(MessageId(MESSAGE_STATE.owner(row)?), uses)
        })
    }
}

fn read_use(row: &Row<'_>) -> Result<Uses> {
    MESSAGE_STATE.check(row, 0)?;
    Ok(Uses {
        retrieval_count: row.get::<_, i64>(1)?.cast_unsigned(),
        last_accessed_at: row.get::<_, Micros>(2)?.0,
    })
}

fn activate(note: &mut MemoryNote, amount: f64, at: Timestamp) {
    note.affect.activation_count += amount;
    note.affect.last_active_at = note.affect.last_active_at.max(kept(at));
}
