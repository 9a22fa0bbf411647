//! The decoder that tells the two shapes of a query apart by its keys.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer, StrDeserializer};
use serde::de::{self, DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::QueryVariant;

const SEMANTIC_FIELDS: &[&str] = &["concept_identifier", "description"];
const SITUATION_FIELDS: &[&str] = &[
    "narrative",
    "location",
    "participants",
    "time_span",
    "environment",
    "emotions",
    "sensory_data",
    "event",
];

impl<'de> Deserialize<'de> for QueryVariant {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(VariantVisitor)
    }
}

struct VariantVisitor;

impl<'de> Visitor<'de> for VariantVisitor {
    type Value = QueryVariant;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("{\"Semantic\": […]}, {\"Situation\": […]}, or the fields of one concept or one situation")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<QueryVariant, A::Error> {
        let Some(key) = map.next_key::<String>()? else {
            return Err(de::Error::custom(
                "an empty map asks for nothing: give Semantic, Situation, or their fields",
            ));
        };
        match key.as_str() {
            "Semantic" => wrapped(map, QueryVariant::Semantic),
            "Situation" => wrapped(map, QueryVariant::Situation),
            name if SEMANTIC_FIELDS.contains(&name) => {
                single(key, map).map(|concept| QueryVariant::Semantic(vec![concept]))
            }
            name if SITUATION_FIELDS.contains(&name) => {
                single(key, map).map(|situation| QueryVariant::Situation(vec![situation]))
            }
            name => Err(de::Error::custom(format_args!(
                "unknown key `{name}`: expected Semantic, Situation, or the fields of one ({}, {})",
                SEMANTIC_FIELDS.join(", "),
                SITUATION_FIELDS.join(", ")
            ))),
        }
    }
}

/// The rest of a wrapped query: its list, and nothing beside it.
fn wrapped<'de, A, T>(
    mut map: A,
    wrap: fn(Vec<T>) -> QueryVariant,
) -> Result<QueryVariant, A::Error>
where
    A: MapAccess<'de>,
    T: Deserialize<'de>,
{
    let OneOrMany(elements) = map.next_value()?;
    match map.next_key::<String>()? {
        None => Ok(wrap(elements)),
        Some(extra) => Err(de::Error::custom(format_args!(
            "`{extra}` beside the wrapped query: one sub-query asks for one kind; give the other in a sub-query of its own"
        ))),
    }
}

/// A single query whose first key has already been read.
fn single<'de, A, T>(first: String, map: A) -> Result<T, A::Error>
where
    A: MapAccess<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(MapAccessDeserializer::new(Replayed {
        first: Some(first),
        rest: map,
    }))
}

/// A map with its first key, which was read to tell the shapes apart, put back.
struct Replayed<A> {
    first: Option<String>,
    rest: A,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Replayed<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        match self.first.take() {
            Some(key) => seed.deserialize(StrDeserializer::new(&key)).map(Some),
            None => self.rest.next_key_seed(seed),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.rest.next_value_seed(seed)
    }
}

/// A list, or one element without the list around it.
struct OneOrMany<T>(Vec<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OneOrMany<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        one_or_many(deserializer).map(OneOrMany)
    }
}

pub(super) fn one_or_many<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    struct ListVisitor<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for ListVisitor<T> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
            f.write_str("a list, or one element of it")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Vec<T>, A::Error> {
            Vec::deserialize(SeqAccessDeserializer::new(seq))
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Vec<T>, A::Error> {
            T::deserialize(MapAccessDeserializer::new(map)).map(|one| vec![one])
        }

        fn visit_str<E: de::Error>(self, text: &str) -> Result<Vec<T>, E> {
            T::deserialize(StrDeserializer::new(text)).map(|one| vec![one])
        }

        fn visit_unit<E: de::Error>(self) -> Result<Vec<T>, E> {
            Ok(Vec::new())
        }
    }

    deserializer.deserialize_any(ListVisitor(PhantomData))
}
