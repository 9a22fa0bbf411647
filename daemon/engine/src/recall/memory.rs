//! What a recall reads: one character's memory, as views.

use std::error::Error;
use std::sync::Arc;

use crate::graph::NodeIndex;
use crate::index::DocKey;
use crate::model::{MemoryNote, NoteId};
use crate::recall::indexes::Indexes;
use crate::recall::similarity::Vectors;

/// Gives the bodies of notes, from working memory or from wherever they are kept.
pub trait Bodies {
    /// The notes with these ids, in the same order; `None` for one that is not there. Asked for in batches, because each
    /// call may cost a read.
    fn notes(&self, ids: &[NoteId]) -> Result<Vec<Option<Arc<MemoryNote>>>, SourceError>;
}

/// Why the bodies could not be given.
pub type SourceError = Box<dyn Error + Send + Sync>;

/// One character's memory.
#[derive(Clone, Copy)]
pub struct Memory<'a> {
    /// What is searched.
    pub indexes: &'a Indexes,
    /// The bodies of notes.
    pub bodies: &'a dyn Bodies,
    /// The vectors of single texts.
    pub embedded: &'a dyn Vectors,
    /// How much of a note is retained, 0 to 1, by its index in the graph; `&|_| 1.0` where nothing fades.
    pub retention: &'a dyn Fn(NodeIndex) -> f64,
    /// Whether a note or message may come up: not archived, not corrected meanwhile, not outside a time asked for.
    pub admits: &'a dyn Fn(DocKey) -> bool,
}

impl Memory<'_> {
    pub(super) fn admits_note(&self, id: NoteId) -> bool {
        (self.admits)(DocKey::Note(id))
    }
}
