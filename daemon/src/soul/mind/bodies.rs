//! The bodies of notes: those that the talk has called up from memory, the others from the disk.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashbrown::HashMap;
use soulmem_engine::graph::activation::{Consolidation, WorkingMemory};
use soulmem_engine::model::{MemoryNote, NoteId};
use soulmem_engine::recall::{Bodies, SourceError};

use crate::store::Store;

/// Working memory over a store.
#[derive(Debug)]
pub struct StoredBodies {
    store: Store,
    working: Mutex<WorkingMemory>,
}

/// Bodies that are not what is on the disk any more.
#[derive(Debug, Clone)]
pub enum Stale {
    /// Those of these notes.
    These(BTreeSet<NoteId>),
    /// Perhaps any.
    All,
}

impl Default for Stale {
    fn default() -> Self {
        Self::These(BTreeSet::new())
    }
}

impl Stale {
    /// One more.
    pub fn add(&mut self, id: NoteId) {
        if let Self::These(ids) = self {
            ids.insert(id);
        }
    }
}

impl StoredBodies {
    /// Nothing called up yet, and room for `capacity` bodies.
    pub fn new(store: Store, capacity: usize) -> Self {
        Self {
            store,
            working: Mutex::new(WorkingMemory::new(capacity)),
        }
    }

    /// Forgets bodies, because their notes changed.
    pub fn forget(&self, stale: &Stale) {
        let mut working = self.working();
        match stale {
            Stale::All => working.clear(),
            Stale::These(ids) => ids.iter().for_each(|id| drop(working.remove(*id))),
        }
    }

    fn working(&self) -> MutexGuard<'_, WorkingMemory> {
        self.working.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Bodies for StoredBodies {
    fn notes(&self, ids: &[NoteId]) -> Result<Vec<Option<Arc<MemoryNote>>>, SourceError> {
        let mut found: HashMap<NoteId, Arc<MemoryNote>> = {
            let mut working = self.working();
            ids.iter()
                .filter_map(|id| Some((*id, working.activate(*id)?)))
                .collect()
        };
        let missing: Vec<NoteId> = ids
            .iter()
            .copied()
            .filter(|id| !found.contains_key(id))
            .collect();
        if !missing.is_empty() {
            let read = self.store.read(|view| view.notes(&missing))?;
            let mut working = self.working();
            for stored in read {
                let note = Arc::new(stored.note);
                working.put(Arc::clone(&note), Consolidation::Done);
                found.insert(note.id, note);
            }
        }
        Ok(ids.iter().map(|id| found.get(id).cloned()).collect())
    }
}
