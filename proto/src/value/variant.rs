//! Rule 6: how an enum is read.

use serde::{
    Deserializer,
    de::{self, DeserializeSeed, EnumAccess, IntoDeserializer, VariantAccess, Visitor},
};

use super::{Value, de::Mismatch};

/// An enum's variant: `"Speak"`, or `{"Semantic": {…}}` with its content.
pub(super) struct Tagged {
    name: String,
    content: Option<Value>,
}

impl Tagged {
    pub(super) fn from_name(name: String) -> Self {
        Tagged {
            name,
            content: None,
        }
    }

    pub(super) fn from_entries(entries: Vec<(String, Value)>) -> Result<Self, Mismatch> {
        let mut present = entries
            .into_iter()
            .filter(|(_, content)| *content != Value::Nil);
        match (present.next(), present.next()) {
            (Some((name, content)), None) => Ok(Tagged {
                name,
                content: Some(content),
            }),
            _ => Err(de::Error::custom(
                "expected a variant: its name, or a map of that name alone",
            )),
        }
    }
}

impl<'de> EnumAccess<'de> for Tagged {
    type Error = Mismatch;
    type Variant = Content;

    fn variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<(S::Value, Content), Mismatch> {
        let variant = seed.deserialize(self.name.into_deserializer())?;
        Ok((variant, Content(self.content)))
    }
}

/// What stands under a variant's name.
pub(super) struct Content(Option<Value>);

impl Content {
    fn required(self) -> Result<Value, Mismatch> {
        self.0
            .ok_or_else(|| de::Error::custom("this variant has fields: expected a map of its name"))
    }
}

impl<'de> VariantAccess<'de> for Content {
    type Error = Mismatch;

    fn unit_variant(self) -> Result<(), Mismatch> {
        match self.0 {
            None => Ok(()),
            Some(_) => Err(de::Error::custom(
                "this variant has no fields: expected its name alone",
            )),
        }
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Mismatch> {
        seed.deserialize(self.required()?)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _len: usize, visitor: V) -> Result<V::Value, Mismatch> {
        self.required()?.deserialize_any(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        self.required()?.deserialize_map(visitor)
    }
}
