//! A message before it has a type, and its ways to and from Rust types.

mod de;
mod integer;
pub(crate) mod path;
mod plain;
mod ser;
mod variant;

pub use de::{PayloadError, from_value};
pub(crate) use integer::Form;
pub use integer::Integer;
pub use ser::to_value;

/// Anything that the wire can carry.
///
/// A map is a list of entries, in whatever order they were put there: [`decode`](crate::decode) gives and
/// [`encode`](crate::encode) writes the order of the keys' bytes.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Value {
    /// Nothing; in a map the same as a key that is left out.
    #[default]
    Nil,
    /// A truth value.
    Bool(bool),
    /// A whole number, −2^63 to 2^64 − 1.
    Int(Integer),
    /// A number. [`encode`](crate::encode) refuses NaN and the infinities.
    Float(f64),
    /// Text.
    Str(String),
    /// Raw bytes.
    Bin(Vec<u8>),
    /// A list.
    Array(Vec<Value>),
    /// A map or a struct. [`encode`](crate::encode) refuses a key that comes twice.
    Map(Vec<(String, Value)>),
}

impl Value {
    /// The value under that key, if this is a map that has it.
    pub fn get(&self, key: &str) -> Option<&Value> {
        let entries = self.as_map()?;
        entries
            .iter()
            .find(|(name, _)| name == key)
            .map(|(_, value)| value)
    }

    /// The text, if this is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::Str(text) => Some(text),
            _ => None,
        }
    }

    /// The number, if this is a whole one that is not negative.
    pub fn as_u64(&self) -> Option<u64> {
        match self {
            Value::Int(integer) => integer.as_u64(),
            _ => None,
        }
    }

    /// The items, if this is a list.
    pub fn as_array(&self) -> Option<&[Value]> {
        match self {
            Value::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The entries, if this is a map.
    pub fn as_map(&self) -> Option<&[(String, Value)]> {
        match self {
            Value::Map(entries) => Some(entries),
            _ => None,
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Value::Bool(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Value::Int(value.into())
    }
}

impl From<u64> for Value {
    fn from(value: u64) -> Self {
        Value::Int(value.into())
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Value::Float(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Value::Str(value.to_owned())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Value::Str(value)
    }
}

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(items: Vec<T>) -> Self {
        Value::Array(items.into_iter().map(Into::into).collect())
    }
}
