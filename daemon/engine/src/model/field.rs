//! The texts of a note, by name.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::check::{ModelError, is_blank};
use super::note::{MemoryNote, MemoryType};
use super::procedure::ProcMemory;
use super::semantic::SemMemory;
use super::situation::{
    AbstractSituation, Environment, Event, Location, Participant, SituationMemory,
    SpecificSituation,
};

/// A text of a note that can be embedded and searched.
///
/// A note may hold several texts of one field, such as the names of all who took part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Field {
    /// A tag.
    Tag,
    /// What a semantic note is about.
    Content,
    /// Another name of what a semantic note is about.
    Alias,
    /// What is known of it.
    Description,
    /// What happened.
    Narrative,
    /// The name of a place.
    LocationName,
    /// Where a place lies.
    LocationCoordinates,
    /// Who took part.
    ParticipantName,
    /// As what someone took part.
    ParticipantRole,
    /// A feeling.
    Emotion,
    /// A sensation.
    Sensory,
    /// The air of a place.
    EnvironmentAtmosphere,
    /// The tone of what went on.
    EnvironmentTone,
    /// What was done.
    EventAction,
    /// Who did it, or to whom or what.
    EventRole,
    /// What a procedure does.
    ActionContent,
}

impl Field {
    /// Every field, in order.
    pub const ALL: [Self; 16] = [
        Self::Tag,
        Self::Content,
        Self::Alias,
        Self::Description,
        Self::Narrative,
        Self::LocationName,
        Self::LocationCoordinates,
        Self::ParticipantName,
        Self::ParticipantRole,
        Self::Emotion,
        Self::Sensory,
        Self::EnvironmentAtmosphere,
        Self::EnvironmentTone,
        Self::EventAction,
        Self::EventRole,
        Self::ActionContent,
    ];

    /// The name on the wire and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tag => "tag",
            Self::Content => "content",
            Self::Alias => "alias",
            Self::Description => "description",
            Self::Narrative => "narrative",
            Self::LocationName => "location_name",
            Self::LocationCoordinates => "location_coordinates",
            Self::ParticipantName => "participant_name",
            Self::ParticipantRole => "participant_role",
            Self::Emotion => "emotion",
            Self::Sensory => "sensory",
            Self::EnvironmentAtmosphere => "environment_atmosphere",
            Self::EnvironmentTone => "environment_tone",
            Self::EventAction => "event_action",
            Self::EventRole => "event_role",
            Self::ActionContent => "action_content",
        }
    }
}

impl fmt::Display for Field {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl FromStr for Field {
    type Err = ModelError;

    fn from_str(text: &str) -> Result<Self, ModelError> {
        Self::ALL
            .into_iter()
            .find(|field| field.as_str() == text)
            .ok_or_else(|| ModelError::new("field", format!("`{text}` is not a field of a note")))
    }
}

/// Collects texts, leaving out those that show nothing.
struct Texts<'a>(Vec<(Field, Cow<'a, str>)>);

impl<'a> Texts<'a> {
    fn add(&mut self, field: Field, text: &'a str) {
        if !is_blank(text) {
            self.0.push((field, Cow::Borrowed(text)));
        }
    }

    fn semantic(&mut self, semantic: &'a SemMemory) {
        self.add(Field::Content, &semantic.content);
        for alias in &semantic.aliases {
            self.add(Field::Alias, alias);
        }
        self.add(Field::Description, &semantic.description);
    }

    fn specific(&mut self, specific: &'a SpecificSituation) {
        let context = &specific.context;
        self.add(Field::Narrative, &specific.narrative);
        context.location.iter().for_each(|it| self.location(it));
        context
            .participants
            .iter()
            .for_each(|it| self.participant(it));
        for emotion in &context.emotions {
            self.add(Field::Emotion, &emotion.name);
        }
        for sensed in &context.sensory_data {
            self.add(Field::Sensory, &sensed.name);
        }
        self.environment(&context.environment);
        context.event.iter().for_each(|it| self.event(it));
    }

    fn abstract_element(&mut self, element: &'a AbstractSituation) {
        match element {
            AbstractSituation::Location(location) => self.location(location),
            AbstractSituation::Participant(participant) => self.participant(participant),
            AbstractSituation::Environment(environment) => self.environment(environment),
            AbstractSituation::Event(event) => self.event(event),
        }
    }

    fn location(&mut self, location: &'a Location) {
        self.add(Field::LocationName, &location.name);
        if let Some(coordinates) = &location.coordinates {
            self.add(Field::LocationCoordinates, coordinates);
        }
    }

    fn participant(&mut self, participant: &'a Participant) {
        self.add(Field::ParticipantName, &participant.name);
        self.add(Field::ParticipantRole, &participant.role);
    }

    fn environment(&mut self, environment: &'a Environment) {
        self.add(Field::EnvironmentAtmosphere, &environment.atmosphere);
        self.add(Field::EnvironmentTone, &environment.tone);
    }

    fn event(&mut self, event: &'a Event) {
        self.add(Field::EventAction, &event.action);
        self.add(Field::EventRole, &event.initiator);
        self.add(Field::EventRole, &event.target);
    }

    fn procedure(&mut self, procedure: &'a ProcMemory) {
        self.add(Field::ActionContent, &procedure.action.content);
    }
}

impl MemoryNote {
    /// Every text of the note that can be embedded and searched, body first and then the tags.
    ///
    /// The order is fixed and texts that show nothing are left out. The body of a checked note
    /// always has at least one.
    pub fn text_fields(&self) -> Vec<(Field, Cow<'_, str>)> {
        let mut texts = Texts(Vec::new());
        match &self.mem_type {
            MemoryType::Semantic(semantic) => texts.semantic(semantic),
            MemoryType::Situation(SituationMemory::SpecificSituation(specific)) => {
                texts.specific(specific);
            }
            MemoryType::Situation(SituationMemory::AbstractSituation(element)) => {
                texts.abstract_element(element);
            }
            MemoryType::Procedure(procedure) => texts.procedure(procedure),
        }
        for tag in &self.tags {
            texts.add(Field::Tag, tag);
        }
        texts.0
    }

    /// The note in one line, to be shown: never empty for a checked note, and without line breaks.
    pub fn summary_text(&self) -> String {
        let shown = match &self.mem_type {
            MemoryType::Semantic(semantic) if is_blank(&semantic.description) => {
                semantic.content.clone()
            }
            MemoryType::Semantic(semantic) => {
                format!("{}: {}", semantic.content, semantic.description)
            }
            MemoryType::Situation(SituationMemory::SpecificSituation(specific)) => {
                specific.narrative.clone()
            }
            MemoryType::Situation(SituationMemory::AbstractSituation(element)) => {
                abstract_summary(element)
            }
            MemoryType::Procedure(procedure) => procedure.action.content.clone(),
        };
        shown.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

fn abstract_summary(element: &AbstractSituation) -> String {
    match element {
        AbstractSituation::Location(Location { name, coordinates }) => {
            with_remark(name, coordinates.as_deref().unwrap_or(""))
        }
        AbstractSituation::Participant(Participant { name, role }) => with_remark(name, role),
        AbstractSituation::Environment(Environment { atmosphere, tone }) => {
            shown_parts(&[atmosphere, tone]).join(", ")
        }
        AbstractSituation::Event(Event {
            action,
            initiator,
            target,
            ..
        }) => with_remark(action, &shown_parts(&[initiator, target]).join(" → ")),
    }
}

fn with_remark(name: &str, remark: &str) -> String {
    if is_blank(remark) {
        name.to_owned()
    } else {
        format!("{name} ({remark})")
    }
}

fn shown_parts<'a>(parts: &[&'a str]) -> Vec<&'a str> {
    parts
        .iter()
        .copied()
        .filter(|part| !is_blank(part))
        .collect()
}
