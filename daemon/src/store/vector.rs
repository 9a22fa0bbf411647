//! Vectors of notes and messages, each stamped with the model that made it.

use rusqlite::Row;
use soulmem_engine::model::{Field, MessageId, NoteId};

use super::column::{Id, count, vector_bytes, vector_from};
use super::error::{Result, StoreError};
use super::seal::Sealed;
use super::tx::{Seq, Tx, View};
use super::vector_model::VectorModel;

pub(super) static NOTE_VECTOR: Sealed = Sealed::new(
    "note_vector",
    1,
    &[
        "row", "model", "note", "field", "part", "revision", "vector",
    ],
);
pub(super) static MESSAGE_VECTOR: Sealed =
    Sealed::new("message_vector", 1, &["row", "model", "message", "vector"]);

/// The vector of one text of a note.
#[derive(Debug, Clone, PartialEq)]
pub struct NoteVector {
    /// Whose text.
    pub note: NoteId,
    /// Which text.
    pub field: Field,
    /// Which one of several texts of that field, from 0.
    pub part: u32,
    /// The revision of the note that it was made from.
    pub revision: u64,
    /// The vector.
    pub vector: Vec<f32>,
}

/// The vector of a message.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageVector {
    /// Whose.
    pub message: MessageId,
    /// The vector.
    pub vector: Vec<f32>,
}

impl Tx {
    /// Keeps vectors of notes, in the place of those of the same text and model.
    ///
    /// One made from a note that changed or went meanwhile is left out; returns how many were kept.
    pub fn put_note_vectors(&self, model: &VectorModel, vectors: &[NoteVector]) -> Result<usize> {
        self.journal("vectors", None, None)?;
        let model_key = self.model_key(model)?;
        let mut kept = 0;
        for (i, vector) in vectors.iter().enumerate() {
            check_dimension(model, &vector.vector, i)?;
            let Some((note, revision)) = self.note_revision(vector.note)? else {
                continue;
            };
            if revision != count("revision", vector.revision)? {
                continue;
            }
            self.put_note_vector(model_key, note, revision, vector)?;
            kept += 1;
        }
        Ok(kept)
    }

    fn put_note_vector(
        &self,
        model: i64,
        note: Seq,
        revision: i64,
        vector: &NoteVector,
    ) -> Result<()> {
        let field = vector.field.as_str();
        self.connection
            .prepare_cached(
                "DELETE FROM note_vector WHERE note = ? AND model = ? AND field = ? AND part = ?",
            )?
            .execute((note, model, field, vector.part))?;
        let row = self.next_row("note_vector", "row")?;
        NOTE_VECTOR.insert(
            &self.connection,
            &[
                &row,
                &model,
                &note,
                &field,
                &vector.part,
                &revision,
                &vector_bytes(&vector.vector),
            ],
        )
    }

    /// Keeps vectors of messages, in the place of those of the same model; returns how many were kept:
    /// those whose message is there.
    pub fn put_message_vectors(
        &self,
        model: &VectorModel,
        vectors: &[MessageVector],
    ) -> Result<usize> {
        self.journal("vectors", None, None)?;
        let model_key = self.model_key(model)?;
        let mut kept = 0;
        for (i, vector) in vectors.iter().enumerate() {
            check_dimension(model, &vector.vector, i)?;
            let Some(message) = self.message_seq(vector.message)? else {
                continue;
            };
            self.connection
                .prepare_cached("DELETE FROM message_vector WHERE message = ? AND model = ?")?
                .execute((message, model_key))?;
            let row = self.next_row("message_vector", "row")?;
            MESSAGE_VECTOR.insert(
                &self.connection,
                &[&row, &model_key, &message, &vector_bytes(&vector.vector)],
            )?;
            kept += 1;
        }
        Ok(kept)
    }

    fn note_revision(&self, id: NoteId) -> Result<Option<(Seq, i64)>> {
        let sql = "SELECT seq, revision FROM note WHERE id = ? AND deleted_at IS NULL";
        self.one(sql, [Id(id.0)], |row| Ok((row.get(0)?, row.get(1)?)))
    }

    /// Vectors of a note whose text did not change belong to its new revision.
    pub(super) fn restamp_vectors(&self, note: Seq, revision: u64) -> Result<()> {
        let revision = count("revision", revision)?;
        self.each(
            &format!("{} WHERE note = ?", NOTE_VECTOR.select()),
            [note],
            |row| {
                NOTE_VECTOR.check(row, 0)?;
                let (key, model, part): (i64, i64, i64) = (row.get(0)?, row.get(1)?, row.get(4)?);
                let (field, vector): (String, Vec<u8>) = (row.get(3)?, row.get(6)?);
                let values: [&dyn rusqlite::ToSql; 7] =
                    [&key, &model, &note, &field, &part, &revision, &vector];
                NOTE_VECTOR.update(&self.connection, &values).map(|_| ())
            },
        )
    }
}

impl View {
    /// Goes through the vectors of notes that the model made, in the order of their writing.
    pub fn for_each_note_vector(
        &self,
        model: &VectorModel,
        mut each: impl FnMut(NoteVector) -> Result<()>,
    ) -> Result<()> {
        let Some(key) = self.known_model(model)? else {
            return Ok(());
        };
        let sql = format!(
            "SELECT {}, note.id FROM note_vector LEFT JOIN note ON note.seq = note_vector.note \
             ORDER BY note_vector.row",
            NOTE_VECTOR.columns()
        );
        // Rows are checked before they are left out, so that a damaged model is noticed.
        self.each(&sql, [], |row| {
            NOTE_VECTOR.check(row, 0)?;
            if row.get::<_, i64>(1)? == key {
                each(read_note_vector(row, model.dimension)?)
            } else {
                Ok(())
            }
        })
    }

    /// Goes through the vectors of messages that the model made, in the order of their writing.
    pub fn for_each_message_vector(
        &self,
        model: &VectorModel,
        mut each: impl FnMut(MessageVector) -> Result<()>,
    ) -> Result<()> {
        let Some(key) = self.known_model(model)? else {
            return Ok(());
        };
        let sql = format!(
            "SELECT {}, message.id FROM message_vector LEFT JOIN message ON message.seq = message_vector.message \
             ORDER BY message_vector.row",
            MESSAGE_VECTOR.columns()
        );
        self.each(&sql, [], |row| {
            MESSAGE_VECTOR.check(row, 0)?;
            if row.get::<_, i64>(1)? != key {
                return Ok(());
            }
            each(read_message_vector(row, model.dimension)?)
        })
    }

    /// Notes that have no vector by the model, in the order of their writing, at most `limit`.
    pub fn notes_without_vectors(&self, model: &VectorModel, limit: usize) -> Result<Vec<NoteId>> {
        let key = self.known_model(model)?.unwrap_or(0);
        let sql = "SELECT id FROM note WHERE deleted_at IS NULL AND NOT EXISTS \
                   (SELECT 1 FROM note_vector WHERE note_vector.note = note.seq AND model = ?) ORDER BY seq LIMIT ?";
        Ok(self
            .missing(sql, key, limit)?
            .into_iter()
            .map(|id| NoteId(id.0))
            .collect())
    }

    /// Messages that have no vector by the model, in the order of their writing, at most `limit`.
    pub fn messages_without_vectors(
        &self,
        model: &VectorModel,
        limit: usize,
    ) -> Result<Vec<MessageId>> {
        let key = self.known_model(model)?.unwrap_or(0);
        let sql = "SELECT id FROM message WHERE NOT EXISTS \
                   (SELECT 1 FROM message_vector WHERE message_vector.message = message.seq AND model = ?) \
                   ORDER BY seq LIMIT ?";
        Ok(self
            .missing(sql, key, limit)?
            .into_iter()
            .map(|id| MessageId(id.0))
            .collect())
    }

    fn missing(&self, sql: &str, model: i64, limit: usize) -> Result<Vec<Id>> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.all(sql, (model, limit), |row| Ok(row.get(0)?))
    }
}

fn check_dimension(model: &VectorModel, vector: &[f32], index: usize) -> Result<()> {
    let invalid = |reason| {
        Err(StoreError::Invalid {
            field: format!("vectors[{index}].vector"),
            reason,
        })
    };
    if vector.len() != model.dimension {
        return invalid(format!(
            "has {} values, those of {} have {}",
            vector.len(),
            model.name,
            model.dimension
        ));
    }
    if !vector.iter().all(|x| x.is_finite()) {
        return invalid("must be of finite numbers".to_owned());
    }
    Ok(())
}

pub(super) fn read_note_vector(row: &Row<'_>, dimension: usize) -> Result<NoteVector> {
    let field: String = row.get(3)?;
    let bytes: Vec<u8> = row.get(6)?;
    Ok(NoteVector {
        note: NoteId(NOTE_VECTOR.owner(row)?),
        field: field
            .parse()
            .map_err(|error| NOTE_VECTOR.damaged(row, 0, error))?,
        part: row.get(4)?,
        revision: row.get::<_, i64>(5)?.cast_unsigned(),
        vector: vector_from(&bytes, dimension)
            .map_err(|reason| NOTE_VECTOR.damaged(row, 0, reason))?,
    })
}

pub(super) fn read_message_vector(row: &Row<'_>, dimension: usize) -> Result<MessageVector> {
    let bytes: Vec<u8> = row.get(3)?;
    Ok(MessageVector {
        message: MessageId(MESSAGE_VECTOR.owner(row)?),
        vector: vector_from(&bytes, dimension)
            .map_err(|reason| MESSAGE_VECTOR.damaged(row, 0, reason))?,
    })
}
