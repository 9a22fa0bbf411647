//! What consolidation has to know of what is remembered already.

use std::sync::Arc;

use soulmem_engine::model::{MemoryNote, NoteKind};

use crate::store::Result;

/// Looks up notes without going through all of them.
pub trait Known {
    /// The notes of exactly this name: content or alias of something known, an element of a pattern. By id.
    fn named(&self, name: &str) -> Result<Vec<Arc<MemoryNote>>>;

    /// The notes of a kind whose words are most like a text, at most `limit`, the likest first.
    fn alike(&self, text: &str, kind: NoteKind, limit: usize) -> Result<Vec<Arc<MemoryNote>>>;

    /// Notes by id, those that are there.
    fn notes(&self, ids: &[soulmem_engine::model::NoteId]) -> Result<Vec<Arc<MemoryNote>>>;

    /// How alike two texts are in meaning, from 0 to 1; none where the model cannot tell.
    fn likeness(&self, a: &str, b: &str) -> Option<f64>;
}
