//! Taking back what was forgotten, and looking at both sides of it.

use std::sync::Arc;

use jiff::Timestamp;
use soulmem_engine::forget::{MemoryTrace, Retention};
use soulmem_engine::model::{MemoryNote, NoteId};
use soulmem_proto::ops::note_get::{RememberedNote, Telling};

use super::telling::tell;
use crate::soul::character::Soul;
use crate::soul::error::Result;
use crate::soul::write::WriteOrder;
use crate::store::{Recalled, StoreError, StoredNote, Tx, View, Wording};

/// The way of remembering, as records name it.
const MODE: &str = "restore";

impl Soul {
    /// Takes notes back: into recall, in the words that they were written in, and rehearsed at `now`, or at the clock where that is earlier. All of them must be
    /// there. What fades from its creation on goes on fading from there; pinning holds it.
    pub async fn restore(
        &self,
        ids: Vec<NoteId>,
        now: Option<Timestamp>,
        order: WriteOrder,
    ) -> Result<Vec<NoteId>> {
        let clock = self.world().outside.clock.now();
        // What was rehearsed in the future would never fade.
        let at = now.map_or(clock, |now| now.min(clock));
        let wanted = ids.clone();
        let taken_back = self
            .write(order, move |tx| take_back(tx, &wanted, at))
            .await?;
        if !taken_back.duplicate {
            let (mind, changed) = (Arc::clone(self.mind()), ids.clone());
            self.world()
                .pool
                .run(move || mind.rehearse(&changed, &[]))
                .await?;
            self.tell_changed(ids);
        }
        Ok(taken_back.value)
    }

    /// The notes as the character remembers them, in the same order.
    pub async fn remembered(&self, notes: Vec<MemoryNote>) -> Result<Vec<RememberedNote>> {
        let now = self.world().outside.clock.now();
        let mind = Arc::clone(self.mind());
        let traces: Vec<Option<MemoryTrace>> = mind.look(|indexes, fading| {
            let trace = |note: &MemoryNote| {
                let index = indexes.graph.index_of(note.id)?;
                fading.trace(index).copied()
            };
            notes.iter().map(trace).collect()
        })?;
        let profile = mind.curves().notes;
        self.read(move |view| {
            let both = notes.into_iter().zip(traces);
            both.map(|(note, trace)| {
                let left = trace.map_or(Retention::FULL, |trace| profile.retention(&trace, now));
                let half_life = trace.map(|trace| profile.half_life_hours(&trace));
                let told = tell(view, &profile, &Arc::new(note), left)?;
                let versions = view.wordings_of(told.note.id)?;
                Ok(RememberedNote {
                    id: told.note.id.0,
                    text: told.note.summary_text(),
                    masked: told.masked,
                    degree: told.degree,
                    half_life_hours: half_life.filter(|hours| hours.is_finite()),
                    fades_since: trace.map(|trace| profile.fades_since(&trace)),
                    reimagined: versions.into_iter().filter_map(telling).collect(),
                    archived_at: archived_at(view, told.note.id)?,
                })
            })
            .collect()
        })
        .await
    }
}

fn take_back(tx: &Tx, ids: &[NoteId], at: Timestamp) -> crate::store::Result<Vec<NoteId>> {
    for id in ids {
        if tx.note(*id)?.is_none() {
            return Err(StoreError::NotFound(format!("there is no note {id}")));
        }
        tx.drop_tellings(*id)?;
    }
    tx.unarchive_notes(ids)?;
    tx.record_recall(&Recalled {
        notes: ids.to_vec(),
        messages: Vec::new(),
        at,
        mode: MODE.to_owned(),
    })?;
    Ok(ids.to_vec())
}

fn archived_at(view: &View, id: NoteId) -> crate::store::Result<Option<Timestamp>> {
    let found: Option<StoredNote> = view.note(id)?;
    Ok(found.and_then(|stored| stored.archived_at))
}

fn telling(kept: Wording) -> Option<Telling> {
    let field = kept.field.as_str().to_owned();
    kept.reimagined.map(|version| Telling {
        field,
        text: version.text,
        degree: version.degree,
    })
}
