//! A character in memory, made from a graph file: what the suites ask.
//!
//! The indexes, the graph and the pipeline are those that the daemon recalls with; only the bodies of the notes come from
//! here and not from a database. Nothing has faded: retrieval is measured apart from forgetting.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use soulmem_engine::graph::Scratch;
use soulmem_engine::index::DocKey;
use soulmem_engine::model::graph_file::GraphFile;
use soulmem_engine::model::{Field, FixedClock, MemoryNote, NoteId, SequentialIds};
use soulmem_engine::recall::indexes::{Indexes, searched_texts};
use soulmem_engine::recall::memory::{Bodies, Memory, SourceError};
use soulmem_engine::recall::pipeline::{Options, Question, RecallError, Recalled, recall};
use soulmem_engine::recall::query::SubQuery;
use soulmem_engine::recall::similarity::{Vector, Vectors};
use soulmem_engine::text::Segmenter;

use super::embedding::CachedModel;
use super::error::EvalError;

/// A character in memory.
pub struct Character {
    indexes: Indexes,
    notes: HashMap<NoteId, Arc<MemoryNote>>,
    /// The vector of every text of every note.
    passages: HashMap<String, Arc<[f32]>>,
    /// What the graph file calls the notes.
    names: HashMap<NoteId, String>,
}

/// Why a question could not be answered.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// The model failed on the question.
    #[error(transparent)]
    Embed(#[from] soulmem_embed::EmbedError),
    /// The pipeline failed.
    #[error(transparent)]
    Recall(#[from] RecallError),
}

impl Character {
    /// Builds a character. `file` is the graph's, for errors.
    ///
    /// # Errors
    ///
    /// [`EvalError`] where the model fails or a note cannot be indexed.
    pub fn build(
        graph: &GraphFile,
        file: &Path,
        model: &CachedModel<'_>,
    ) -> Result<Self, EvalError> {
        // Where a graph gives no times, all notes were made at one and the same.
        let clock = FixedClock(Timestamp::UNIX_EPOCH);
        let ids = SequentialIds::new();
        let notes = graph
            .notes
            .iter()
            .map(|draft| draft.clone().build(&clock, &ids))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| EvalError::value(file, error))?;
        let passages = passages(&notes, model).map_err(|error| EvalError::Embed {
            file: file.to_owned(),
            error,
        })?;
        let mut indexes = Indexes::new(model.model().dimension(), Segmenter::new());
        for note in &notes {
            let vectors = searched_texts(note)
                .into_iter()
                .filter_map(|(field, place, text)| {
                    let vector = passages.get(text.as_ref())?;
                    Some((field, place, vector.to_vec()))
                });
            indexes
                .put_note(note, vectors.collect::<Vec<_>>())
                .map_err(|error| EvalError::Index {
                    file: file.to_owned(),
                    error,
                })?;
        }
        indexes.settle();
        let names = graph.ids.iter().map(|(name, id)| (*id, name.clone()));
        Ok(Self {
            indexes,
            notes: notes
                .into_iter()
                .map(|note| (note.id, Arc::new(note)))
                .collect(),
            passages,
            names: names.collect(),
        })
    }

    /// What the graph file calls a note.
    pub fn name(&self, id: NoteId) -> String {
        let name = self.names.get(&id).cloned();
        name.unwrap_or_else(|| id.to_string())
    }

    /// Recalls.
    ///
    /// # Errors
    ///
    /// [`AskError`] where the model or the pipeline fails.
    pub fn ask(
        &self,
        queries: &[SubQuery],
        options: &Options,
        model: &CachedModel<'_>,
        scratch: &mut Scratch,
    ) -> Result<Recalled, AskError> {
        let texts: Vec<&str> = queries.iter().flat_map(SubQuery::texts).collect();
        let vectors = model.queries(&texts)?;
        let embedded = Embedded {
            queries: texts.into_iter().zip(vectors).collect(),
            passages: &self.passages,
        };
        let memory = Memory {
            indexes: &self.indexes,
            bodies: self,
            embedded: &embedded,
            retention: &|_| 1.0,
            admits: &|key| self.is_current(key),
        };
        let question = Question {
            queries: queries.to_vec(),
            ..Question::default()
        };
        Ok(recall(&memory, &question, options, scratch)?)
    }

    /// A note that was corrected is not part of what the character holds true now.
    fn is_current(&self, key: DocKey) -> bool {
        let note = key.note().and_then(|id| self.notes.get(&id));
        note.is_some_and(|note| note.valid_until.is_none() && note.superseded_by.is_none())
    }
}

/// Embeds every text of every note.
fn passages(
    notes: &[MemoryNote],
    model: &CachedModel<'_>,
) -> Result<HashMap<String, Arc<[f32]>>, soulmem_embed::EmbedError> {
    let fields: Vec<_> = notes.iter().flat_map(MemoryNote::text_fields).collect();
    let texts: Vec<&str> = fields.iter().map(|(_, text)| text.as_ref()).collect();
    let vectors = model.passages(&texts)?;
    let texts = texts.into_iter().map(str::to_owned);
    Ok(texts.zip(vectors).collect())
}

impl Bodies for Character {
    fn notes(&self, ids: &[NoteId]) -> Result<Vec<Option<Arc<MemoryNote>>>, SourceError> {
        Ok(ids.iter().map(|id| self.notes.get(id).cloned()).collect())
    }
}

/// The vectors of one question, and those of the notes.
struct Embedded<'a> {
    queries: HashMap<&'a str, Arc<[f32]>>,
    passages: &'a HashMap<String, Arc<[f32]>>,
}

impl Vectors for Embedded<'_> {
    fn query(&self, text: &str) -> Option<Arc<[f32]>> {
        self.queries.get(text).cloned()
    }

    fn passage(&self, _: NoteId, _: Field, text: &str) -> Option<Vector<'_>> {
        self.passages.get(text).map(|vector| Vector::AtHand(vector))
    }
}
