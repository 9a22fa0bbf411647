//! Working memory: the bodies of the notes that the present talk has called up.
//!
//! Ids and links of the whole memory are always at hand in the [`MemoryGraph`](super::MemoryGraph);
//! only bodies come and go. So what is in working memory decides how fast an answer comes, never
//! which one.

use std::collections::BTreeMap;
use std::sync::Arc;

use hashbrown::HashMap;

use crate::model::{MemoryNote, NoteId};

/// How many bodies working memory holds unless told otherwise.
pub const DEFAULT_CAPACITY: usize = 20_000;

/// Whether a note has been consolidated into long-term memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consolidation {
    /// It has; its body may leave.
    Done,
    /// Not yet: its body stays.
    Pending,
}

/// A bounded set of bodies. When there are too many, the one that was activated least recently
/// leaves; pinned notes and those not consolidated yet stay, even past the bound.
///
/// Every answer is an [`Arc`], so that a body that leaves stays good for whoever works with it.
#[derive(Debug)]
pub struct WorkingMemory {
    capacity: usize,
    bodies: HashMap<NoteId, Body>,
    /// The bodies that may leave, by when they were last activated.
    may_leave: BTreeMap<u64, NoteId>,
    activations: u64,
}

#[derive(Debug)]
struct Body {
    note: Arc<MemoryNote>,
    consolidation: Consolidation,
    activated: u64,
}

impl Body {
    fn stays(&self) -> bool {
        self.consolidation == Consolidation::Pending || self.note.affect.pinned
    }
}

impl Default for WorkingMemory {
    fn default() -> Self {
        Self::new(DEFAULT_CAPACITY)
    }
}

impl WorkingMemory {
    /// An empty one that holds up to `capacity` bodies.
    pub fn new(capacity: usize) -> Self {
        Self {
            capacity,
            bodies: HashMap::new(),
            may_leave: BTreeMap::new(),
            activations: 0,
        }
    }

    /// How many bodies there are.
    pub fn len(&self) -> usize {
        self.bodies.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    /// The body of a note, which is activated by it. `None` where it is not in working memory.
    pub fn activate(&mut self, id: NoteId) -> Option<Arc<MemoryNote>> {
        self.activations += 1;
        let body = self.bodies.get_mut(&id)?;
        if !body.stays() {
            self.may_leave.remove(&body.activated);
            self.may_leave.insert(self.activations, id);
        }
        body.activated = self.activations;
        Some(Arc::clone(&body.note))
    }

    /// Puts a body in, new or in the place of an older one, and activates it.
    pub fn put(&mut self, note: Arc<MemoryNote>, consolidation: Consolidation) {
        let id = note.id;
        self.remove(id);
        self.activations += 1;
        let body = Body {
            note,
            consolidation,
            activated: self.activations,
        };
        if !body.stays() {
            self.may_leave.insert(body.activated, id);
        }
        self.bodies.insert(id, body);
        self.make_room();
    }

    /// Notes that a note has been consolidated: unless it is pinned, it may leave from now on.
    pub fn consolidated(&mut self, id: NoteId) {
        let Some(body) = self.bodies.get_mut(&id) else {
            return;
        };
        body.consolidation = Consolidation::Done;
        if !body.stays() {
            self.may_leave.insert(body.activated, id);
        }
        self.make_room();
    }

    /// Takes a body out, because its note has changed or is no more.
    pub fn remove(&mut self, id: NoteId) -> Option<Arc<MemoryNote>> {
        let body = self.bodies.remove(&id)?;
        if !body.stays() {
            self.may_leave.remove(&body.activated);
        }
        Some(body.note)
    }

    /// Takes every body out, because any note may have changed.
    pub fn clear(&mut self) {
        self.bodies.clear();
        self.may_leave.clear();
    }

    fn make_room(&mut self) {
        while self.bodies.len() > self.capacity {
            let Some((_, least_recent)) = self.may_leave.pop_first() else {
                return;
            };
            self.bodies.remove(&least_recent);
        }
    }
}
