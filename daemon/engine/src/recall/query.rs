//! Structured sub-queries: what a caller (or a query understood from plain text) asks for, field by field.
//!
//! Two shapes of `variant` are understood, and told apart by their keys alone:
//!
//! - *wrapped*: `{"Semantic": […]}` or `{"Situation": […]}` (one object instead of a list is taken as a list of one);
//! - *single*: the fields themselves, `{"concept_identifier": …}` or `{"narrative": …}`.
//!
//! The decoder looks at the first key before it looks at any value, so a wrapped query is never taken for a single one
//! with every field missing, which would search for nothing and find nothing.

use std::collections::BTreeSet;
use std::fmt;
use std::marker::PhantomData;

use jiff::Timestamp;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer, StrDeserializer};
use serde::de::{self, DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// One part of a structured query.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SubQuery {
    /// The larger, the more its hits are lifted when several sub-queries are merged (by at most 0.05).
    #[serde(default)]
    pub priority: u32,
    /// Tags the memory should carry.
    #[serde(default, deserialize_with = "one_or_many")]
    pub tag: Vec<String>,
    /// What is asked for.
    pub variant: QueryVariant,
}

/// What a sub-query asks for: things known or situations lived.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum QueryVariant {
    /// Any of these concepts.
    Semantic(Vec<SemanticQuery>),
    /// Any of these situations.
    Situation(Vec<SituationQuery>),
}

/// A concept or fact asked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SemanticQuery {
    /// Name of the concept, or the fact in a few words.
    pub concept_identifier: String,
    /// What is known of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// A situation asked for; every field may be left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SituationQuery {
    /// What happened, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub narrative: Option<String>,
    /// Where.
    #[serde(
        deserialize_with = "one_or_many",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub location: Vec<LocationQuery>,
    /// Who was there.
    #[serde(
        deserialize_with = "one_or_many",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub participants: Vec<ParticipantQuery>,
    /// When: any of these intervals.
    #[serde(
        deserialize_with = "one_or_many",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub time_span: Vec<IntervalQuery>,
    /// In what air.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<EnvironmentQuery>,
    /// What was felt.
    #[serde(
        deserialize_with = "one_or_many",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub emotions: Vec<FeelingQuery>,
    /// What was seen, heard, smelt, tasted or touched.
    #[serde(
        deserialize_with = "one_or_many",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub sensory_data: Vec<FeelingQuery>,
    /// What was done.
    #[serde(
        deserialize_with = "one_or_many",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub event: Vec<EventQuery>,
}

/// A place asked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LocationQuery {
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Where it lies, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coordinates: Option<String>,
}

/// A person asked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ParticipantQuery {
    /// Their name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The part they played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
}

/// An interval of time asked for, both ends included; an end left out is open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct IntervalQuery {
    /// First instant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<Timestamp>,
    /// Last instant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<Timestamp>,
}

/// The air of a situation asked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EnvironmentQuery {
    /// How it felt to be there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub atmosphere: Option<String>,
    /// The tone of what was going on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tone: Option<String>,
}

/// An emotion or a sensation asked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FeelingQuery {
    /// Its name.
    pub name: String,
    /// How strong, 0 to 1; told for completeness, not compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intensity: Option<f64>,
}

/// An event asked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EventQuery {
    /// What was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// How strongly, 0 to 1; told for completeness, not compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action_intensity: Option<f64>,
    /// By whom.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initiator: Option<String>,
    /// To whom or what.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
}

/// What is wrong with a sub-query.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {reason}")]
pub struct QueryError {
    /// Path of the field inside the sub-query, such as `variant.Semantic[0].concept_identifier`.
    pub field: String,
    /// What is wrong and what to do.
    pub reason: String,
}

/// Sub-queries in one request at most, and elements in one sub-query.
pub const MAX_PARTS: usize = 64;

impl SubQuery {
    /// Checks that there is something to search for and that nothing is out of range.
    pub fn check(&self) -> Result<(), QueryError> {
        let elements = match &self.variant {
            QueryVariant::Semantic(concepts) => concepts.len(),
            QueryVariant::Situation(situations) => situations.len(),
        };
        if elements > MAX_PARTS {
            return Err(wrong(
                "variant",
                format!("has {elements} elements; {MAX_PARTS} at most"),
            ));
        }
        if self.is_empty() {
            return Err(wrong(
                "variant",
                "asks for nothing: give a tag or at least one field with text".into(),
            ));
        }
        self.check_intervals()
    }

    fn check_intervals(&self) -> Result<(), QueryError> {
        let QueryVariant::Situation(situations) = &self.variant else {
            return Ok(());
        };
        for (i, situation) in situations.iter().enumerate() {
            for (j, span) in situation.time_span.iter().enumerate() {
                if matches!((span.start, span.end), (Some(start), Some(end)) if start > end) {
                    let field = format!("variant.Situation[{i}].time_span[{j}]");
                    return Err(wrong(&field, "starts after it ends".into()));
                }
            }
        }
        Ok(())
    }

    /// Every text of the sub-query, in a fixed order and without repeats: what has to be embedded, and what candidates are
    /// searched by.
    pub fn texts(&self) -> Vec<&str> {
        let mut texts: Vec<&str> = self.tag.iter().map(String::as_str).collect();
        match &self.variant {
            QueryVariant::Semantic(concepts) => {
                texts.extend(concepts.iter().flat_map(SemanticQuery::texts));
            }
            QueryVariant::Situation(situations) => {
                texts.extend(situations.iter().flat_map(SituationQuery::texts));
            }
        }
        texts.retain(|text| !text.trim().is_empty());
        let mut seen = BTreeSet::new();
        texts.retain(|text| seen.insert(*text));
        texts
    }

    /// The texts that name something: concepts, places, people, airs and acts.
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = match &self.variant {
            QueryVariant::Semantic(concepts) => concepts
                .iter()
                .map(|concept| concept.concept_identifier.as_str())
                .collect(),
            QueryVariant::Situation(situations) => {
                situations.iter().flat_map(SituationQuery::names).collect()
            }
        };
        names.retain(|name| !name.trim().is_empty());
        names
    }

    /// True where neither a tag nor any field holds text or time.
    pub fn is_empty(&self) -> bool {
        let tags = self.tag.iter().all(|tag| tag.trim().is_empty());
        tags && match &self.variant {
            QueryVariant::Semantic(concepts) => concepts.iter().all(SemanticQuery::is_empty),
            QueryVariant::Situation(situations) => situations.iter().all(SituationQuery::is_empty),
        }
    }
}

fn wrong(field: &str, reason: String) -> QueryError {
    QueryError {
        field: field.to_owned(),
        reason,
    }
}

impl SemanticQuery {
    fn texts(&self) -> impl Iterator<Item = &str> {
        [self.concept_identifier.as_str()]
            .into_iter()
            .chain(self.description.as_deref())
    }

    fn is_empty(&self) -> bool {
        self.concept_identifier.trim().is_empty() && blank(self.description.as_ref())
    }
}

impl SituationQuery {
    fn names(&self) -> impl Iterator<Item = &str> {
        let places = self.location.iter().map(|place| &place.name);
        let people = self.participants.iter().map(|person| &person.name);
        let air = self
            .environment
            .iter()
            .flat_map(|air| [&air.atmosphere, &air.tone]);
        let events = self.event.iter().map(|event| &event.action);
        places
            .chain(people)
            .chain(air)
            .chain(events)
            .filter_map(|name| name.as_deref())
    }

    fn texts(&self) -> Vec<&str> {
        let places = self
            .location
            .iter()
            .flat_map(|place| [&place.name, &place.coordinates]);
        let people = self
            .participants
            .iter()
            .flat_map(|person| [&person.name, &person.role]);
        let air = self
            .environment
            .iter()
            .flat_map(|air| [&air.atmosphere, &air.tone]);
        let events = self
            .event
            .iter()
            .flat_map(|event| [&event.action, &event.initiator, &event.target]);
        let feelings = self
            .emotions
            .iter()
            .chain(&self.sensory_data)
            .map(|feeling| feeling.name.as_str());
        let fields = [&self.narrative]
            .into_iter()
            .chain(places)
            .chain(people)
            .chain(air)
            .chain(events);
        fields
            .filter_map(|text| text.as_deref())
            .chain(feelings)
            .collect()
    }

    fn is_empty(&self) -> bool {
        blank(self.narrative.as_ref())
            && self
                .time_span
                .iter()
                .all(|span| span.start.is_none() && span.end.is_none())
            && self
                .location
                .iter()
                .all(|place| blank(place.name.as_ref()) && blank(place.coordinates.as_ref()))
            && self
                .participants
                .iter()
                .all(|person| blank(person.name.as_ref()) && blank(person.role.as_ref()))
            && self
                .environment
                .iter()
                .all(|air| blank(air.atmosphere.as_ref()) && blank(air.tone.as_ref()))
            && self
                .emotions
                .iter()
                .chain(&self.sensory_data)
                .all(|feeling| feeling.name.trim().is_empty())
            && self.event.iter().all(|event| {
                blank(event.action.as_ref())
                    && blank(event.initiator.as_ref())
                    && blank(event.target.as_ref())
            })
    }
}

/// True for a text that is not there or holds only white space.
pub(super) fn blank(text: Option<&String>) -> bool {
    text.is_none_or(|text| text.trim().is_empty())
}

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

fn one_or_many<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
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

#[cfg(test)]
mod tests {
    use super::*;

    fn variant(json: &str) -> Result<QueryVariant, String> {
        serde_json::from_str(json).map_err(|error| error.to_string())
    }

    fn concept(name: &str) -> SemanticQuery {
        SemanticQuery {
            concept_identifier: name.into(),
            description: None,
        }
    }

    #[test]
    fn wrapped_and_single_shapes_mean_the_same() {
        let expected = Ok(QueryVariant::Semantic(vec![concept("猫")]));
        assert_eq!(
            variant(r#"{"Semantic": [{"concept_identifier": "猫"}]}"#),
            expected
        );
        assert_eq!(
            variant(r#"{"Semantic": {"concept_identifier": "猫"}}"#),
            expected
        );
        assert_eq!(variant(r#"{"concept_identifier": "猫"}"#), expected);
        let rain = SituationQuery {
            narrative: Some("下雨".into()),
            ..SituationQuery::default()
        };
        let expected = Ok(QueryVariant::Situation(vec![rain]));
        assert_eq!(
            variant(r#"{"Situation": [{"narrative": "下雨"}]}"#),
            expected
        );
        assert_eq!(variant(r#"{"Situation": {"narrative": "下雨"}}"#), expected);
        assert_eq!(variant(r#"{"narrative": "下雨"}"#), expected);
    }

    /// The fault this guards against: an untagged decoder took a wrapped query for a single one without a concept, so
    /// every query searched for nothing.
    #[test]
    fn a_wrapped_query_is_never_a_single_one_with_nothing_in_it() {
        let json = r#"{"Semantic": [{"concept_identifier": "Rust", "description": "a language"}]}"#;
        let Ok(QueryVariant::Semantic(concepts)) = variant(json) else {
            panic!("not semantic")
        };
        assert_eq!(concepts[0].concept_identifier, "Rust");
        assert_eq!(concepts[0].description.as_deref(), Some("a language"));
    }

    #[test]
    fn key_order_does_not_matter_in_a_single_query() {
        let Ok(QueryVariant::Semantic(concepts)) =
            variant(r#"{"description": "d", "concept_identifier": "c"}"#)
        else {
            panic!("not semantic")
        };
        assert_eq!(
            (
                concepts[0].concept_identifier.as_str(),
                concepts[0].description.as_deref()
            ),
            ("c", Some("d"))
        );
    }

    #[test]
    fn refusals_name_the_key() {
        for (json, word) in [
            ("{}", "empty map"),
            (r#"{"Semantik": []}"#, "Semantik"),
            (r#"{"Semantic": [], "Situation": []}"#, "Situation"),
            (r#"{"description": "only"}"#, "concept_identifier"),
            (r#"{"Semantic": ["text"]}"#, "SemanticQuery"),
            (r#""Semantic""#, "Situation"),
        ] {
            let error = variant(json).expect_err(json);
            assert!(error.contains(word), "{json}: {error}");
        }
    }

    #[test]
    fn lists_may_be_given_as_one_element() {
        let json = r#"{"location": {"name": "茶馆"}, "event": {"action": "下棋"}, "time_span": {"start": "2026-01-01T00:00:00Z"}}"#;
        let Ok(QueryVariant::Situation(situations)) = variant(json) else {
            panic!("not a situation")
        };
        assert_eq!(situations[0].location[0].name.as_deref(), Some("茶馆"));
        assert_eq!(situations[0].event[0].action.as_deref(), Some("下棋"));
        assert_eq!(situations[0].time_span.len(), 1);
        let query: SubQuery =
            serde_json::from_str(r#"{"tag": "猫", "variant": {"Semantic": []}}"#).unwrap();
        assert_eq!(query.tag, ["猫"]);
    }

    #[test]
    fn a_query_must_ask_for_something() {
        let query = |json: &str| serde_json::from_str::<SubQuery>(json).unwrap();
        assert!(
            query(r#"{"tag": ["猫"], "variant": {"Semantic": []}}"#)
                .check()
                .is_ok()
        );
        assert!(query(r#"{"variant": {"Semantic": []}}"#).check().is_err());
        assert!(
            query(r#"{"tag": [" "], "variant": {"Situation": [{"narrative": " "}]}}"#)
                .check()
                .is_err()
        );
        let backwards = r#"{"variant": {"Situation": [{"time_span":
            [{"start": "2026-01-02T00:00:00Z", "end": "2026-01-01T00:00:00Z"}]}]}}"#;
        assert_eq!(
            query(backwards).check().unwrap_err().field,
            "variant.Situation[0].time_span[0]"
        );
    }
}
