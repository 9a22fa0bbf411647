//! Embedding with a memory: no text is embedded twice.
//!
//! The key of a vector is all that it depends on: the text, the side (question or passage) and the identity of the model,
//! which has the digest of the model's own weights. Blend weights and links come after embedding and change no vector, so no
//! change of a graph or a sweep can leave an entry stale.

mod cache_file;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use sha2::{Digest, Sha256};
use soulmem_embed::{EmbedError, EmbeddingModel};
use uuid::Uuid;

use super::error::EvalError;

/// Which side of a comparison a text is on. Some models put an instruction before questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Query,
    Passage,
}

/// SHA-256 of side and text. The model is that of the whole cache.
type Key = [u8; 32];

type Vectors = HashMap<Key, Arc<[f32]>>;

/// A model that remembers what it has embedded.
pub struct CachedModel<'a> {
    model: &'a dyn EmbeddingModel,
    vectors: RwLock<Vectors>,
}

/// Namespace of the names of cache files.
const CACHE_NAMESPACE: Uuid = Uuid::from_u128(0x3c0d_61a5_77f2_4be8_9a4e_50f1_0b6d_c2a9);

/// Texts embedded in one call at most, so that a model's memory stays small.
const BATCH: usize = 64;

fn key(side: Side, text: &str) -> Key {
    let side: &[u8] = match side {
        Side::Query => b"query\0",
        Side::Passage => b"passage\0",
    };
    Sha256::new()
        .chain_update(side)
        .chain_update(text)
        .finalize()
        .into()
}

impl<'a> CachedModel<'a> {
    /// A cache that lives as long as the process.
    pub fn new(model: &'a dyn EmbeddingModel) -> Self {
        Self {
            model,
            vectors: RwLock::default(),
        }
    }

    /// A cache that starts with what an earlier process left in `folder`. A file that is damaged, or not of this format, is
    /// as good as none.
    ///
    /// # Errors
    ///
    /// [`EvalError::Read`] where a file is there and cannot be read.
    pub fn open(model: &'a dyn EmbeddingModel, folder: &Path) -> Result<Self, EvalError> {
        let file = cache_path(folder, model);
        let vectors = match std::fs::read(&file) {
            Ok(bytes) => cache_file::decode(&bytes, model.dimension()).unwrap_or_default(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vectors::new(),
            Err(error) => return Err(EvalError::Read { file, error }),
        };
        Ok(Self {
            model,
            vectors: RwLock::new(vectors),
        })
    }

    /// Leaves every vector in `folder` for a later process, in a file of the model's own.
    ///
    /// # Errors
    ///
    /// [`EvalError::Write`] where it cannot be written; then the old file is still there.
    pub fn save(&self, folder: &Path) -> Result<(), EvalError> {
        let file = cache_path(folder, self.model);
        let bytes = cache_file::encode(&self.read(), self.model.dimension());
        cache_file::replace(&file, &bytes).map_err(|error| EvalError::Write { file, error })
    }

    /// The model.
    pub fn model(&self) -> &dyn EmbeddingModel {
        self.model
    }

    /// How many vectors are remembered.
    pub fn len(&self) -> usize {
        self.read().len()
    }

    /// True where none is.
    pub fn is_empty(&self) -> bool {
        self.read().is_empty()
    }

    /// The vectors of questions, in the order of the texts.
    ///
    /// # Errors
    ///
    /// What the model says of texts that it has not embedded before.
    pub fn queries(&self, texts: &[&str]) -> Result<Vec<Arc<[f32]>>, EmbedError> {
        self.vectors_of(Side::Query, texts)
    }

    /// The vectors of passages, in the order of the texts.
    ///
    /// # Errors
    ///
    /// What the model says of texts that it has not embedded before.
    pub fn passages(&self, texts: &[&str]) -> Result<Vec<Arc<[f32]>>, EmbedError> {
        self.vectors_of(Side::Passage, texts)
    }

    fn vectors_of(&self, side: Side, texts: &[&str]) -> Result<Vec<Arc<[f32]>>, EmbedError> {
        let keys: Vec<Key> = texts.iter().map(|text| key(side, text)).collect();
        let missing: Vec<(Key, &str)> = {
            let known = self.read();
            let mut seen = HashSet::new();
            let pairs = keys.iter().copied().zip(texts.iter().copied());
            pairs
                .filter(|(key, _)| !known.contains_key(key) && seen.insert(*key))
                .collect()
        };
        for batch in missing.chunks(BATCH) {
            let texts: Vec<&str> = batch.iter().map(|(_, text)| *text).collect();
            let made = match side {
                Side::Query => self.model.embed_queries(&texts)?,
                Side::Passage => self.model.embed_passages(&texts)?,
            };
            self.check(&made, texts.len())?;
            let made = made.into_iter().map(Arc::from);
            let mut known = self.vectors.write().unwrap_or_else(PoisonError::into_inner);
            known.extend(batch.iter().map(|(key, _)| *key).zip(made));
        }
        let known = self.read();
        Ok(keys
            .iter()
            .filter_map(|key| known.get(key).cloned())
            .collect())
    }

    /// A model outside of this process may answer anything.
    fn check(&self, made: &[Vec<f32>], asked: usize) -> Result<(), EmbedError> {
        let dimension = self.model.dimension();
        let failed = |reason| {
            Err(EmbedError::Failed {
                model: self.model.identity().name,
                reason,
            })
        };
        if made.len() != asked {
            return failed(format!("{} vectors for {asked} texts", made.len()));
        }
        match made.iter().find(|vector| vector.len() != dimension) {
            Some(odd) => failed(format!(
                "a vector of {} components, not of {dimension}",
                odd.len()
            )),
            None => Ok(()),
        }
    }

    fn read(&self) -> std::sync::RwLockReadGuard<'_, Vectors> {
        self.vectors.read().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The file of a model: named by a digest of its identity, so that no model ever reads another one's vectors.
fn cache_path(folder: &Path, model: &dyn EmbeddingModel) -> PathBuf {
    let name = Uuid::new_v5(&CACHE_NAMESPACE, model.identity().to_string().as_bytes());
    folder.join(format!("{name}.vectors"))
}

#[cfg(test)]
mod tests;
