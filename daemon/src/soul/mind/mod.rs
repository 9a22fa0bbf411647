//! What is kept of a character in memory: everything that is searched, and the bodies in use. All of it is derived
//! from the rows on the disk and follows their journal.

mod bodies;
mod change;
mod changed;
mod differences;
mod embedded;
mod facts;
mod fading;
mod follow;
mod kept;
mod likeness;
mod made;
mod resident;
mod rows;
mod trails;
mod vectors;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};

use soulmem_embed::EmbeddingModel;
use soulmem_engine::graph::Scratch;
use soulmem_engine::index::DocKey;
use soulmem_engine::model::{MemoryNote, NoteId};
use soulmem_engine::recall::{
    Bodies, Indexes, Memory, Options, Question, Recalled, SourceError, recall,
};
use soulmem_proto::ops::stats::IndexSizes;

use self::bodies::StoredBodies;
use self::embedded::Embedder;
pub use self::facts::{Admission, Archived, FadedWords, told};
pub use self::fading::Fading;
use self::kept::Kept;
use self::resident::Resident;
use self::trails::Trails;
use super::error::{Result, SoulError};
use super::forgetting::Curves;
use crate::store::Store;

/// The memory of one character as it is recalled from.
pub struct Mind {
    store: Store,
    embedder: Embedder,
    bodies: StoredBodies,
    resident: RwLock<Resident>,
    /// Held while changes are put in, so that they are in the order of writing.
    following: tokio::sync::Mutex<()>,
    /// Counts the writes that were answered, and those of them that are in.
    answered: AtomicU64,
    followed: AtomicU64,
    /// Room for walks, kept from one to the next.
    scratches: Mutex<Vec<Scratch>>,
    trails: Trails,
    kept: Kept,
    /// Whether the rows were not all read at opening, because the indexes were kept.
    unseen: AtomicBool,
    curves: Curves,
}

/// What a recall came to.
pub struct Remembered {
    /// What came to mind.
    pub recalled: Recalled,
    /// The notes that are always shown.
    pub pinned: Vec<Arc<MemoryNote>>,
    /// What the embedding model failed with, if it did.
    pub failure: Option<String>,
}

impl Mind {
    /// Takes the indexes that were kept, and what was written since; or else reads all that is on the disk. Blocks until it
    /// can be recalled from. Of the notes that the talk calls up it keeps `capacity` bodies at hand; they fade by these curves.
    pub fn wake(
        store: Store,
        model: Arc<dyn EmbeddingModel>,
        capacity: usize,
        curves: Curves,
    ) -> Result<Self> {
        let embedder = Embedder::new(model);
        let kept = Kept::new(store.clone(), embedder.model());
        let from_kept = rows::from_kept(&kept, &store, embedder.model(), curves);
        let unseen = AtomicBool::new(from_kept.is_some());
        let resident = match from_kept {
            Some(resident) => resident,
            None => rows::read_all(&store, embedder.model(), curves)?,
        };
        let mind = Self {
            bodies: StoredBodies::new(store.clone(), capacity),
            store,
            embedder,
            resident: RwLock::new(resident),
            following: tokio::sync::Mutex::default(),
            answered: AtomicU64::new(0),
            followed: AtomicU64::new(0),
            scratches: Mutex::default(),
            trails: Trails::default(),
            kept,
            unseen,
            curves,
        };
        mind.cut_again(usize::MAX)?;
        Ok(mind)
    }

    /// The model that makes its vectors.
    pub fn model(&self) -> &dyn EmbeddingModel {
        self.embedder.model()
    }

    /// Recalls. Blocks for as long as that takes.
    pub fn recall(
        &self,
        question: &Question,
        options: &Options,
        admission: &Admission,
    ) -> Result<Remembered> {
        let resident = self.resident()?;
        let embedded = self.embedder.begin(&resident.indexes().vectors);
        let memory = Memory {
            indexes: resident.indexes(),
            bodies: &self.bodies,
            embedded: &embedded,
            retention: &|index| resident.fading().retention(index, admission.now).share(),
            admits: &|key| resident.admits(admission, key),
        };
        let mut scratch = self.scratches().pop().unwrap_or_default();
        let recalled = recall(&memory, question, options, &mut scratch);
        self.scratches().push(scratch);
        let pinned: Vec<NoteId> = resident
            .pinned()
            .filter(|id| resident.admits(admission, DocKey::Note(*id)))
            .collect();
        let pinned = self
            .bodies
            .notes(&pinned)
            .map_err(unreadable)?
            .into_iter()
            .flatten()
            .collect();
        Ok(Remembered {
            recalled: recalled?,
            pinned,
            failure: embedded.into_failure(),
        })
    }

    /// The curves that its memories fade by.
    pub fn curves(&self) -> &Curves {
        &self.curves
    }

    /// Looks at the indexes as they are at one moment. Short, because nothing is put in meanwhile.
    pub fn look<T>(&self, look: impl FnOnce(&Indexes, &Fading) -> T) -> Result<T> {
        let resident = self.resident()?;
        Ok(look(resident.indexes(), resident.fading()))
    }

    /// By which links notes came up.
    pub fn trails(&self) -> &Trails {
        &self.trails
    }

    /// How large the indexes are.
    pub fn sizes(&self) -> Result<IndexSizes> {
        let resident = self.resident()?;
        let indexes = resident.indexes();
        Ok(IndexSizes {
            documents: indexes.words.len() as u64,
            terms: indexes.words.term_count() as u64,
            vectors: indexes.vectors.len() as u64,
        })
    }

    /// Keeps the indexes as they are now, for the next opening. Blocks; writes wait meanwhile.
    pub fn keep(&self) -> Result<()> {
        self.cut_again(usize::MAX)?;
        let resident = self.resident()?;
        Ok(self.kept.save(&resident)?)
    }

    /// Keeps them if so much was written since the last time that they should be.
    pub fn keep_if_due(&self) -> Result<()> {
        if self.keeping_is_due() {
            self.keep()?;
        }
        Ok(())
    }

    /// Whether so much was written since the indexes were kept that they should be again.
    pub fn keeping_is_due(&self) -> bool {
        let through = self.resident().map(|resident| resident.through());
        through.is_ok_and(|through| self.kept.is_due(through))
    }

    /// Notes that the memory was closed in order.
    pub fn closed(&self) {
        self.kept.closed();
    }

    /// Looks at every row, once, if that was not done at opening: damage is noticed by the store, and told.
    pub fn look_through(&self) -> Result<()> {
        if !self.unseen.swap(false, Ordering::Relaxed) {
            return Ok(());
        }
        Ok(self.store.read(|view| {
            view.for_each_note(|_| Ok(()))?;
            view.for_each_message(|_| Ok(()))
        })?)
    }

    /// The indexes. After a panic in the middle of a change they are read anew: half a change is worse than none.
    fn resident(&self) -> Result<RwLockReadGuard<'_, Resident>> {
        if let Ok(resident) = self.resident.read() {
            return Ok(resident);
        }
        let anew = rows::read_all(&self.store, self.embedder.model(), self.curves)?;
        *self
            .resident
            .write()
            .unwrap_or_else(PoisonError::into_inner) = anew;
        self.resident.clear_poison();
        Ok(self.resident.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn scratches(&self) -> std::sync::MutexGuard<'_, Vec<Scratch>> {
        self.scratches
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

fn unreadable(error: SourceError) -> SoulError {
    match error.downcast::<crate::store::StoreError>() {
        Ok(error) => SoulError::Store(*error),
        Err(error) => SoulError::Bug(error.to_string()),
    }
}
