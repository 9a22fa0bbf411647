//! What is kept of a character in memory: indexes over everything, bodies of what was lately in use.
//!
//! It is derived from the store and in step with it. Whoever wrote something brings it up to date before the write is
//! acknowledged, always from the store's present state: two writes of one note that are brought up in the wrong order
//! still leave what the later one wrote.

use std::collections::{BTreeSet, HashMap};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use jiff::Timestamp;
use lru::LruCache;
use soulmem_embed::EmbeddingModel;
use soulmem_engine::graph::activation::{Consolidation, WorkingMemory};
use soulmem_engine::model::{
    Field, MemoryNote, MemoryType, MessageId, NoteId, SituationMemory, TimeSpan,
};
use soulmem_engine::recall::{Bodies, Indexes, SourceError, TextVector, searched_texts};
use soulmem_engine::text::Segmenter;

use super::error::{Result, SoulError};
use crate::store::{Message, Store, StoreError, StoredNote};

/// Vectors of short texts kept in memory: names and roles come back in note after note.
const TEXT_VECTORS: NonZeroUsize = NonZeroUsize::new(16_384).unwrap();

/// A character's memory in memory.
pub struct ResidentMemory {
    model: Arc<dyn EmbeddingModel>,
    searched: RwLock<Searched>,
    /// Held from reading the store's state until it is indexed, so that a later state is never overtaken by an earlier one.
    refreshing: Mutex<()>,
    bodies: Mutex<WorkingMemory>,
    text_vectors: Mutex<LruCache<String, Arc<[f32]>>>,
}

/// The indexes, and what decides without a body whether something may come up.
pub struct Searched {
    /// What is searched.
    pub indexes: Indexes,
    notes: HashMap<NoteId, NoteTimes>,
    messages: HashMap<MessageId, Timestamp>,
    /// Who the character is: shown first in every context.
    pinned: BTreeSet<NoteId>,
}

/// When a note happened and when it held.
#[derive(Debug, Clone, Copy)]
pub struct NoteTimes {
    /// When it was written.
    pub created_at: Timestamp,
    /// Since when it holds.
    pub valid_from: Timestamp,
    /// Until when it held, where it was corrected.
    pub valid_until: Option<Timestamp>,
    /// When it happened, for a specific situation.
    pub span: Option<TimeSpan>,
    /// Whether it faded out of recall.
    pub archived: bool,
}

impl Searched {
    /// The times of a note that is there.
    pub fn note(&self, id: NoteId) -> Option<&NoteTimes> {
        self.notes.get(&id)
    }

    /// The pinned notes, by id.
    pub fn pinned(&self) -> impl Iterator<Item = NoteId> {
        self.pinned.iter().copied()
    }

    /// When a message that is there was said.
    pub fn message(&self, id: MessageId) -> Option<Timestamp> {
        self.messages.get(&id).copied()
    }
}

impl ResidentMemory {
    /// Reads all of a memory. Where some of it is damaged, what could be read is kept: the store is read-only from then
    /// on and says why.
    pub fn open(store: &Store, model: Arc<dyn EmbeddingModel>) -> Result<Self> {
        let searched = Searched {
            indexes: Indexes::new(model.dimension(), Segmenter::new()),
            notes: HashMap::new(),
            messages: HashMap::new(),
            pinned: BTreeSet::new(),
        };
        let memory = Self {
            model,
            searched: RwLock::new(searched),
            refreshing: Mutex::default(),
            bodies: Mutex::default(),
            text_vectors: Mutex::new(LruCache::new(TEXT_VECTORS)),
        };
        memory.read_all(store)?;
        Ok(memory)
    }

    fn read_all(&self, store: &Store) -> Result<()> {
        let mut refused = Ok(());
        let notes = store.read(|view| {
            view.for_each_note(|note| {
                keep_first(&mut refused, self.hold_note(&note));
                Ok(())
            })
        });
        let messages = store.read(|view| {
            view.for_each_message(|message| {
                keep_first(&mut refused, self.hold_message(&message));
                Ok(())
            })
        });
        for outcome in [notes, messages] {
            match outcome {
                Err(error @ StoreError::Corrupt { .. }) => {
                    tracing::error!(%error, "the memory is damaged; what could be read is kept in mind");
                }
                outcome => outcome?,
            }
        }
        refused
    }

    /// The indexes, for as long as nothing is to be written.
    pub fn searched(&self) -> RwLockReadGuard<'_, Searched> {
        self.searched.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn searched_mut(&self) -> RwLockWriteGuard<'_, Searched> {
        self.searched
            .write()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Brings notes up to date with the store: those that are there are indexed as they are now, the others taken out.
    pub fn refresh_notes(&self, store: &Store, ids: &[NoteId]) -> Result<()> {
        let _one_at_a_time = self
            .refreshing
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let notes = store.read(|view| {
            ids.iter()
                .map(|id| view.note(*id))
                .collect::<Result<Vec<_>, _>>()
        })?;
        for (id, note) in ids.iter().zip(notes) {
            match note {
                Some(note) => self.hold_note(&note)?,
                None => self.drop_note(*id),
            }
        }
        Ok(())
    }

    /// Brings messages up to date with the store.
    pub fn refresh_messages(&self, store: &Store, ids: &[MessageId]) -> Result<()> {
        let _one_at_a_time = self
            .refreshing
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let messages = store.read(|view| view.messages(ids))?;
        messages
            .iter()
            .try_for_each(|message| self.hold_message(message))
    }

    /// Lets the bodies of notes be read again: something was counted with them.
    pub fn forget_bodies(&self, ids: &[NoteId]) {
        let mut bodies = self.bodies.lock().unwrap_or_else(PoisonError::into_inner);
        for id in ids {
            bodies.remove(*id);
        }
    }

    fn hold_note(&self, stored: &StoredNote) -> Result<()> {
        let note = &stored.note;
        let vectors = self.vectors_of(note)?;
        let mut searched = self.searched_mut();
        self.forget_bodies(&[note.id]);
        searched
            .indexes
            .put_note(note, vectors)
            .map_err(out_of_step)?;
        searched.notes.insert(note.id, times(stored));
        if note.affect.pinned {
            searched.pinned.insert(note.id);
        } else {
            searched.pinned.remove(&note.id);
        }
        Ok(())
    }

    fn drop_note(&self, id: NoteId) {
        let mut searched = self.searched_mut();
        self.forget_bodies(&[id]);
        searched.indexes.remove_note(id);
        searched.notes.remove(&id);
        searched.pinned.remove(&id);
    }

    fn hold_message(&self, message: &Message) -> Result<()> {
        let vectors = self
            .model
            .embed_passages(&[&message.text])
            .map_err(out_of_step)?;
        let vector = vectors.first().map(Vec::as_slice);
        let mut searched = self.searched_mut();
        searched
            .indexes
            .put_message(message.id, &message.text, vector)
            .map_err(out_of_step)?;
        searched.messages.insert(message.id, message.at);
        Ok(())
    }

    fn vectors_of(&self, note: &MemoryNote) -> Result<Vec<TextVector>> {
        let texts = searched_texts(note);
        let words: Vec<&str> = texts.iter().map(|(_, _, text)| &**text).collect();
        let vectors = self.model.embed_passages(&words).map_err(out_of_step)?;
        let each = texts.iter().zip(vectors);
        Ok(each
            .map(|((field, place, _), vector)| (*field, *place, vector))
            .collect())
    }

    /// The passage-side vector of a short text.
    pub fn text_vector(&self, text: &str) -> Option<Arc<[f32]>> {
        let cache = || {
            self.text_vectors
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        if let Some(known) = cache().get(text) {
            return Some(Arc::clone(known));
        }
        let vector: Arc<[f32]> = self.model.embed_passages(&[text]).ok()?.pop()?.into();
        cache().put(text.to_owned(), Arc::clone(&vector));
        Some(vector)
    }

    /// The query-side vectors of texts, in order.
    pub fn query_vectors(&self, texts: &[&str]) -> Result<Vec<Arc<[f32]>>> {
        let vectors = self.model.embed_queries(texts).map_err(out_of_step)?;
        Ok(vectors.into_iter().map(Into::into).collect())
    }

    /// The score that 99 % of unrelated pairs of texts stay under.
    pub fn floor(&self) -> f64 {
        self.model.floor().into()
    }
}

/// What the store holds was checked when it was written; that it cannot be indexed or embedded is a bug, not bad input.
fn out_of_step(error: impl std::fmt::Display) -> SoulError {
    SoulError::Bug(error.to_string())
}

fn keep_first(first: &mut Result<()>, next: Result<()>) {
    if first.is_ok() {
        *first = next;
    }
}

fn times(stored: &StoredNote) -> NoteTimes {
    let note = &stored.note;
    NoteTimes {
        created_at: note.created_at,
        valid_from: note.valid_from,
        valid_until: note.valid_until,
        span: match &note.mem_type {
            MemoryType::Situation(SituationMemory::SpecificSituation(lived)) => {
                Some(lived.time_span)
            }
            _ => None,
        },
        archived: stored.archived_at.is_some(),
    }
}

/// The bodies of a memory, read from the store where they are not in memory. To be used while [`ResidentMemory::searched`]
/// is held, so that nothing is written between reading a body and keeping it.
pub struct StoredBodies<'a> {
    /// The memory.
    pub memory: &'a ResidentMemory,
    /// Where it is kept.
    pub store: &'a Store,
}

impl Bodies for StoredBodies<'_> {
    fn notes(&self, ids: &[NoteId]) -> Result<Vec<Option<Arc<MemoryNote>>>, SourceError> {
        let mut found: Vec<Option<Arc<MemoryNote>>> = {
            let mut bodies = self
                .memory
                .bodies
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            ids.iter().map(|id| bodies.activate(*id)).collect()
        };
        let missing: Vec<NoteId> = ids
            .iter()
            .zip(&found)
            .filter(|(_, body)| body.is_none())
            .map(|(id, _)| *id)
            .collect();
        if missing.is_empty() {
            return Ok(found);
        }
        let read = self.store.read(|view| view.notes(&missing))?;
        let read: HashMap<NoteId, Arc<MemoryNote>> = read
            .into_iter()
            .map(|stored| (stored.note.id, Arc::new(stored.note)))
            .collect();
        let mut bodies = self
            .memory
            .bodies
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        for (id, body) in ids.iter().zip(&mut found) {
            if let (true, Some(note)) = (body.is_none(), read.get(id)) {
                bodies.put(Arc::clone(note), Consolidation::Done);
                *body = Some(Arc::clone(note));
            }
        }
        Ok(found)
    }
}

/// The vectors that one recall needs: those of its question, made once, and those of the notes it looks at.
pub struct RecallVectors<'a> {
    /// The memory.
    pub memory: &'a ResidentMemory,
    /// Query-side vectors by text.
    pub asked: HashMap<String, Arc<[f32]>>,
}

impl soulmem_engine::recall::similarity::Vectors for RecallVectors<'_> {
    fn query(&self, text: &str) -> Option<Arc<[f32]>> {
        self.asked.get(text).cloned()
    }

    fn passage(&self, _: NoteId, _: Field, text: &str) -> Option<Arc<[f32]>> {
        self.memory.text_vector(text)
    }
}
