//! From [`Value`] to bytes: the shortest integers and lengths, 64-bit floats only, maps in the order of
//! their keys' bytes. So equal messages are equal bytes, whichever program wrote them.

use rmp::encode::{self, ByteBuf};
use serde::Serialize;

use crate::{
    Integer, MAX_DEPTH, Value, to_value,
    value::{
        Form,
        path::{Path, first_non_finite},
    },
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
    let mut buffer = ByteBuf::new();
    write(&mut buffer, value, 0)?;
    Ok(buffer.into_vec())
}

/// Writes a typed message as MessagePack; see [`to_value`] for how types become messages.
pub fn to_bytes<T: Serialize + ?Sized>(message: &T) -> Result<Vec<u8>, EncodeError> {
    encode(&to_value(message)?)
}

// Writing into memory cannot fail, which the compiler knows: `let Ok(…)` below has nothing to unwrap.
fn write(buffer: &mut ByteBuf, value: &Value, depth: usize) -> Result<(), EncodeError> {
    match value {
        Value::Nil => {
            let Ok(()) = encode::write_nil(buffer);
        }
        Value::Bool(truth) => {
            let Ok(()) = encode::write_bool(buffer, *truth);
        }
        Value::Int(integer) => write_integer(buffer, *integer),
        Value::Float(number) => {
            let Ok(()) = encode::write_f64(buffer, *number);
        }
        Value::Str(text) => write_text(buffer, text)?,
        Value::Bin(bytes) => {
            length(bytes.len())?;
            let Ok(()) = encode::write_bin(buffer, bytes);
        }
        Value::Array(items) => {
            let depth = deeper(depth)?;
            let Ok(_) = encode::write_array_len(buffer, length(items.len())?);
            items
                .iter()
                .try_for_each(|item| write(buffer, item, depth))?;
        }
        Value::Map(entries) => write_map(buffer, entries, deeper(depth)?)?,
    }
    Ok(())
}

fn write_integer(buffer: &mut ByteBuf, integer: Integer) {
    let Ok(_) = match integer.form() {
        Form::Natural(number) => encode::write_uint(buffer, number),
        Form::Negative(number) => encode::write_sint(buffer, number),
    };
}

fn write_text(buffer: &mut ByteBuf, text: &str) -> Result<(), EncodeError> {
    length(text.len())?;
    let Ok(()) = encode::write_str(buffer, text);
    Ok(())
}

fn write_map(
    buffer: &mut ByteBuf,
    entries: &[(String, Value)],
    depth: usize,
) -> Result<(), EncodeError> {
    let mut entries: Vec<&(String, Value)> = entries.iter().collect();
    entries.sort_unstable_by_key(|(key, _)| key);
    let Ok(_) = encode::write_map_len(buffer, length(entries.len())?);
    let mut previous = None;
    for (key, value) in entries {
        if previous.replace(key) == Some(key) {
            return Err(EncodeError::DuplicateKey { key: key.clone() });
        }
        write_text(buffer, key)?;
        write(buffer, value, depth)?;
    }
    Ok(())
}

fn length(len: usize) -> Result<u32, EncodeError> {
    u32::try_from(len).map_err(|_| EncodeError::Length)
}

fn deeper(depth: usize) -> Result<usize, EncodeError> {
    if depth < MAX_DEPTH {
        Ok(depth + 1)
    } else {
        Err(EncodeError::Depth)
    }
}
