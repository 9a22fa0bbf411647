//! Looking up what is known, for consolidation.

use std::sync::Arc;

use soulmem_engine::index::{Bm25, WordQuery};
use soulmem_engine::model::{MemoryNote, NoteId, NoteKind};
use soulmem_engine::recall::Bodies;

use super::Mind;
use crate::consolidate::known::Known;
use crate::soul::error::SoulError;
use crate::store::{Result, StoreError};

/// Kinds of notes.
const KINDS: usize = 4;

impl Known for Mind {
    fn named(&self, name: &str) -> Result<Vec<Arc<MemoryNote>>> {
        let ids = {
            let resident = self.resident().map_err(of_store)?;
            resident.indexes().names.exact(name)
        };
        self.notes(&ids)
    }

    fn alike(&self, text: &str, kind: NoteKind, limit: usize) -> Result<Vec<Arc<MemoryNote>>> {
        let ids: Vec<NoteId> = {
            let resident = self.resident().map_err(of_store)?;
            let indexes = resident.indexes();
            let query = WordQuery::from_text(&indexes.segmenter, text);
            // The index knows no kinds, so more are looked at than are wanted.
            let looked_at = limit * KINDS;
            let hits = indexes
                .words
                .search(&query, Bm25::default(), looked_at, |key| {
                    key.note().is_some()
                });
            hits.into_iter().filter_map(|hit| hit.key.note()).collect()
        };
        let mut notes = self.notes(&ids)?;
        notes.retain(|note| note.kind() == kind);
        notes.truncate(limit);
        Ok(notes)
    }

    fn notes(&self, ids: &[NoteId]) -> Result<Vec<Arc<MemoryNote>>> {
        let found = self.bodies.notes(ids).map_err(|error| {
            error.downcast::<StoreError>().map_or_else(
                |error| StoreError::Panicked(error.to_string()),
                |error| *error,
            )
        })?;
        Ok(found.into_iter().flatten().collect())
    }

    fn likeness(&self, a: &str, b: &str) -> Option<f64> {
        let vectors = self.embedder.model().embed_passages(&[a, b]).ok()?;
        let [a, b] = vectors.as_slice() else {
            return None;
        };
        Some(f64::from(soulmem_engine::index::dot(a, b)).clamp(0.0, 1.0))
    }
}

fn of_store(error: SoulError) -> StoreError {
    match error {
        SoulError::Store(error) => error,
        other => StoreError::Panicked(other.to_string()),
    }
}
