//! From bytes to [`Value`], taking nothing that the protocol's rules do not.

use std::{borrow::Cow, fmt};

use rmp::Marker;

use crate::{
    MAX_DEPTH, Value,
    value::path::{Path, first_non_finite},
};

/// Bytes that are no message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The bytes break a rule of the encoding.
    #[error("malformed message at byte {offset}: {reason}")]
    Malformed {
        /// The rule.
        reason: Malformed,
        /// How many bytes were good before it.
        offset: usize,
    },
    /// The bytes are well-formed, but a number in them is NaN or infinite.
    #[error("{field} must be a finite number")]
    NonFinite {
        /// Its path in the message; empty for the message itself.
        field: String,
    },
}

/// Which rule of the encoding was broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Malformed {
    /// The bytes end in the middle.
    Truncated,
    /// Bytes follow the message.
    TrailingBytes,
    /// The byte `c1`, which MessagePack never uses.
    Reserved,
    /// An extension type.
    Extension,
    /// A map's key is not text.
    KeyType,
    /// A map has this key twice.
    DuplicateKey(String),
    /// Text is not UTF-8.
    Utf8,
    /// More arrays and maps are open at once than [`MAX_DEPTH`].
    Depth,
    /// A declared length or count is larger than the bytes that remain could hold.
    Count,
}

impl Malformed {
    /// The rule as one stable word.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Malformed::Truncated => "truncated",
            Malformed::TrailingBytes => "trailing_bytes",
            Malformed::Reserved => "reserved",
            Malformed::Extension => "ext",
            Malformed::KeyType => "key_type",
            Malformed::DuplicateKey(_) => "duplicate_key",
            Malformed::Utf8 => "utf8",
            Malformed::Depth => "depth",
            Malformed::Count => "count",
        }
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Cow<'_, str> = match self {
            Malformed::Truncated => "it ends in the middle".into(),
            Malformed::TrailingBytes => "more bytes follow its end".into(),
            Malformed::Reserved => "the byte c1 is never used".into(),
            Malformed::Extension => "extension types are not taken".into(),
            Malformed::KeyType => "a map's key must be text".into(),
            Malformed::DuplicateKey(key) => {
                format!("the key {key:?} comes twice in one map").into()
            }
            Malformed::Utf8 => "text must be UTF-8".into(),
            Malformed::Depth => format!("nested deeper than {MAX_DEPTH}").into(),
            Malformed::Count => "a length or count goes past its end".into(),
        };
        f.write_str(&words)
    }
}

/// Reads one message, which must be all of the bytes. Maps come in the order of their keys.
pub fn decode(bytes: &[u8]) -> Result<Value, DecodeError> {
    let value = decode_structure(bytes)?;
    match first_non_finite(&value, Path::Root) {
        Some(field) => Err(DecodeError::NonFinite { field }),
        None => Ok(value),
    }
}

/// What each value of a message takes in memory beside its own bytes: its place in a list or map that grew as it came.
const VALUE_BYTES: usize = 64;

/// About how many bytes of memory a message takes once it is read, told without reading it: one of many tiny values takes
/// many times its own length. Of bytes that are no message it is what is read of them before that shows.
pub fn weight(bytes: &[u8]) -> usize {
    let mut reader = Reader { rest: bytes };
    let mut values = 0_usize;
    while !reader.rest.is_empty() {
        values += 1;
        let passed = match reader.head() {
            Ok(Head::Str(len) | Head::Bin(len)) => reader.take(len).is_ok(),
            Ok(Head::Scalar(_) | Head::Array(_) | Head::Map(_)) => true,
            Err(_) => false,
        };
        if !passed {
            break;
        }
    }
    bytes
        .len()
        .saturating_add(values.saturating_mul(VALUE_BYTES))
}

/// Reads one message that may still hold NaN or infinities: what is malformed outranks them.
pub(crate) fn decode_structure(bytes: &[u8]) -> Result<Value, DecodeError> {
    let mut reader = Reader { rest: bytes };
    let value = reader.value(0).and_then(|value| match reader.rest {
        [] => Ok(value),
        _ => Err(Malformed::TrailingBytes),
    });
    value.map_err(|reason| DecodeError::Malformed {
        reason,
        offset: bytes.len() - reader.rest.len(),
    })
}

/// The entries of a map that can be read before what is wrong with it, for telling whose message it was.
pub(crate) fn leading_entries(bytes: &[u8]) -> Vec<(String, Value)> {
    let mut reader = Reader { rest: bytes };
    let Ok(Head::Map(count)) = reader.head() else {
        return Vec::new();
    };
    (0..count)
        .map_while(|_| Some((reader.key().ok()?, reader.value(1).ok()?)))
        .collect()
}

/// Room set aside on a message's own word for how much is coming, so that small messages cannot claim much.
const TRUSTED_COUNT: usize = 1024;

struct Reader<'a> {
    rest: &'a [u8],
}

/// What a value's first bytes say: all of a scalar, the length or count of everything else.
enum Head {
    Scalar(Value),
    Str(usize),
    Bin(usize),
    Array(usize),
    Map(usize),
}

impl<'a> Reader<'a> {
    fn value(&mut self, depth: usize) -> Result<Value, Malformed> {
        match self.head()? {
            Head::Scalar(value) => Ok(value),
            Head::Str(len) => self.text(len).map(Value::Str),
            Head::Bin(len) => self.take(len).map(|bytes| Value::Bin(bytes.to_vec())),
            Head::Array(count) => self.array(count, depth),
            Head::Map(count) => self.map(count, depth),
        }
    }

    fn head(&mut self) -> Result<Head, Malformed> {
        let [marker] = self.fixed()?;
        Ok(match Marker::from_u8(marker) {
            Marker::Null => Head::Scalar(Value::Nil),
            Marker::True => Head::Scalar(Value::Bool(true)),
            Marker::False => Head::Scalar(Value::Bool(false)),
            Marker::FixPos(number) => integer(number),
            Marker::FixNeg(number) => integer(number),
            Marker::U8 => integer(u8::from_be_bytes(self.fixed()?)),
            Marker::U16 => integer(u16::from_be_bytes(self.fixed()?)),
            Marker::U32 => integer(u32::from_be_bytes(self.fixed()?)),
            Marker::U64 => Head::Scalar(u64::from_be_bytes(self.fixed()?).into()),
            Marker::I8 => integer(i8::from_be_bytes(self.fixed()?)),
            Marker::I16 => integer(i16::from_be_bytes(self.fixed()?)),
            Marker::I32 => integer(i32::from_be_bytes(self.fixed()?)),
            Marker::I64 => integer(i64::from_be_bytes(self.fixed()?)),
            Marker::F32 => Head::Scalar(f64::from(f32::from_be_bytes(self.fixed()?)).into()),
            Marker::F64 => Head::Scalar(f64::from_be_bytes(self.fixed()?).into()),
            Marker::FixStr(len) => Head::Str(len.into()),
            Marker::Str8 => Head::Str(self.len8()?),
            Marker::Str16 => Head::Str(self.len16()?),
            Marker::Str32 => Head::Str(self.len32()?),
            Marker::Bin8 => Head::Bin(self.len8()?),
            Marker::Bin16 => Head::Bin(self.len16()?),
            Marker::Bin32 => Head::Bin(self.len32()?),
            Marker::FixArray(count) => Head::Array(count.into()),
            Marker::Array16 => Head::Array(self.len16()?),
            Marker::Array32 => Head::Array(self.len32()?),
            Marker::FixMap(count) => Head::Map(count.into()),
            Marker::Map16 => Head::Map(self.len16()?),
            Marker::Map32 => Head::Map(self.len32()?),
            Marker::Reserved => return Err(Malformed::Reserved),
            Marker::FixExt1
            | Marker::FixExt2
            | Marker::FixExt4
            | Marker::FixExt8
            | Marker::FixExt16
            | Marker::Ext8
            | Marker::Ext16
            | Marker::Ext32 => return Err(Malformed::Extension),
        })
    }

    fn array(&mut self, count: usize, depth: usize) -> Result<Value, Malformed> {
        let depth = deeper(depth)?;
        self.expect(count)?;
        let mut items = Vec::with_capacity(count.min(TRUSTED_COUNT));
        for _ in 0..count {
            items.push(self.value(depth)?);
        }
        Ok(Value::Array(items))
    }

    fn map(&mut self, count: usize, depth: usize) -> Result<Value, Malformed> {
        let depth = deeper(depth)?;
        self.expect(count.saturating_mul(2))?;
        let mut entries = Vec::with_capacity(count.min(TRUSTED_COUNT));
        for _ in 0..count {
            entries.push((self.key()?, self.value(depth)?));
        }
        entries.sort_unstable_by(|(first, _), (second, _)| first.cmp(second));
        match entries
            .windows(2)
            .find(|pair| matches!(pair, [(first, _), (second, _)] if first == second))
        {
            Some([(key, _), ..]) => Err(Malformed::DuplicateKey(key.clone())),
            _ => Ok(Value::Map(entries)),
        }
    }

    fn key(&mut self) -> Result<String, Malformed> {
        match self.head()? {
            Head::Str(len) => self.text(len),
            _ => Err(Malformed::KeyType),
        }
    }

    fn len8(&mut self) -> Result<usize, Malformed> {
        Ok(u8::from_be_bytes(self.fixed()?).into())
    }

    fn len16(&mut self) -> Result<usize, Malformed> {
        Ok(u16::from_be_bytes(self.fixed()?).into())
    }

    fn len32(&mut self) -> Result<usize, Malformed> {
        usize::try_from(u32::from_be_bytes(self.fixed()?)).map_err(|_| Malformed::Count)
    }

    fn text(&mut self, len: usize) -> Result<String, Malformed> {
        let text = std::str::from_utf8(self.take(len)?).map_err(|_| Malformed::Utf8)?;
        Ok(text.to_owned())
    }

    fn fixed<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (bytes, rest) = self.rest.split_first_chunk().ok_or(Malformed::Truncated)?;
        self.rest = rest;
        Ok(*bytes)
    }

    fn take(&mut self, len: usize) -> Result<&'a [u8], Malformed> {
        let (bytes, rest) = self.rest.split_at_checked(len).ok_or(Malformed::Count)?;
        self.rest = rest;
        Ok(bytes)
    }

    /// Every item takes a byte at least: a count that the rest cannot hold is refused before any room is made.
    fn expect(&self, items: usize) -> Result<(), Malformed> {
        if items <= self.rest.len() {
            Ok(())
        } else {
            Err(Malformed::Count)
        }
    }
}

fn integer(number: impl Into<i64>) -> Head {
    Head::Scalar(number.into().into())
}

fn deeper(depth: usize) -> Result<usize, Malformed> {
    if depth < MAX_DEPTH {
        Ok(depth + 1)
    } else {
        Err(Malformed::Depth)
    }
}
