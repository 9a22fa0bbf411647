//! From [`Value`] to Rust types, under the protocol's rules 1, 2, 3, 5 and 6.
//!
//! serde by itself is kinder: it takes a struct from an array, text from bytes and the other way round.

use std::{fmt, vec};

use serde::{
    Deserializer,
    de::{
        self, DeserializeOwned, IntoDeserializer, Unexpected, Visitor,
        value::{MapDeserializer, SeqDeserializer},
    },
    forward_to_deserialize_any,
};

use super::{Form, Value, variant::Tagged};

/// A payload that is well-formed, but not what the operation takes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {message}")]
pub struct PayloadError {
    /// Path of the field, such as `messages[3].text`; `payload` for the whole.
    pub field: String,
    /// What is wrong with it.
    pub message: String,
}

/// Reads a typed payload.
///
/// Keys that the type does not know are ignored, unless the type itself refuses them; a key with `nil` is
/// as good as absent. Errors name the field by its path.
pub fn from_value<T: DeserializeOwned>(value: Value) -> Result<T, PayloadError> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let parent = match error.path().to_string() {
            root if root == "." => String::new(),
            path => path,
        };
        let Mismatch { message, missing } = error.into_inner();
        let field = match (parent.is_empty(), missing) {
            (true, None) => "payload".to_owned(),
            (false, None) => parent,
            (true, Some(name)) => name.to_owned(),
            (false, Some(name)) => format!("{parent}.{name}"),
        };
        PayloadError { field, message }
    })
}

/// What serde found wrong, before its place is known.
#[derive(Debug)]
pub struct Mismatch {
    message: String,
    /// Name of the field that is not there: serde reports it at the struct that should have it.
    missing: Option<&'static str>,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Mismatch {}

impl de::Error for Mismatch {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Mismatch {
            message: message.to_string(),
            missing: None,
        }
    }

    fn invalid_type(unexpected: Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        let kind = without_content(unexpected);
        Self::custom(format_args!("invalid type: {kind}, expected {expected}"))
    }

    fn invalid_value(unexpected: Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        let kind = without_content(unexpected);
        Self::custom(format_args!("invalid value: {kind}, expected {expected}"))
    }

    fn missing_field(field: &'static str) -> Self {
        Mismatch {
            message: "is missing".to_owned(),
            missing: Some(field),
        }
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        Self::custom(format_args!(
            "unknown field `{field}`{}",
            Nearest {
                to: field,
                among: expected
            }
        ))
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Self::custom(format_args!(
            "unknown variant `{variant}`{}",
            Nearest {
                to: variant,
                among: expected
            }
        ))
    }
}

/// What was said to a character has no place in an error, which may be logged.
fn without_content(unexpected: Unexpected<'_>) -> Unexpected<'_> {
    match unexpected {
        Unexpected::Str(_) => Unexpected::Other("text"),
        Unexpected::Bytes(_) => Unexpected::Other("raw bytes"),
        other => other,
    }
}

/// Displays as a hint to the known name that looks most like the unknown one.
struct Nearest<'a> {
    to: &'a str,
    among: &'static [&'static str],
}

impl fmt::Display for Nearest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let likeness = |name: &str| strsim::jaro_winkler(self.to, name);
        match self
            .among
            .iter()
            .max_by(|a, b| likeness(a).total_cmp(&likeness(b)))
        {
            Some(nearest) => write!(f, ", the nearest known one is `{nearest}`"),
            None => Ok(()),
        }
    }
}

impl Value {
    fn unexpected(&self) -> Unexpected<'_> {
        match self {
            Value::Nil => Unexpected::Other("nil"),
            Value::Bool(truth) => Unexpected::Bool(*truth),
            Value::Int(integer) => match integer.form() {
                Form::Natural(number) => Unexpected::Unsigned(number),
                Form::Negative(number) => Unexpected::Signed(number),
            },
            Value::Float(number) => Unexpected::Float(*number),
            Value::Str(_) => Unexpected::Other("text"),
            Value::Bin(_) => Unexpected::Other("raw bytes"),
            Value::Array(_) => Unexpected::Other("an array"),
            Value::Map(_) => Unexpected::Other("a map"),
        }
    }

    fn mismatch<'de, V: Visitor<'de>>(&self, visitor: &V) -> Mismatch {
        de::Error::invalid_type(self.unexpected(), visitor)
    }
}

type Entries = MapDeserializer<'static, vec::IntoIter<(String, Value)>, Mismatch>;

/// Rule 3: a key whose value is nil is absent.
fn present(mut entries: Vec<(String, Value)>) -> Entries {
    entries.retain(|(_, value)| *value != Value::Nil);
    MapDeserializer::new(entries.into_iter())
}

impl IntoDeserializer<'_, Mismatch> for Value {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Value {
    type Error = Mismatch;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        match self {
            Value::Nil => visitor.visit_unit(),
            Value::Bool(truth) => visitor.visit_bool(truth),
            Value::Int(integer) => match integer.form() {
                Form::Natural(number) => visitor.visit_u64(number),
                Form::Negative(number) => visitor.visit_i64(number),
            },
            Value::Float(number) => visitor.visit_f64(number),
            Value::Str(text) => visitor.visit_string(text),
            Value::Bin(bytes) => visitor.visit_byte_buf(bytes),
            Value::Array(items) => {
                let mut items = SeqDeserializer::new(items.into_iter());
                let read = visitor.visit_seq(&mut items)?;
                items.end()?;
                Ok(read)
            }
            Value::Map(entries) => {
                let mut entries = present(entries);
                let read = visitor.visit_map(&mut entries)?;
                entries.end()?;
                Ok(read)
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        match self {
            Value::Nil => visitor.visit_none(),
            value => visitor.visit_some(value),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        match self {
            Value::Str(text) => visitor.visit_string(text),
            other => Err(other.mismatch(&visitor)),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        self.deserialize_str(visitor)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        match self {
            Value::Bin(bytes) => visitor.visit_byte_buf(bytes),
            other => Err(other.mismatch(&visitor)),
        }
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        match self {
            Value::Map(_) => visitor.visit_unit(),
            other => Err(other.mismatch(&visitor)),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        match self {
            Value::Map(_) => self.deserialize_any(visitor),
            other => Err(other.mismatch(&visitor)),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        match self {
            Value::Str(name) => visitor.visit_enum(Tagged::from_name(name)),
            Value::Map(entries) => visitor.visit_enum(Tagged::from_entries(entries)?),
            other => Err(other.mismatch(&visitor)),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char unit seq tuple tuple_struct
        identifier
    }
}
