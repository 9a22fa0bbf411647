//! From Rust types to [`Value`], under the protocol's rules 1, 3, 4, 5 and 6.

use serde::{
    Serialize, Serializer,
    ser::{
        self, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
        SerializeTupleStruct, SerializeTupleVariant,
    },
};

use super::Value;
use crate::EncodeError;

/// Writes a typed payload: structs as maps of their field names, what is `None` left out, enums externally
/// tagged, 32-bit floats widened.
pub fn to_value<T: Serialize + ?Sized>(payload: &T) -> Result<Value, EncodeError> {
    payload.serialize(ToValue)
}

impl ser::Error for EncodeError {
    fn custom<T: std::fmt::Display>(message: T) -> Self {
        EncodeError::Custom(message.to_string())
    }
}

struct ToValue;

impl Serializer for ToValue {
    type Ok = Value;
    type Error = EncodeError;
    type SerializeSeq = Items;
    type SerializeTuple = Items;
    type SerializeTupleStruct = Items;
    type SerializeTupleVariant = Items;
    type SerializeMap = Fields;
    type SerializeStruct = Fields;
    type SerializeStructVariant = Fields;

    fn serialize_bool(self, truth: bool) -> Result<Value, EncodeError> {
        Ok(Value::Bool(truth))
    }

    fn serialize_i8(self, number: i8) -> Result<Value, EncodeError> {
        self.serialize_i64(number.into())
    }

    fn serialize_i16(self, number: i16) -> Result<Value, EncodeError> {
        self.serialize_i64(number.into())
    }

    fn serialize_i32(self, number: i32) -> Result<Value, EncodeError> {
        self.serialize_i64(number.into())
    }

    fn serialize_i64(self, number: i64) -> Result<Value, EncodeError> {
        Ok(Value::Int(number.into()))
    }

    fn serialize_u8(self, number: u8) -> Result<Value, EncodeError> {
        self.serialize_u64(number.into())
    }

    fn serialize_u16(self, number: u16) -> Result<Value, EncodeError> {
        self.serialize_u64(number.into())
    }

    fn serialize_u32(self, number: u32) -> Result<Value, EncodeError> {
        self.serialize_u64(number.into())
    }

    fn serialize_u64(self, number: u64) -> Result<Value, EncodeError> {
        Ok(Value::Int(number.into()))
    }

    fn serialize_f32(self, number: f32) -> Result<Value, EncodeError> {
        Ok(Value::Float(number.into()))
    }

    fn serialize_f64(self, number: f64) -> Result<Value, EncodeError> {
        Ok(Value::Float(number))
    }

    fn serialize_char(self, character: char) -> Result<Value, EncodeError> {
        Ok(Value::Str(character.into()))
    }

    fn serialize_str(self, text: &str) -> Result<Value, EncodeError> {
        Ok(Value::Str(text.to_owned()))
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<Value, EncodeError> {
        Ok(Value::Bin(bytes.to_vec()))
    }

    fn serialize_none(self) -> Result<Value, EncodeError> {
        Ok(Value::Nil)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Value, EncodeError> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<Value, EncodeError> {
        Ok(Value::Nil)
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Result<Value, EncodeError> {
        Ok(Value::Map(Vec::new()))
    }

    fn serialize_unit_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
    ) -> Result<Value, EncodeError> {
        Ok(variant.into())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        value: &T,
    ) -> Result<Value, EncodeError> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<Value, EncodeError> {
        Ok(tagged(Some(variant), value.serialize(self)?))
    }

    fn serialize_seq(self, len: Option<usize>) -> Result<Items, EncodeError> {
        Ok(Items {
            variant: None,
            items: Vec::with_capacity(len.unwrap_or(0)),
        })
    }

    fn serialize_tuple(self, len: usize) -> Result<Items, EncodeError> {
        self.serialize_seq(Some(len))
    }

    fn serialize_tuple_struct(self, _name: &'static str, len: usize) -> Result<Items, EncodeError> {
        self.serialize_seq(Some(len))
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Items, EncodeError> {
        Ok(Items {
            variant: Some(variant),
            items: Vec::with_capacity(len),
        })
    }

    fn serialize_map(self, len: Option<usize>) -> Result<Fields, EncodeError> {
        Ok(Fields {
            variant: None,
            key: None,
            entries: Vec::with_capacity(len.unwrap_or(0)),
        })
    }

    fn serialize_struct(self, _name: &'static str, len: usize) -> Result<Fields, EncodeError> {
        self.serialize_map(Some(len))
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Fields, EncodeError> {
        Ok(Fields {
            variant: Some(variant),
            key: None,
            entries: Vec::with_capacity(len),
        })
    }
}

/// Rule 6: what belongs to a variant stands in a map under the variant's name.
fn tagged(variant: Option<&'static str>, content: Value) -> Value {
    match variant {
        Some(name) => Value::Map(vec![(name.to_owned(), content)]),
        None => content,
    }
}

/// An array on its way.
struct Items {
    variant: Option<&'static str>,
    items: Vec<Value>,
}

impl SerializeSeq for Items {
    type Ok = Value;
    type Error = EncodeError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, item: &T) -> Result<(), EncodeError> {
        self.items.push(item.serialize(ToValue)?);
        Ok(())
    }

    fn end(self) -> Result<Value, EncodeError> {
        Ok(tagged(self.variant, Value::Array(self.items)))
    }
}

impl SerializeTuple for Items {
    type Ok = Value;
    type Error = EncodeError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, item: &T) -> Result<(), EncodeError> {
        SerializeSeq::serialize_element(self, item)
    }

    fn end(self) -> Result<Value, EncodeError> {
        SerializeSeq::end(self)
    }
}

impl SerializeTupleStruct for Items {
    type Ok = Value;
    type Error = EncodeError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, item: &T) -> Result<(), EncodeError> {
        SerializeSeq::serialize_element(self, item)
    }

    fn end(self) -> Result<Value, EncodeError> {
        SerializeSeq::end(self)
    }
}

impl SerializeTupleVariant for Items {
    type Ok = Value;
    type Error = EncodeError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, item: &T) -> Result<(), EncodeError> {
        SerializeSeq::serialize_element(self, item)
    }

    fn end(self) -> Result<Value, EncodeError> {
        SerializeSeq::end(self)
    }
}

/// A map on its way.
struct Fields {
    variant: Option<&'static str>,
    key: Option<String>,
    entries: Vec<(String, Value)>,
}

impl Fields {
    /// Rule 3: what is nil is left out.
    fn push(&mut self, key: String, value: Value) {
        if value != Value::Nil {
            self.entries.push((key, value));
        }
    }
}

impl SerializeMap for Fields {
    type Ok = Value;
    type Error = EncodeError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), EncodeError> {
        match key.serialize(ToValue)? {
            Value::Str(key) => self.key = Some(key),
            _ => return Err(EncodeError::KeyType),
        }
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), EncodeError> {
        let key = self.key.take().ok_or(EncodeError::KeyType)?;
        self.push(key, value.serialize(ToValue)?);
        Ok(())
    }

    fn end(self) -> Result<Value, EncodeError> {
        Ok(tagged(self.variant, Value::Map(self.entries)))
    }
}

impl SerializeStruct for Fields {
    type Ok = Value;
    type Error = EncodeError;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), EncodeError> {
        self.push(name.to_owned(), value.serialize(ToValue)?);
        Ok(())
    }

    fn end(self) -> Result<Value, EncodeError> {
        SerializeMap::end(self)
    }
}

impl SerializeStructVariant for Fields {
    type Ok = Value;
    type Error = EncodeError;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), EncodeError> {
        SerializeStruct::serialize_field(self, name, value)
    }

    fn end(self) -> Result<Value, EncodeError> {
        SerializeMap::end(self)
    }
}
