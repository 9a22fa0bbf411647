//! Corrections: a new note takes the place of an old one, which is kept as what was believed before.

use jiff::Timestamp;
use soulmem_engine::model::{MemoryNote, NoteId};

use super::error::{Result, StoreError};
use super::seal::Mode;
use super::tx::Tx;

impl Tx {
    /// Marks `old` as held true until `at` and replaced by `new`; both must be there.
    ///
    /// Current recall sees only `new` from then on; [`held_at`] a time before sees `old`.
    /// Returns the revision of `old` now.
    pub fn supersede(&self, old: NoteId, new: NoteId, at: Timestamp) -> Result<u64> {
        if old == new {
            let reason = "a note cannot supersede itself".to_owned();
            return Err(StoreError::Invalid {
                field: "new".to_owned(),
                reason,
            });
        }
        self.note_seq(new)?;
        let found = self
            .note(old)?
            .ok_or_else(|| StoreError::NotFound(format!("there is no note {old}")))?;
        let mut note = found.note;
        if let Some(already) = note.superseded_by {
            if already == new {
                return Ok(note.revision);
            }
            return Err(StoreError::Conflict(format!(
                "the note {old} was superseded by {already} before"
            )));
        }
        // The clock may have been set back since the note was written.
        note.valid_until = Some(at.max(note.valid_from));
        note.superseded_by = Some(new);
        let revision = note.revision + 1;
        let detail = format!(r#"{{"revision":{revision},"by":"{new}"}}"#);
        self.journal("note.supersede", Some(old.0), Some(&detail))?;
        self.write_note(Mode::Update, found.seq, &note, revision, None)?;
        self.restamp_vectors(found.seq, revision)?;
        Ok(revision)
    }
}

/// Whether the note was held true at that time, as it was known then: already written, and not yet corrected.
pub fn held_at(note: &MemoryNote, at: Timestamp) -> bool {
    note.created_at <= at
        && note.valid_from <= at
        && note.valid_until.is_none_or(|until| at < until)
}
