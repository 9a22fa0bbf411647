//! What situations are made of, as far as several can share it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use soulmem_engine::model::{
    AbstractSituation, Environment, Event, Location, MemoryNote, MemoryType, Participant,
    SituationMemory, SpecificSituation,
};
use soulmem_engine::text::key;

/// What several situations can share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Aspect {
    /// Where it was.
    Place,
    /// Who took part.
    Person,
    /// In what air.
    Air,
    /// What was done.
    Act,
}

/// The elements of situations that can be shared, each as the pattern it would make.
pub fn elements(
    situations: &[Arc<MemoryNote>],
    own: &BTreeSet<String>,
) -> BTreeMap<(Aspect, String), AbstractSituation> {
    let mut found = BTreeMap::new();
    for lived in situations.iter().filter_map(|note| lived(note)) {
        for (aspect, name, pattern) in elements_of(lived) {
            let is_own = aspect == Aspect::Person && own.contains(&name);
            if !is_own && !name.is_empty() {
                found.entry((aspect, name)).or_insert(pattern);
            }
        }
    }
    found
}

fn elements_of(lived: &SpecificSituation) -> Vec<(Aspect, String, AbstractSituation)> {
    let context = &lived.context;
    let mut elements = Vec::new();
    if let Some(location) = &context.location {
        let place = Location {
            name: location.name.clone(),
            coordinates: location.coordinates.clone(),
        };
        elements.push((
            Aspect::Place,
            key(&location.name),
            AbstractSituation::Location(place),
        ));
    }
    for person in &context.participants {
        let person = Participant {
            name: person.name.clone(),
            role: String::new(),
        };
        elements.push((
            Aspect::Person,
            key(&person.name),
            AbstractSituation::Participant(person),
        ));
    }
    let air = &context.environment;
    if !air.atmosphere.is_empty() {
        let shared = Environment {
            atmosphere: air.atmosphere.clone(),
            tone: String::new(),
        };
        elements.push((
            Aspect::Air,
            key(&air.atmosphere),
            AbstractSituation::Environment(shared),
        ));
    }
    for event in &context.event {
        let act = Event {
            action: event.action.clone(),
            action_intensity: event.action_intensity,
            initiator: String::new(),
            target: String::new(),
        };
        elements.push((
            Aspect::Act,
            key(&event.action),
            AbstractSituation::Event(act),
        ));
    }
    elements
}

/// A note as something that happened, where it is that.
pub fn lived(note: &MemoryNote) -> Option<&SpecificSituation> {
    match &note.mem_type {
        MemoryType::Situation(SituationMemory::SpecificSituation(lived)) => Some(lived),
        _ => None,
    }
}

/// Whether a note has an element of that name, folded.
pub fn has(note: &MemoryNote, aspect: Aspect, name: &str) -> bool {
    lived(note).is_some_and(|lived| {
        elements_of(lived)
            .iter()
            .any(|(other, own, _)| *other == aspect && own == name)
    })
}
