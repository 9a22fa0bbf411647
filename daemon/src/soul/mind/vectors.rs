//! Vectors of notes and messages: of a model that is dear they are kept as rows and read back, of any other they are made.

use hashbrown::HashMap;
use soulmem_embed::{EmbedError, EmbeddingModel};
use soulmem_engine::model::{Field, MemoryNote, MessageId, NoteId};
use soulmem_engine::recall::{TextVector, searched_texts};

use super::change::{Change, Heard};
use super::made::Made;
use crate::store::{NoteVector, Result as StoreResult, Seq, StoredNote, VectorModel, View};

/// A note, with the vectors that were kept of it.
pub type WithVectors = (StoredNote, Option<Vec<TextVector>>);
/// A message, with the vector that was kept of it.
pub type WithVector = (Heard, Option<Vec<f32>>);

/// Where vectors come from.
pub struct Vectors<'a> {
    model: &'a dyn EmbeddingModel,
    /// What those that are kept are stamped with; `None` where none are.
    stamp: Option<VectorModel>,
}

impl<'a> Vectors<'a> {
    /// Those of this model.
    pub fn new(model: &'a dyn EmbeddingModel) -> Self {
        let stamp = || {
            let identity = model.identity();
            VectorModel {
                name: identity.name,
                digest: identity.digest,
                pooling: identity.pooling.to_string(),
                dimension: model.dimension(),
            }
        };
        Self {
            model,
            stamp: model.is_dear().then(stamp),
        }
    }

    /// How long they are.
    pub fn dimension(&self) -> usize {
        self.model.dimension()
    }

    /// An empty list for those that are made, where they are to be kept.
    pub fn to_be_kept(&self) -> Option<Made> {
        self.stamp.clone().map(Made::by)
    }

    /// The notes, in the order of writing, with what is kept of them.
    pub fn kept_of_notes(&self, view: &View, notes: Vec<StoredNote>) -> Vec<WithVectors> {
        let mut kept: HashMap<NoteId, Vec<NoteVector>> = HashMap::new();
        let read = |view: &View, stamp: &VectorModel| {
            for (first, last) in runs(notes.iter().map(|stored| stored.seq)) {
                view.note_vectors_between(stamp, first, last, |vector| {
                    kept.entry(vector.note).or_default().push(vector);
                    Ok(())
                })?;
            }
            Ok(())
        };
        self.read(view, read);
        let with_kept = |stored: StoredNote| {
            let vectors = kept.remove(&stored.note.id);
            let vectors = vectors.and_then(|vectors| complete_for(&stored.note, vectors));
            (stored, vectors)
        };
        notes.into_iter().map(with_kept).collect()
    }

    /// The messages, in the order of writing, with what is kept of them.
    pub fn kept_of_messages(&self, view: &View, messages: Vec<Heard>) -> Vec<WithVector> {
        let mut kept: HashMap<MessageId, Vec<f32>> = HashMap::new();
        let read = |view: &View, stamp: &VectorModel| {
            for (first, last) in runs(messages.iter().map(|heard| heard.message.seq)) {
                view.message_vectors_between(stamp, first, last, |vector| {
                    kept.insert(vector.message, vector.vector);
                    Ok(())
                })?;
            }
            Ok(())
        };
        self.read(view, read);
        let with_kept = |heard: Heard| {
            let vector = kept.remove(&heard.message.id);
            (heard, vector)
        };
        messages.into_iter().map(with_kept).collect()
    }

    /// Makes the vectors that are missing; those are added to `made`.
    pub fn note_changes(&self, notes: Vec<WithVectors>, made: &mut Option<Made>) -> Vec<Change> {
        let change = |(stored, kept): WithVectors| {
            let vectors = kept.unwrap_or_else(|| {
                let vectors = self.made_of(&stored.note).unwrap_or_else(|error| {
                    tracing::warn!(note = %stored.note.id, %error, "the note is found by its words alone");
                    Vec::new()
                });
                if let Some(made) = made {
                    made.add_note(&stored.note, &vectors);
                }
                vectors
            });
            Change::Note(Box::new(stored), vectors)
        };
        notes.into_iter().map(change).collect()
    }

    /// Makes the vectors that are missing; those are added to `made`.
    pub fn message_changes(
        &self,
        messages: Vec<WithVector>,
        made: &mut Option<Made>,
    ) -> Vec<Change> {
        let missing: Vec<&str> = messages
            .iter()
            .filter(|(_, kept)| kept.is_none())
            .map(|(heard, _)| &*heard.message.text)
            .collect();
        let vectors = self.embedded(&missing).unwrap_or_else(|error| {
            tracing::warn!(messages = missing.len(), %error, "messages are found by their words alone");
            Vec::new()
        });
        let mut vectors = vectors.into_iter();
        let change = |(heard, kept): WithVector| {
            let vector = kept.or_else(|| {
                let vector = vectors.next()?;
                if let Some(made) = made {
                    made.add_message(&heard.message, &vector);
                }
                Some(vector)
            });
            Change::Message(Box::new(heard), vector)
        };
        messages.into_iter().map(change).collect()
    }

    /// What is damaged is made anew: it is derived, and a check tells of it.
    fn read(&self, view: &View, read: impl FnOnce(&View, &VectorModel) -> StoreResult<()>) {
        let Some(stamp) = &self.stamp else { return };
        if let Err(error) = read(view, stamp) {
            tracing::warn!(%error, "vectors that were kept cannot be read, and are made anew");
        }
    }

    /// Makes those of a note.
    pub fn made_of(&self, note: &MemoryNote) -> Result<Vec<TextVector>, EmbedError> {
        let texts = searched_texts(note);
        let plain: Vec<&str> = texts.iter().map(|(_, _, text)| &**text).collect();
        let vectors = self.embedded(&plain)?;
        let places: Vec<(Field, u16)> = texts
            .iter()
            .map(|(field, place, _)| (*field, *place))
            .collect();
        Ok(places
            .into_iter()
            .zip(vectors)
            .map(|((field, place), vector)| (field, place, vector))
            .collect())
    }

    /// Makes those of texts.
    pub fn embedded(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        match texts {
            [] => Ok(Vec::new()),
            texts => self.model.embed_passages(texts),
        }
    }
}

/// The vectors of a note, if those of all its texts were kept, as it is now.
fn complete_for(note: &MemoryNote, kept: Vec<NoteVector>) -> Option<Vec<TextVector>> {
    let mut kept: HashMap<(Field, u32), Vec<f32>> = kept
        .into_iter()
        .filter(|vector| vector.revision == note.revision)
        .map(|vector| ((vector.field, vector.part), vector.vector))
        .collect();
    let texts = searched_texts(note).into_iter();
    texts
        .map(|(field, place, _)| {
            let vector = kept.remove(&(field, u32::from(place)))?;
            Some((field, place, vector))
        })
        .collect()
}

/// From the first to the last of rows that lie close together, so that few are read for nothing.
fn runs(seqs: impl Iterator<Item = Seq>) -> Vec<(Seq, Seq)> {
    /// Further apart, and what lies between costs more than another look-up.
    const APART: Seq = 64;
    let mut runs: Vec<(Seq, Seq)> = Vec::new();
    let mut seqs: Vec<Seq> = seqs.collect();
    seqs.sort_unstable();
    for seq in seqs {
        match runs.last_mut() {
            Some((_, last)) if seq - *last <= APART => *last = seq,
            _ => runs.push((seq, seq)),
        }
    }
    runs
}
