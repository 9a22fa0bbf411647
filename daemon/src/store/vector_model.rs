//! The models that vectors were made with.

use rusqlite::Row;

use super::column::count;
use super::error::{Result, StoreError};
use super::seal::Sealed;
use super::tx::{Tx, View};

pub(super) static VECTOR_MODEL: Sealed = Sealed::new(
    "vector_model",
    1,
    &["model", "name", "digest", "pooling", "dimension"],
);

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

impl Tx {
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

    pub(super) fn model_key(&self, model: &VectorModel) -> Result<i64> {
        if let Some(key) = self.known_model(model)? {
            return Ok(key);
        }
        let key = self.next_row("vector_model", "model")?;
        let dimension = count("dimension", model.dimension as u64)?;
        VECTOR_MODEL.insert(
            &self.connection,
            &[&key, &model.name, &model.digest, &model.pooling, &dimension],
        )?;
        Ok(key)
    }

    pub(super) fn next_row(&self, table: &str, key: &str) -> Result<i64> {
        let sql = format!("SELECT ifnull(max({key}), 0) + 1 FROM {table}");
        let next = self.one(&sql, [], |row| Ok(row.get(0)?))?;
        Ok(next.unwrap_or(1))
    }
}

impl View {
    /// The models that there are vectors of.
    pub fn vector_models(&self) -> Result<Vec<VectorModel>> {
        let sql = format!("{} ORDER BY model", VECTOR_MODEL.select());
        self.all(&sql, [], |row| Ok(read_model(row)?.1))
    }

    pub(super) fn known_model(&self, model: &VectorModel) -> Result<Option<i64>> {
        // The few models are all read and checked: a look-up by a damaged name would find none.
        let known = self.all(VECTOR_MODEL.select(), [], read_model)?;
        let same = |known: &VectorModel| {
            known.name == model.name
                && known.digest == model.digest
                && known.pooling == model.pooling
        };
        match known.into_iter().find(|(_, known)| same(known)) {
            Some((_, known)) if known.dimension != model.dimension => {
                Err(StoreError::Conflict(format!(
                    "vectors of {} have {} values, not {}",
                    model.name, known.dimension, model.dimension
                )))
            }
            found => Ok(found.map(|(key, _)| key)),
        }
    }
}

fn read_model(row: &Row<'_>) -> Result<(i64, VectorModel)> {
    VECTOR_MODEL.check(row, 0)?;
    let dimension = usize::try_from(row.get::<_, i64>(4)?).unwrap_or(0);
    let model = VectorModel {
        name: row.get(1)?,
        digest: row.get(2)?,
        pooling: row.get(3)?,
        dimension,
    };
    Ok((row.get(0)?, model))
}
