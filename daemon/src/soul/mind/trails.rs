//! By which links notes came up: what feedback on them is about.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};

use lru::LruCache;
use soulmem_engine::model::{LinkId, NoteId};
use soulmem_engine::recall::RecalledNote;

/// Notes whose links are kept; those that came up longest ago leave.
const KEPT: NonZeroUsize = NonZeroUsize::new(4_096).unwrap();

/// The links that led to each note in the last recall that came up with it.
#[derive(Debug)]
pub struct Trails(Mutex<LruCache<NoteId, Vec<LinkId>>>);

impl Default for Trails {
    fn default() -> Self {
        Self(Mutex::new(LruCache::new(KEPT)))
    }
}

impl Trails {
    /// Keeps those of what came up.
    pub fn keep(&self, hits: &[RecalledNote]) {
        let mut kept = self.kept();
        for hit in hits {
            kept.put(hit.note.id, hit.why.links());
        }
    }

    /// Those of notes; none for one that did not come up lately.
    pub fn of(&self, notes: impl IntoIterator<Item = NoteId>) -> BTreeMap<NoteId, Vec<LinkId>> {
        let kept = self.kept();
        let trail = |note| (note, kept.peek(&note).cloned().unwrap_or_default());
        notes.into_iter().map(trail).collect()
    }

    /// Forgets all of them.
    pub fn forget(&self) {
        self.kept().clear();
    }

    fn kept(&self) -> MutexGuard<'_, LruCache<NoteId, Vec<LinkId>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
