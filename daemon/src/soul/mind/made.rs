//! Vectors of a dear model that were made and are to be kept as rows.

use soulmem_embed::EmbeddingModel;
use soulmem_engine::model::{MemoryNote, MessageId, NoteId};
use soulmem_engine::recall::TextVector;

use super::vectors::Vectors;
use crate::store::{
    Condition, Message, MessageVector, NoteVector, Pending, Result as StoreResult, Store,
    VectorModel, View,
};

/// Notes or messages whose vectors are made and kept at once.
const BATCH: usize = 256;

/// Vectors that were made and are to be kept.
#[derive(Default)]
pub struct Made {
    stamp: Option<VectorModel>,
    notes: Vec<NoteVector>,
    messages: Vec<MessageVector>,
}

impl Made {
    /// None yet, of this model.
    pub fn by(stamp: VectorModel) -> Self {
        Self {
            stamp: Some(stamp),
            ..Self::default()
        }
    }

    /// Adds those of a note.
    pub fn add_note(&mut self, note: &MemoryNote, vectors: &[TextVector]) {
        let kept = |(field, place, vector): &TextVector| NoteVector {
            note: note.id,
            field: *field,
            part: u32::from(*place),
            revision: note.revision,
            vector: vector.clone(),
        };
        self.notes.extend(vectors.iter().map(kept));
    }

    /// Adds that of a message.
    pub fn add_message(&mut self, message: &Message, vector: &[f32]) {
        self.messages.push(MessageVector {
            message: message.id,
            vector: vector.to_vec(),
        });
    }

    /// Has them written, without waiting for it: they are made again where that fails.
    pub fn keep(self, store: &Store) {
        if let Some(written) = self.write(store) {
            written.forget();
        }
    }

    fn write(self, store: &Store) -> Option<Pending<usize>> {
        let Self {
            stamp,
            notes,
            messages,
        } = self;
        let stamp = stamp.filter(|_| !(notes.is_empty() && messages.is_empty()))?;
        Some(store.write(move |tx| {
            let notes = tx.put_note_vectors(&stamp, &notes)?;
            Ok(notes + tx.put_message_vectors(&stamp, &messages)?)
        }))
    }
}

/// Makes the vectors of a dear model that are missing, and keeps them, some at a time: a memory that is closed in the middle goes
/// on from there. One that cannot be written is left as it is.
pub fn complete(store: &Store, model: &dyn EmbeddingModel) {
    let vectors = Vectors::new(model);
    if vectors.to_be_kept().is_none() || !matches!(store.condition(), Condition::Ready) {
        return;
    }
    if let Err(error) = vectors
        .complete_notes(store)
        .and_then(|()| vectors.complete_messages(store))
    {
        tracing::warn!(%error, "vectors were not kept");
    }
}

impl Vectors<'_> {
    fn complete_notes(&self, store: &Store) -> StoreResult<()> {
        // Those that there is no vector of, whatever is done: passed over.
        let mut without = 0;
        while let Some(mut made) = self.to_be_kept() {
            let notes = store.read(|view| {
                let missing = made.missing_notes(view, without)?;
                let found = missing.iter().map(|id| view.note(*id));
                found.collect::<StoreResult<Vec<_>>>()
            })?;
            if notes.is_empty() {
                break;
            }
            for stored in notes.iter().flatten() {
                let Ok(vectors) = self.made_of(&stored.note) else {
                    return Ok(());
                };
                without += usize::from(vectors.is_empty());
                made.add_note(&stored.note, &vectors);
            }
            without += notes.iter().filter(|found| found.is_none()).count();
            if let Some(written) = made.write(store) {
                written.wait()?;
            }
        }
        Ok(())
    }

    fn complete_messages(&self, store: &Store) -> StoreResult<()> {
        while let Some(mut made) = self.to_be_kept() {
            let messages = store.read(|view| {
                let missing = made.missing_messages(view)?;
                let found = missing.iter().map(|id| view.message(*id));
                found.collect::<StoreResult<Vec<_>>>()
            })?;
            let messages: Vec<Message> = messages.into_iter().flatten().collect();
            let texts: Vec<&str> = messages.iter().map(|message| &*message.text).collect();
            let Ok(vectors) = self.embedded(&texts) else {
                return Ok(());
            };
            for (message, vector) in messages.iter().zip(&vectors) {
                made.add_message(message, vector);
            }
            match made.write(store) {
                Some(written) => drop(written.wait()?),
                None => break,
            }
        }
        Ok(())
    }
}

impl Made {
    fn missing_notes(&self, view: &View, without: usize) -> StoreResult<Vec<NoteId>> {
        let Some(stamp) = &self.stamp else {
            return Ok(Vec::new());
        };
        let mut missing = view.notes_without_vectors(stamp, without + BATCH)?;
        missing.drain(..without.min(missing.len()));
        Ok(missing)
    }

    fn missing_messages(&self, view: &View) -> StoreResult<Vec<MessageId>> {
        match &self.stamp {
            Some(stamp) => view.messages_without_vectors(stamp, BATCH),
            None => Ok(Vec::new()),
        }
    }
}
