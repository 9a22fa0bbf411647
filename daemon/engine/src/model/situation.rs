//! Situations: what happened, and the patterns distilled from it.

use serde::{Deserialize, Serialize};

use super::check::{self, ModelError};
use super::nil::nil_as_default;
use super::time_span::TimeSpan;

/// Something that happened, or a pattern of what happens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum SituationMemory {
    /// One experience.
    SpecificSituation(SpecificSituation),
    /// A pattern distilled from specific situations.
    AbstractSituation(AbstractSituation),
}

/// One experience: what happened, when, and in which surroundings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SpecificSituation {
    /// What happened, told in words.
    pub narrative: String,
    /// When it happened.
    pub time_span: TimeSpan,
    /// The surroundings, as far as they are known.
    #[serde(default, deserialize_with = "nil_as_default")]
    pub context: Context,
}

/// A pattern: exactly one element that several situations share.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum AbstractSituation {
    /// A place.
    Location(Location),
    /// A person in a role.
    Participant(Participant),
    /// An air.
    Environment(Environment),
    /// An act.
    Event(Event),
}

/// The surroundings of an experience; every part may be missing.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Context {
    /// Where.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// Who took part.
    #[serde(default, deserialize_with = "nil_as_default")]
    pub participants: Vec<Participant>,
    /// What was felt.
    #[serde(default, deserialize_with = "nil_as_default")]
    pub emotions: Vec<Emotion>,
    /// What was seen, heard, smelt, tasted or touched.
    #[serde(default, deserialize_with = "nil_as_default")]
    pub sensory_data: Vec<SensoryData>,
    /// The air of the place and the moment.
    #[serde(default, deserialize_with = "nil_as_default")]
    pub environment: Environment,
    /// What was done.
    #[serde(default, deserialize_with = "nil_as_default")]
    pub event: Vec<Event>,
}

/// A place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Location {
    /// What it is called.
    pub name: String,
    /// Where it lies, in words or numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coordinates: Option<String>,
}

/// Someone who took part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Participant {
    /// Who.
    pub name: String,
    /// As what; may be empty.
    #[serde(default, deserialize_with = "nil_as_default")]
    pub role: String,
}

/// Something felt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Emotion {
    /// What it is called.
    pub name: String,
    /// How strong, from 0 to 1.
    pub intensity: f64,
}

/// Something perceived by the senses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SensoryData {
    /// What it was.
    pub name: String,
    /// How strong, from 0 to 1.
    pub intensity: f64,
}

/// The air of a place and a moment; either part may be empty.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Environment {
    /// What the place felt like.
    #[serde(default, deserialize_with = "nil_as_default")]
    pub atmosphere: String,
    /// The tone of what went on.
    #[serde(default, deserialize_with = "nil_as_default")]
    pub tone: String,
}

/// Something done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// What was done.
    pub action: String,
    /// How strongly, from 0 to 1.
    pub action_intensity: f64,
    /// Who did it; may be empty.
    #[serde(default, deserialize_with = "nil_as_default")]
    pub initiator: String,
    /// To whom or what; may be empty.
    #[serde(default, deserialize_with = "nil_as_default")]
    pub target: String,
}

impl SituationMemory {
    pub(super) fn check(&self) -> Result<(), ModelError> {
        match self {
            Self::SpecificSituation(specific) => specific
                .check()
                .map_err(|error| error.within("SpecificSituation")),
            Self::AbstractSituation(element) => element
                .check()
                .map_err(|error| error.within("AbstractSituation")),
        }
    }
}

impl SpecificSituation {
    fn check(&self) -> Result<(), ModelError> {
        check::text("narrative", &self.narrative)?;
        self.time_span
            .check()
            .map_err(|error| error.within("time_span"))?;
        self.context
            .check()
            .map_err(|error| error.within("context"))
    }
}

impl AbstractSituation {
    fn check(&self) -> Result<(), ModelError> {
        match self {
            Self::Location(location) => location.check().map_err(|e| e.within("Location")),
            Self::Participant(participant) => {
                participant.check().map_err(|e| e.within("Participant"))
            }
            Self::Environment(environment) => environment
                .check_shown()
                .map_err(|e| e.within("Environment")),
            Self::Event(event) => event.check().map_err(|e| e.within("Event")),
        }
    }
}

impl Context {
    fn check(&self) -> Result<(), ModelError> {
        if let Some(location) = &self.location {
            location.check().map_err(|e| e.within("location"))?;
        }
        check::few("participants", &self.participants, Participant::check)?;
        check::few("emotions", &self.emotions, |emotion| {
            check::text("name", &emotion.name)?;
            check::unit("intensity", emotion.intensity)
        })?;
        check::few("sensory_data", &self.sensory_data, |sensed| {
            check::text("name", &sensed.name)?;
            check::unit("intensity", sensed.intensity)
        })?;
        self.environment
            .check_length()
            .map_err(|e| e.within("environment"))?;
        check::few("event", &self.event, Event::check)
    }
}

impl Location {
    fn check(&self) -> Result<(), ModelError> {
        check::text("name", &self.name)?;
        check::length("coordinates", self.coordinates.as_deref().unwrap_or(""))
    }
}

impl Participant {
    fn check(&self) -> Result<(), ModelError> {
        check::text("name", &self.name)?;
        check::length("role", &self.role)
    }
}

impl Environment {
    fn check_length(&self) -> Result<(), ModelError> {
        check::length("atmosphere", &self.atmosphere)?;
        check::length("tone", &self.tone)
    }

    /// As the whole of an abstract situation an environment must say something.
    fn check_shown(&self) -> Result<(), ModelError> {
        if check::is_blank(&self.atmosphere) {
            check::text("tone", &self.tone).map_err(|_| {
                ModelError::new(
                    "atmosphere",
                    "must not be empty where the tone is empty too",
                )
            })?;
        }
        self.check_length()
    }
}

impl Event {
    fn check(&self) -> Result<(), ModelError> {
        check::text("action", &self.action)?;
        check::unit("action_intensity", self.action_intensity)?;
        check::length("initiator", &self.initiator)?;
        check::length("target", &self.target)
    }
}
