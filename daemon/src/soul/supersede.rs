//! Correcting a note by another.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use soulmem_engine::model::{MemoryNote, NoteDraft, NoteId};

use super::character::Soul;
use super::error::{Result, SoulError};
use super::write::WriteOrder;
use crate::store::{NoteWrite, Tx};

/// What takes the place of a note.
#[derive(Debug)]
pub enum Correction {
    /// A note that is there already.
    There(NoteId),
    /// A note that is yet to be made.
    Draft(Box<NoteDraft>),
}

/// The old note and the one in its place.
#[derive(Debug)]
pub struct Corrected {
    /// What was believed before.
    pub old: MemoryNote,
    /// What is believed now.
    pub new: MemoryNote,
}

/// Which notes a correction was about.
#[derive(Debug, Serialize, Deserialize)]
struct Pair {
    old: NoteId,
    new: NoteId,
}

impl Soul {
    /// Puts a note in the place of another, which is kept as what was believed until `at`, or until now.
    pub async fn supersede(
        &self,
        old: NoteId,
        by: Correction,
        at: Option<Timestamp>,
        order: WriteOrder,
    ) -> Result<Corrected> {
        let (new, write) = match by {
            Correction::There(id) => (id, None),
            Correction::Draft(draft) => {
                let write = self.built_note("note", *draft)?;
                (write.note.id, Some(write))
            }
        };
        let correct = move |tx: &Tx| {
            if let Some(write) = &write {
                tx.put_notes(std::slice::from_ref::<NoteWrite>(write))?;
            }
            tx.supersede(old, new, at.unwrap_or_else(|| tx.now()))?;
            Ok(Pair { old, new })
        };
        let outcome = self.write(order, correct).await?;
        let Pair { old, new } = outcome.value;
        if !outcome.duplicate {
            self.tell_changed([old, new]);
        }
        let mut notes = self.get_notes(vec![old, new]).await?.into_iter();
        match (notes.next(), notes.next()) {
            (Some(old), Some(new)) => Ok(Corrected { old, new }),
            _ => Err(SoulError::Bug("two notes were asked for".to_owned())),
        }
    }
}
