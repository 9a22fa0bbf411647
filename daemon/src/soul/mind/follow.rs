//! Following the journal of the store: what was written is put into the indexes, in the order of writing.

use std::sync::atomic::Ordering;
use std::sync::{PoisonError, RwLockWriteGuard};

use soulmem_engine::model::{MessageId, NoteId};

use super::Mind;
use super::bodies::Stale;
use super::changed::Read;
use super::resident::Resident;
use super::rows::{apply_all, not_indexed, read_all};
use super::vectors::Vectors;
use crate::soul::error::Result;
use crate::soul::pool::Pool;
use crate::store::Result as StoreResult;

/// Messages that are cut again while recalls wait.
const FEW: usize = 64;
/// Messages that are cut again at once when a name comes or goes; the others when the character is at rest, or with the next
/// writes.
const AT_ONCE: usize = 1_024;

impl Mind {
    /// Brings the indexes to where the disk is, after a write was answered. Writes that are answered meanwhile
    /// share the work.
    pub async fn follow(self: &std::sync::Arc<Self>, pool: &Pool) -> Result<()> {
        let written = self.answered.fetch_add(1, Ordering::SeqCst) + 1;
        let _following = self.following.lock().await;
        if self.followed.load(Ordering::SeqCst) >= written {
            return Ok(());
        }
        let answered = self.answered.load(Ordering::SeqCst);
        let mind = std::sync::Arc::clone(self);
        pool.run(move || mind.catch_up()).await?;
        self.followed.store(answered, Ordering::SeqCst);
        Ok(())
    }

    fn catch_up(&self) -> Result<()> {
        let after = self.resident()?.through();
        let vectors = Vectors::new(self.embedder.model());
        let (read, through) = self.store.read(|view| Read::after(view, after, &vectors))?;
        if through == after {
            return Ok(());
        }
        if read.erased {
            return self.begin_anew();
        }
        let stale = read.stale.clone();
        let (changes, made) = read.into_changes(&vectors);
        made.keep(&self.store);
        let refused = {
            let mut resident = self.change();
            let refused = apply_all(&mut resident, changes);
            resident.reached(through);
            // Under the lock, so that nobody who reads meanwhile puts an older body back.
            self.bodies.forget(&stale);
            refused
        };
        refused.map_err(|error| not_indexed(&error))?;
        self.cut_again(AT_ONCE)
    }

    /// Cuts messages into words again that hold a name which came or went, up to so many: few at a time, so that recalls go on
    /// meanwhile. The others are found by what their words were before.
    pub(super) fn cut_again(&self, limit: usize) -> Result<()> {
        let mut left = limit;
        while left > 0 {
            let uncut = self.resident()?.uncut(left.min(FEW));
            if uncut.is_empty() {
                break;
            }
            left -= uncut.len();
            let messages = self.store.read(|view| {
                let found = uncut.iter().map(|id| Ok((*id, view.message(*id)?)));
                found.collect::<StoreResult<Vec<_>>>()
            })?;
            let mut resident = self.change();
            for (id, message) in messages {
                match message {
                    Some(message) => resident.cut_again(&message),
                    None => resident.forget_uncut(id),
                }
            }
        }
        Ok(())
    }

    fn change(&self) -> RwLockWriteGuard<'_, Resident> {
        self.resident
            .write()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes everything again from what is on the disk, so that nothing is left, in whatever corner of the indexes or
    /// at hand, of what was erased.
    fn begin_anew(&self) -> Result<()> {
        let anew = read_all(&self.store, self.embedder.model(), self.curves)?;
        let mut resident = self.change();
        *resident = anew;
        self.kept.forget()?;
        self.bodies.forget(&Stale::All);
        self.embedder.forget();
        self.trails.forget();
        Ok(())
    }

    /// Takes in that notes and messages were recalled: from now on they fade as that makes them. Blocks for a read.
    pub fn rehearse(&self, notes: &[NoteId], messages: &[MessageId]) -> Result<()> {
        let (counted, uses) = self.store.read(|view| {
            let counted = view.rehearsals(notes)?;
            let uses = messages
                .iter()
                .filter_map(|id| Some(view.message_use(*id).transpose()?.map(|uses| (*id, uses))));
            Ok((counted, uses.collect::<StoreResult<Vec<_>>>()?))
        })?;
        let mut resident = self.change();
        for (id, uses) in counted {
            resident.rehearse_note(id, uses);
        }
        for (id, uses) in uses {
            resident.rehearse_message(id, uses);
        }
        self.bodies
            .forget(&Stale::These(notes.iter().copied().collect()));
        Ok(())
    }
}
