//! From [`Value`] to bytes: the shortest integers and lengths, 64-bit floats only, maps in the order of
//! their keys' bytes. So equal messages are equal bytes, whichever program wrote them.

use serde::{Serialize, Serializer};

use crate::{
    MAX_DEPTH, Value, to_value,
    value::path::{Path, first_non_finite},
};

/// A message that must not be written, because no peer may read it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// A number that is NaN or infinite.
    #[error("{field} is not a finite number")]
    NonFinite {
        /// Its path in the message; empty for the message itself.
        field: String,
    },
    /// A key that comes twice in one map.
    #[error("the key {key:?} comes twice in one map")]
    DuplicateKey {
        /// The key.
        key: String,
    },
    /// A map with keys that are not text.
    #[error("a map's key is not text")]
    KeyType,
    /// More arrays and maps open at once than [`MAX_DEPTH`].
    #[error("nested deeper than {MAX_DEPTH}")]
    Depth,
    /// One text, list or map of more than 2^32 − 1 bytes or items.
    #[error("a text, list or map has 2^32 bytes or items or more")]
    Length,
    /// A type that could not be written, in its own words.
    #[error("{0}")]
    Custom(String),
}

/// Writes a value as MessagePack.
pub fn encode(value: &Value) -> Result<Vec<u8>, EncodeError> {
    if let Some(field) = first_non_finite(value, Path::Root) {
        return Err(EncodeError::NonFinite { field });
    }
    check(value, 0)?;
    rmp_serde::to_vec(&Canonical(value)).map_err(|error| EncodeError::Custom(error.to_string()))
}

/// Writes a typed message as MessagePack; see [`to_value`] for how types become messages.
pub fn to_bytes<T: Serialize + ?Sized>(message: &T) -> Result<Vec<u8>, EncodeError> {
    encode(&to_value(message)?)
}

/// A value that is written with the entries of its maps in the order of their keys.
struct Canonical<'a>(&'a Value);

impl Serialize for Canonical<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Array(items) => serializer.collect_seq(items.iter().map(Canonical)),
            Value::Map(entries) => serializer.collect_map(
                sorted(entries)
                    .into_iter()
                    .map(|(key, value)| (key, Canonical(value))),
            ),
            leaf => leaf.serialize(serializer),
        }
    }
}

fn sorted(entries: &[(String, Value)]) -> Vec<&(String, Value)> {
    let mut entries: Vec<_> = entries.iter().collect();
    entries.sort_unstable_by_key(|(key, _)| key);
    entries
}

/// Refuses what MessagePack could hold and no peer may read.
fn check(value: &Value, depth: usize) -> Result<(), EncodeError> {
    match value {
        Value::Str(text) => length(text.len()),
        Value::Bin(bytes) => length(bytes.len()),
        Value::Array(items) => {
            let depth = deeper(depth)?;
            length(items.len())?;
            items.iter().try_for_each(|item| check(item, depth))
        }
        Value::Map(entries) => check_map(entries, deeper(depth)?),
        Value::Nil | Value::Bool(_) | Value::Int(_) | Value::Float(_) => Ok(()),
    }
}

fn check_map(entries: &[(String, Value)], depth: usize) -> Result<(), EncodeError> {
    length(entries.len())?;
    let sorted = sorted(entries);
    if let Some(pair) = sorted.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        let key = pair[0].0.clone();
        return Err(EncodeError::DuplicateKey { key });
    }
    entries.iter().try_for_each(|(key, value)| {
        length(key.len())?;
        check(value, depth)
    })
}

fn length(len: usize) -> Result<(), EncodeError> {
    u32::try_from(len)
        .map(drop)
        .map_err(|_| EncodeError::Length)
}

fn deeper(depth: usize) -> Result<usize, EncodeError> {
    if depth < MAX_DEPTH {
        Ok(depth + 1)
    } else {
        Err(EncodeError::Depth)
    }
}
