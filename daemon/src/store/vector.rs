//! Vectors of notes and messages, each stamped with the model that made it.

use rusqlite::{OptionalExtension, Row};
use soulmem_engine::model::{Field, MessageId, NoteId};

use super::column::{Id, count, vector_bytes, vector_from};
use super::error::{Result, StoreError};
use super::seal::Sealed;
use super::tx::{Seq, Tx, View};

static NOTE_VECTOR: Sealed = Sealed::new(
    "note_vector",
    1,
    &[
        "row", "model", "note", "field", "part", "revision", "vector",
    ],
);
static MESSAGE_VECTOR: Sealed =
    Sealed::new("message_vector", 1, &["row", "model", "message", "vector"]);

/// Which model made a vector: those of two models are never compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VectorModel {
    /// Its name.
    pub name: String,
    /// Digest of its weights and settings.
    pub digest: String,
    /// How it makes one vector out of many.
    pub pooling: String,
    /// Length of its vectors.
    pub dimension: usize,
}

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
        let row = self.next_row(&NOTE_VECTOR)?;
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
            let row = self.next_row(&MESSAGE_VECTOR)?;
            MESSAGE_VECTOR.insert(
                &self.connection,
                &[&row, &model_key, &message, &vector_bytes(&vector.vector)],
            )?;
            kept += 1;
        }
        Ok(kept)
    }

    /// Drops the vectors of every model but this one; returns how many.
    pub fn keep_only_model(&self, model: &VectorModel) -> Result<usize> {
        let key = self.model_key(model)?;
        let notes = self
            .connection
            .execute("DELETE FROM note_vector WHERE model <> ?", [key])?;
        let messages = self
            .connection
            .execute("DELETE FROM message_vector WHERE model <> ?", [key])?;
        self.connection
            .execute("DELETE FROM vector_model WHERE model <> ?", [key])?;
        Ok(notes + messages)
    }

    fn model_key(&self, model: &VectorModel) -> Result<i64> {
        if let Some(key) = self.known_model(model)? {
            return Ok(key);
        }
        let sql = "INSERT INTO vector_model (name, digest, pooling, dimension) VALUES (?, ?, ?, ?)";
        let dimension = count("dimension", model.dimension as u64)?;
        self.connection
            .execute(sql, (&model.name, &model.digest, &model.pooling, dimension))?;
        Ok(self.connection.last_insert_rowid())
    }

    fn next_row(&self, table: &Sealed) -> Result<i64> {
        let sql = format!("SELECT ifnull(max(row), 0) + 1 FROM {}", table.table());
        Ok(self
            .connection
            .prepare_cached(&sql)?
            .query_row([], |row| row.get(0))?)
    }

    fn note_revision(&self, id: NoteId) -> Result<Option<(Seq, i64)>> {
        let sql = "SELECT seq, revision FROM note WHERE id = ? AND deleted_at IS NULL";
        let mut statement = self.connection.prepare_cached(sql)?;
        Ok(statement
            .query_row([Id(id.0)], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?)
    }

    /// Vectors of a note whose text did not change belong to its new revision.
    pub(super) fn restamp_vectors(&self, note: Seq, revision: u64) -> Result<()> {
        let sql = format!("{} WHERE note = ?", NOTE_VECTOR.select());
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut rows = statement.query([note])?;
        let revision = count("revision", revision)?;
        while let Some(row) = rows.next()? {
            let field: String = row.get(3)?;
            let vector: Vec<u8> = row.get(6)?;
            NOTE_VECTOR.check(row, 0)?;
            let (key, model, part): (i64, i64, i64) = (row.get(0)?, row.get(1)?, row.get(4)?);
            NOTE_VECTOR.update(
                &self.connection,
                &[&key, &model, &note, &field, &part, &revision, &vector],
            )?;
        }
        Ok(())
    }
}

impl View {
    /// The models that there are vectors of.
    pub fn vector_models(&self) -> Result<Vec<VectorModel>> {
        let sql = "SELECT name, digest, pooling, dimension FROM vector_model ORDER BY model";
        let mut statement = self.connection.prepare_cached(sql)?;
        let models = statement.query_map([], |row| {
            let dimension = usize::try_from(row.get::<_, i64>(3)?).unwrap_or(0);
            Ok(VectorModel {
                name: row.get(0)?,
                digest: row.get(1)?,
                pooling: row.get(2)?,
                dimension,
            })
        })?;
        Ok(models.collect::<rusqlite::Result<_>>()?)
    }

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
            "SELECT {}, note.id FROM note_vector JOIN note ON note.seq = note_vector.note \
             WHERE note_vector.model = ? ORDER BY note_vector.row",
            NOTE_VECTOR.columns()
        );
        let mut statement = self.connection.prepare(&sql)?;
        let mut rows = statement.query([key])?;
        while let Some(row) = rows.next()? {
            each(read_note_vector(row, model.dimension)?)?;
        }
        Ok(())
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
            "SELECT {}, message.id FROM message_vector JOIN message ON message.seq = message_vector.message \
             WHERE message_vector.model = ? ORDER BY message_vector.row",
            MESSAGE_VECTOR.columns()
        );
        let mut statement = self.connection.prepare(&sql)?;
        let mut rows = statement.query([key])?;
        while let Some(row) = rows.next()? {
            MESSAGE_VECTOR.check(row, 0)?;
            let bytes: Vec<u8> = row.get(3)?;
            let vector = vector_from(&bytes, model.dimension)
                .map_err(|reason| MESSAGE_VECTOR.damaged(row, 0, reason))?;
            each(MessageVector {
                message: MessageId(row.get::<_, Id>(MESSAGE_VECTOR.width() + 1)?.0),
                vector,
            })?;
        }
        Ok(())
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
        let mut statement = self.connection.prepare_cached(sql)?;
        let ids = statement.query_map((model, limit), |row| row.get(0))?;
        Ok(ids.collect::<rusqlite::Result<_>>()?)
    }

    fn known_model(&self, model: &VectorModel) -> Result<Option<i64>> {
        let sql = "SELECT model, dimension FROM vector_model WHERE name = ? AND digest = ? AND pooling = ?";
        let mut statement = self.connection.prepare_cached(sql)?;
        let found: Option<(i64, i64)> = statement
            .query_row((&model.name, &model.digest, &model.pooling), |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .optional()?;
        match found {
            Some((_, dimension)) if usize::try_from(dimension) != Ok(model.dimension) => {
                Err(StoreError::corrupt(format!(
                    "table vector_model: {} has dimension {dimension}, not {}",
                    model.name, model.dimension
                )))
            }
            found => Ok(found.map(|(key, _)| key)),
        }
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

fn read_note_vector(row: &Row<'_>, dimension: usize) -> Result<NoteVector> {
    NOTE_VECTOR.check(row, 0)?;
    let field: String = row.get(3)?;
    let bytes: Vec<u8> = row.get(6)?;
    Ok(NoteVector {
        note: NoteId(row.get::<_, Id>(NOTE_VECTOR.width() + 1)?.0),
        field: field
            .parse()
            .map_err(|error| NOTE_VECTOR.damaged(row, 0, error))?,
        part: row.get(4)?,
        revision: row.get::<_, i64>(5)?.cast_unsigned(),
        vector: vector_from(&bytes, dimension)
            .map_err(|reason| NOTE_VECTOR.damaged(row, 0, reason))?,
    })
}
