//! What happened.

use super::ground::{Ground, borne_out, resolved};
use super::known::{bare, weighed};
use super::{MAX_ACTION_CHARS, MAX_ENTRIES, MAX_NAME_CHARS, ReadAct, ReadSituation, Unfounded};
use crate::consolidate::extract::anchors::anchors;
use crate::consolidate::extract::feeling::feelings;
use crate::consolidate::extract::note::{LESSON, ORDINARY, tags};
use crate::consolidate::finding::{EXPERIENCE, Finding, Polarity, Utterance};
use crate::model::{
    Context, Emotion, Environment, Event, Field, Location, MemoryType, Participant, SensoryData,
    SituationMemory, SpecificSituation, TimeSpan,
};

/// How strongly something is done that is told without emphasis.
const DONE: f64 = 0.5;

/// Something that happened.
pub fn situation(read: &ReadSituation, ground: &Ground<'_>) -> Result<Finding, Unfounded> {
    let sources = ground.sources(&read.sources)?;
    let narrative = read.narrative.trim();
    borne_out(narrative, &sources)?;
    let named = read
        .people
        .iter()
        .chain(read.acts.iter().flat_map(|act| [&act.by, &act.to]));
    ground.invents_nobody(narrative, named)?;
    let told = resolved(&read.when, &sources);
    let said_at = sources.iter().map(|said| said.at.timestamp()).min();
    let people = ground.known(&read.people);
    let is_lesson = read.lesson[..2].iter().all(|part| !part.trim().is_empty());
    let mut labels = tags(EXPERIENCE, polarity(read));
    if is_lesson {
        labels.push(LESSON.to_owned());
    }
    let body = MemoryType::Situation(SituationMemory::SpecificSituation(SpecificSituation {
        narrative: narrative.to_owned(),
        time_span: told.unwrap_or(TimeSpan::Instant(said_at.unwrap_or_default())),
        context: context(read, &people, is_lesson, ground, &sources),
    }));
    Ok(Finding {
        tags: labels,
        polarity: polarity(read),
        timed: told.is_some(),
        corrects: read.corrects,
        affect: weighed(read.weight, &sources, ORDINARY),
        anchors: anchors(Field::Narrative, narrative, &people),
        names: people,
        ..bare(body, &sources)
    })
}

fn polarity(read: &ReadSituation) -> Polarity {
    if read.corrects {
        Polarity::Correction
    } else {
        Polarity::Neutral
    }
}

fn context(
    read: &ReadSituation,
    people: &[String],
    is_lesson: bool,
    ground: &Ground<'_>,
    sources: &[&Utterance<'_>],
) -> Context {
    let place = read.place.trim();
    let participant = |name: &String| Participant {
        name: name.clone(),
        role: String::new(),
    };
    Context {
        location: ground.names(place).then(|| Location {
            name: place.to_owned(),
            coordinates: None,
        }),
        participants: people.iter().map(participant).collect(),
        emotions: felt(read, sources),
        sensory_data: weighted(&read.senses)
            .map(|(name, intensity)| SensoryData { name, intensity })
            .collect(),
        environment: Environment {
            atmosphere: short(&read.atmosphere),
            tone: short(&read.tone),
        },
        event: if is_lesson {
            lesson(read, people)
        } else {
            events(&read.acts, ground)
        },
    }
}

/// What was felt: as it was read, else by the words of the messages.
fn felt(read: &ReadSituation, sources: &[&Utterance<'_>]) -> Vec<Emotion> {
    let felt: Vec<Emotion> = weighted(&read.feelings)
        .map(|(name, intensity)| Emotion { name, intensity })
        .collect();
    if !felt.is_empty() {
        return felt;
    }
    let said: Vec<&str> = sources.iter().map(|said| said.text).collect();
    feelings(&said.join("\n"))
}

fn weighted(read: &[(String, f64)]) -> impl Iterator<Item = (String, f64)> {
    let named = read
        .iter()
        .map(|(name, strength)| (short(name), strength.clamp(0.0, 1.0)));
    named
        .filter(|(name, strength)| !name.is_empty() && !strength.is_nan())
        .take(MAX_ENTRIES)
}

/// What was done, by and to those who stand in the talk.
fn events(acts: &[ReadAct], ground: &Ground<'_>) -> Vec<Event> {
    let known = |name: &str| {
        Some(name.trim())
            .filter(|name| ground.names(name))
            .unwrap_or_default()
            .to_owned()
    };
    acts.iter()
        .map(|act| Event {
            action: within(&act.action, MAX_ACTION_CHARS),
            action_intensity: DONE,
            initiator: known(&act.by),
            target: known(&act.to),
        })
        .filter(|event| !event.action.is_empty())
        .take(MAX_ENTRIES)
        .collect()
}

/// What went wrong, what was done about it, what came of that, in this order.
fn lesson(read: &ReadSituation, people: &[String]) -> Vec<Event> {
    let initiator = people.first().cloned().unwrap_or_default();
    let event = |part: &String| Event {
        action: within(part, MAX_ACTION_CHARS),
        action_intensity: DONE,
        initiator: initiator.clone(),
        target: String::new(),
    };
    read.lesson
        .iter()
        .map(event)
        .filter(|event| !event.action.is_empty())
        .collect()
}

/// A name of an air, a feeling, a sensation.
fn short(text: &str) -> String {
    within(text, MAX_NAME_CHARS)
}

/// A text where it has so many characters at most; nothing where it has more.
fn within(text: &str, most: usize) -> String {
    let text = text.trim();
    if text.chars().count() > most {
        String::new()
    } else {
        text.to_owned()
    }
}
