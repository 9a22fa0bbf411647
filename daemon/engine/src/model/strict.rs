//! Reading JSON written by hand: nothing unknown is let through, and every error has its path.
//!
//! On the wire unknown keys are ignored, so that a newer peer can add some. In a file that
//! somebody wrote, an unknown key is a misspelt one, and ignoring it would lose what it holds. The
//! same types serve both: here a key that a type would ignore is refused.

mod unique_keys;

use std::fmt::Display;

use serde::de::value::StrDeserializer;
use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, MapAccess, SeqAccess,
    VariantAccess, Visitor,
};
use serde::{Deserialize, forward_to_deserialize_any};
use serde_json::Value;

use super::check::ModelError;
use unique_keys::UniqueKeys;

/// How alike a known name must be (Jaro-Winkler, 0 to 1) to be offered for an unknown one.
const SUGGESTION_LIKENESS: f64 = 0.75;

/// Reads JSON, refusing an object that holds one key twice.
///
/// A byte-order mark in front is skipped. The error tells line and column.
pub fn parse_json(bytes: &[u8]) -> Result<Value, serde_json::Error> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    serde_json::from_slice::<UniqueKeys>(bytes).map(|UniqueKeys(value)| value)
}

/// Reads a value of type `T`, refusing unknown keys and variants and naming the nearest known one.
///
/// # Errors
///
/// A [`ModelError`] whose field is the path from `value`, such as `[3].mem_type.Semantic.aliases[0]`.
pub fn from_value<'de, T: Deserialize<'de>>(value: &'de Value) -> Result<T, ModelError> {
    T::deserialize(Strict::new(value))
}

/// The known name that `unknown` was probably meant to be.
pub fn nearest<'a>(unknown: &str, known: &[&'a str]) -> Option<&'a str> {
    known
        .iter()
        .map(|name| (strsim::jaro_winkler(unknown, name), *name))
        .filter(|(likeness, _)| *likeness >= SUGGESTION_LIKENESS)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, name)| name)
}

fn suggestion(unknown: &str, known: &[&str]) -> String {
    match nearest(unknown, known) {
        Some(name) => format!("; did you mean `{name}`?"),
        None if known.is_empty() => String::new(),
        None => format!("; known here: {}", known.join(", ")),
    }
}

impl de::Error for ModelError {
    fn custom<T: Display>(message: T) -> Self {
        Self::new("", message.to_string())
    }

    fn missing_field(field: &'static str) -> Self {
        Self::new(field, "is missing")
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        Self::new(
            field,
            format!("is not a known field{}", suggestion(field, expected)),
        )
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Self::new(
            "",
            format!("`{variant}` is not known{}", suggestion(variant, expected)),
        )
    }
}

/// A JSON value with what is needed to say why it may not stand where it stands.
#[derive(Clone, Copy)]
struct Strict<'de> {
    value: &'de Value,
    /// The key it stands under, and the keys that its object may have.
    key: &'de str,
    siblings: &'static [&'static str],
}

impl<'de> Strict<'de> {
    fn new(value: &'de Value) -> Self {
        Self {
            value,
            key: "",
            siblings: &[],
        }
    }

    fn visit_object<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ModelError> {
        match self.value {
            Value::Object(object) => visitor.visit_map(Fields {
                rest: object.iter(),
                value: None,
                known: fields,
            }),
            other => Err(invalid_type(other, &"an object")),
        }
    }
}

fn invalid_type(found: &Value, expected: &dyn de::Expected) -> ModelError {
    let found = match found {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(_) => "a string".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    };
    ModelError::new("", format!("is {found}, expected {expected}"))
}

impl<'de> Deserializer<'de> for Strict<'de> {
    type Error = ModelError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ModelError> {
        match self.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            // Numbers are read as the JSON library reads them; it refuses those out of range.
            Value::Number(number) => number
                .deserialize_any(visitor)
                .map_err(|error| ModelError::new("", error.to_string())),
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(items) => visitor.visit_seq(Items {
                rest: items.iter(),
                position: 0,
            }),
            Value::Object(_) => self.visit_object(&[], visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ModelError> {
        match self.value {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ModelError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ModelError> {
        self.visit_object(fields, visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ModelError> {
        match self.value {
            Value::String(name) => visitor.visit_enum(Variant { name, body: None }),
            Value::Object(object) => match (object.iter().next(), object.len()) {
                (Some((name, body)), 1) => visitor.visit_enum(Variant {
                    name,
                    body: Some(body),
                }),
                (_, count) => Err(ModelError::new(
                    "",
                    format!(
                        "has {count} keys, expected exactly one of: {}",
                        variants.join(", ")
                    ),
                )),
            },
            other => Err(invalid_type(
                other,
                &format!("one of: {}", variants.join(", ")).as_str(),
            )),
        }
    }

    /// The types ask to ignore a value exactly when they do not know its key.
    fn deserialize_ignored_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, ModelError> {
        Err(ModelError::new(
            "",
            format!(
                "is not a known field{}",
                suggestion(self.key, self.siblings)
            ),
        ))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map identifier
    }
}

/// The keys and values of an object.
struct Fields<'de> {
    rest: serde_json::map::Iter<'de>,
    value: Option<(&'de str, &'de Value)>,
    known: &'static [&'static str],
}

impl<'de> MapAccess<'de> for Fields<'de> {
    type Error = ModelError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, ModelError> {
        let Some((key, value)) = self.rest.next() else {
            return Ok(None);
        };
        self.value = Some((key, value));
        let key: StrDeserializer<'de, ModelError> = key.as_str().into_deserializer();
        seed.deserialize(key).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, ModelError> {
        let Some((key, value)) = self.value.take() else {
            return Err(ModelError::new("", "a value was read before its key"));
        };
        seed.deserialize(Strict {
            value,
            key,
            siblings: self.known,
        })
        .map_err(|error| error.within(key))
    }
}

/// The items of a list.
struct Items<'de> {
    rest: std::slice::Iter<'de, Value>,
    position: usize,
}

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = ModelError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, ModelError> {
        let Some(value) = self.rest.next() else {
            return Ok(None);
        };
        let position = self.position;
        self.position += 1;
        seed.deserialize(Strict::new(value))
            .map(Some)
            .map_err(|error| error.within(format_args!("[{position}]")))
    }
}

/// A variant: its name, and its body where it has one.
struct Variant<'de> {
    name: &'de str,
    body: Option<&'de Value>,
}

impl<'de> Variant<'de> {
    fn body(&self) -> Result<Strict<'de>, ModelError> {
        self.body.map(Strict::new).ok_or_else(|| {
            ModelError::new(
                "",
                format!("`{0}` needs a value: {{\"{0}\": …}}", self.name),
            )
        })
    }

    fn inside<T>(&self, result: Result<T, ModelError>) -> Result<T, ModelError> {
        result.map_err(|error| error.within(self.name))
    }
}

impl<'de> EnumAccess<'de> for Variant<'de> {
    type Error = ModelError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, Self), ModelError> {
        let name: StrDeserializer<'de, ModelError> = self.name.into_deserializer();
        Ok((seed.deserialize(name)?, self))
    }
}

impl<'de> VariantAccess<'de> for Variant<'de> {
    type Error = ModelError;

    fn unit_variant(self) -> Result<(), ModelError> {
        match self.body {
            None => Ok(()),
            Some(_) => Err(ModelError::new(
                self.name,
                format!("takes no value: write \"{}\" alone", self.name),
            )),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(
        self,
        seed: T,
    ) -> Result<T::Value, ModelError> {
        let body = self.body()?;
        self.inside(seed.deserialize(body))
    }

    fn tuple_variant<V: Visitor<'de>>(
        self,
        _len: usize,
        visitor: V,
    ) -> Result<V::Value, ModelError> {
        let body = self.body()?;
        self.inside(body.deserialize_any(visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ModelError> {
        let body = self.body()?;
        self.inside(body.visit_object(fields, visitor))
    }
}
