//! The vectors of some notes and messages, for whoever goes through those in the order of writing.

use super::error::Result;
use super::tx::{Seq, View};
use super::vector::{
    MESSAGE_VECTOR, MessageVector, NOTE_VECTOR, NoteVector, read_message_vector, read_note_vector,
};
use super::vector_model::VectorModel;

impl View {
    /// Goes through the vectors by the model of notes that were first written between two places of the sequence, both included.
    pub fn note_vectors_between(
        &self,
        model: &VectorModel,
        first: Seq,
        last: Seq,
        mut each: impl FnMut(NoteVector) -> Result<()>,
    ) -> Result<()> {
        let Some(key) = self.known_model(model)? else {
            return Ok(());
        };
        let sql = format!(
            "SELECT {}, note.id FROM note_vector JOIN note ON note.seq = note_vector.note \
             WHERE note_vector.note BETWEEN ? AND ? ORDER BY note_vector.note",
            NOTE_VECTOR.columns()
        );
        self.each(&sql, (first, last), |row| {
            NOTE_VECTOR.check(row, 0)?;
            if row.get::<_, i64>(1)? != key {
                return Ok(());
            }
            each(read_note_vector(row, model.dimension)?)
        })
    }

    /// Goes through the vectors by the model of messages that were written between two places of the sequence, both included.
    pub fn message_vectors_between(
        &self,
        model: &VectorModel,
        first: Seq,
        last: Seq,
        mut each: impl FnMut(MessageVector) -> Result<()>,
    ) -> Result<()> {
        let Some(key) = self.known_model(model)? else {
            return Ok(());
        };
        let sql = format!(
            "SELECT {}, message.id FROM message_vector JOIN message ON message.seq = message_vector.message \
             WHERE message_vector.message BETWEEN ? AND ? ORDER BY message_vector.message",
            MESSAGE_VECTOR.columns()
        );
        self.each(&sql, (first, last), |row| {
            MESSAGE_VECTOR.check(row, 0)?;
            if row.get::<_, i64>(1)? != key {
                return Ok(());
            }
            each(read_message_vector(row, model.dimension)?)
        })
    }
}
