//! The fields of a concept or a situation asked for.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::decode::one_or_many;

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

impl SemanticQuery {
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        [self.concept_identifier.as_str()]
            .into_iter()
            .chain(self.description.as_deref())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.concept_identifier.trim().is_empty() && blank(self.description.as_ref())
    }
}

impl SituationQuery {
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
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

    pub(super) fn texts(&self) -> Vec<&str> {
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

    pub(super) fn is_empty(&self) -> bool {
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
fn blank(text: Option<&String>) -> bool {
    text.is_none_or(|text| text.trim().is_empty())
}
