//! How the values of the model stand in columns.

use jiff::Timestamp;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use serde::Serialize;
use serde::de::DeserializeOwned;
use uuid::Uuid;

use super::error::{Result, StoreError};

/// A time, kept to the microsecond: what is finer is cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Micros(pub Timestamp);

impl ToSql for Micros {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.0.as_microsecond().into())
    }
}

impl FromSql for Micros {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let micros = value.as_i64()?;
        Timestamp::from_microsecond(micros)
            .map(Self)
            .map_err(|_| FromSqlError::OutOfRange(micros))
    }
}

/// The time as the store keeps it.
pub(super) fn kept(time: Timestamp) -> Timestamp {
    // Every time has a microsecond that is a time too.
    Timestamp::from_microsecond(time.as_microsecond()).unwrap_or(time)
}

/// An id, as its 16 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Id(pub Uuid);

impl ToSql for Id {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.0.as_bytes().as_slice().into())
    }
}

impl FromSql for Id {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let bytes = value.as_blob()?;
        Uuid::from_slice(bytes)
            .map(Self)
            .map_err(|_| FromSqlError::InvalidBlobSize {
                expected_size: 16,
                blob_size: bytes.len(),
            })
    }
}

/// A count; the model has them unsigned, SQLite does not.
pub(super) fn count(column: &str, value: u64) -> Result<i64> {
    i64::try_from(value).map_err(|_| StoreError::Invalid {
        field: column.to_owned(),
        reason: format!("{value} is more than can be counted"),
    })
}

/// A structured value as JSON text.
pub(super) fn json<T: Serialize>(field: &str, value: &T) -> Result<String> {
    serde_json::to_string(value).map_err(|error| StoreError::Invalid {
        field: field.to_owned(),
        reason: error.to_string(),
    })
}

/// A structured value from JSON text; the error is the reason alone.
pub(super) fn from_json<T: DeserializeOwned>(column: &str, text: &str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| format!("column {column}: {error}"))
}

/// A vector as little-endian f32.
pub(super) fn vector_bytes(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// A vector from its bytes, if they are as many as its dimension needs.
pub(super) fn vector_from(bytes: &[u8], dimension: usize) -> Result<Vec<f32>, String> {
    let (values, rest) = bytes.as_chunks::<4>();
    if values.len() != dimension || !rest.is_empty() {
        return Err(format!(
            "a vector of dimension {dimension} cannot have {} bytes",
            bytes.len()
        ));
    }
    Ok(values
        .iter()
        .map(|value| f32::from_le_bytes(*value))
        .collect())
}
