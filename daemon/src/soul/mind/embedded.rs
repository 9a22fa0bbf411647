//! Vectors of texts, each made once.

use std::cell::RefCell;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};

use hashbrown::HashMap;
use lru::LruCache;
use soulmem_embed::{EmbedError, EmbeddingModel};
use soulmem_engine::index::{DocKey, VectorIndex};
use soulmem_engine::model::{Field, NoteId};
use soulmem_engine::recall::similarity::{Vector, Vectors};
use xxhash_rust::xxh3::xxh3_128;

/// Vectors of texts of notes that are kept at hand, at 4 bytes a dimension.
const KEPT: NonZeroUsize = NonZeroUsize::new(4_096).unwrap();

/// A model, with the vectors of the texts that it saw last. Of one character: nothing crosses between two.
pub struct Embedder {
    model: Arc<dyn EmbeddingModel>,
    passages: Mutex<LruCache<u128, Arc<[f32]>>>,
}

/// The vectors that are searched, which are at hand already.
pub type Searched = VectorIndex<DocKey>;

/// The vectors of one recall. A text that the model fails on has none, and the other channels go on.
pub struct Embedded<'a> {
    embedder: &'a Embedder,
    searched: &'a Searched,
    queries: RefCell<HashMap<String, Option<Arc<[f32]>>>>,
    failure: RefCell<Option<String>>,
}

impl Embedder {
    /// Nothing seen yet.
    pub fn new(model: Arc<dyn EmbeddingModel>) -> Self {
        Self {
            model,
            passages: Mutex::new(LruCache::new(KEPT)),
        }
    }

    /// The model.
    pub fn model(&self) -> &dyn EmbeddingModel {
        &*self.model
    }

    /// Begins a recall over these vectors.
    pub fn begin<'a>(&'a self, searched: &'a Searched) -> Embedded<'a> {
        Embedded {
            embedder: self,
            searched,
            queries: RefCell::default(),
            failure: RefCell::default(),
        }
    }

    /// Forgets every vector that it made.
    pub fn forget(&self) {
        self.passages
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
    }

    fn passage(&self, text: &str) -> Result<Option<Arc<[f32]>>, EmbedError> {
        let key = xxh3_128(text.as_bytes());
        let kept = || self.passages.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(vector) = kept().get(&key) {
            return Ok(Some(Arc::clone(vector)));
        }
        let vector: Option<Arc<[f32]>> = self.model.embed_passages(&[text])?.pop().map(Into::into);
        if let Some(vector) = &vector {
            kept().put(key, Arc::clone(vector));
        }
        Ok(vector)
    }
}

impl Embedded<'_> {
    /// What the model failed with, if it did.
    pub fn into_failure(self) -> Option<String> {
        self.failure.into_inner()
    }

    fn unless_failed(&self, made: Result<Option<Arc<[f32]>>, EmbedError>) -> Option<Arc<[f32]>> {
        made.unwrap_or_else(|error| {
            self.failure
                .borrow_mut()
                .get_or_insert_with(|| error.to_string());
            None
        })
    }
}

impl Vectors for Embedded<'_> {
    fn query(&self, text: &str) -> Option<Arc<[f32]>> {
        if let Some(vector) = self.queries.borrow().get(text) {
            return vector.clone();
        }
        let made = self.embedder.model.embed_queries(&[text]);
        let vector = self.unless_failed(made.map(|mut vectors| vectors.pop().map(Into::into)));
        self.queries
            .borrow_mut()
            .insert(text.to_owned(), vector.clone());
        vector
    }

    fn passage(&self, note: NoteId, field: Field, text: &str) -> Option<Vector<'_>> {
        if has_one_text(field)
            && let Some(vector) = self.searched.get(&DocKey::NoteText(note, field, 0))
        {
            return Some(Vector::AtHand(vector));
        }
        self.unless_failed(self.embedder.passage(text))
            .map(Vector::Shared)
    }
}

/// Whether a note has at most one text of this field, which is then the one whose vector is searched.
fn has_one_text(field: Field) -> bool {
    matches!(
        field,
        Field::Content | Field::Description | Field::Narrative | Field::ActionContent
    )
}
