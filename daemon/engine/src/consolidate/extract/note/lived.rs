//! What happened, with who, where and what was felt.

use std::collections::BTreeSet;

use super::super::feeling::{affect, feelings};
use super::super::moment;
use super::super::person::place;
use super::super::rules::{Lesson, lesson};
use super::super::sentence::{Clause, Kind, Told};
use super::{LESSON, ORDINARY, PROMISED, plain, subject_of, tags, with_subject};
use crate::consolidate::finding::{EXPERIENCE, Finding, Polarity, Utterance};
use crate::model::{
    Context, Event, Location, MemoryType, Participant, SituationMemory, SpecificSituation, TimeSpan,
};

/// How strongly something is done that is told without emphasis.
const DONE: f64 = 0.5;
/// Characters of an act.
const MAX_ACTION_CHARS: usize = 40;

pub(super) fn situation(
    told: &Told<'_>,
    said: &Utterance<'_>,
    current: Option<TimeSpan>,
    polarity: Polarity,
) -> Finding {
    let times: Vec<moment::Told> = told
        .clauses
        .iter()
        .filter(|clause| {
            matches!(clause.kind, Kind::Event | Kind::Promise | Kind::Rest)
                || polarity == Polarity::Promise
        })
        .flat_map(|clause| clause.times.clone())
        .collect();
    let explicit = moment::of_event(&times);
    let continued = current.filter(|_| polarity == Polarity::Neutral);
    let time_span = explicit
        .or(continued)
        .unwrap_or(TimeSpan::Instant(said.at.timestamp()));
    let body = MemoryType::Situation(SituationMemory::SpecificSituation(SpecificSituation {
        narrative: with_subject(told, told.retold.clone()),
        time_span,
        context: context(told, said),
    }));
    let importance = if polarity == Polarity::Promise {
        PROMISED
    } else {
        ORDINARY
    };
    let mut labels = tags(EXPERIENCE, polarity);
    if is_lesson(told) {
        labels.push(LESSON.to_owned());
    }
    Finding {
        tags: labels,
        polarity,
        timed: explicit.is_some(),
        affect: affect(told.said, importance),
        ..plain(body, told, said)
    }
}

fn context(told: &Told<'_>, said: &Utterance<'_>) -> Context {
    let participants = told.participants.iter().map(|name| Participant {
        name: name.clone(),
        role: String::new(),
    });
    Context {
        location: place(told.said, told.language).map(|name| Location {
            name,
            coordinates: None,
        }),
        participants: participants.collect(),
        emotions: feelings(told.said),
        event: events(told, said),
        ..Context::default()
    }
}

/// What was done. Of a lesson: what went wrong, what was done about it, what came of that, in this order.
fn events(told: &Told<'_>, said: &Utterance<'_>) -> Vec<Event> {
    let event = |clause: &Clause| {
        let initiator = subject_of(told, clause, said);
        let target = told
            .participants
            .iter()
            .find(|name| **name != initiator && clause.told.contains(name.as_str()))
            .cloned()
            .unwrap_or_default();
        Event {
            action: action(clause, &initiator),
            action_intensity: DONE,
            initiator,
            target,
        }
    };
    if is_lesson(told) {
        let mut parts: Vec<(Lesson, &Clause)> = told
            .clauses
            .iter()
            .filter_map(|clause| Some((lesson(&clause.told)?, clause)))
            .collect();
        parts.sort_by_key(|(part, _)| *part);
        return parts.into_iter().map(|(_, clause)| event(clause)).collect();
    }
    told.clauses
        .iter()
        .filter(|clause| matches!(clause.kind, Kind::Event | Kind::Promise))
        .map(event)
        .filter(|event| !event.action.is_empty())
        .collect()
}

fn is_lesson(told: &Told<'_>) -> bool {
    let parts: BTreeSet<Lesson> = told
        .clauses
        .iter()
        .filter_map(|clause| lesson(&clause.told))
        .collect();
    parts.contains(&Lesson::Pain) && parts.contains(&Lesson::Solution)
}

/// The act of a clause: what is left without who did it and when.
fn action(clause: &Clause, initiator: &str) -> String {
    let mut text = clause.told.clone();
    // The times stand where they stood in what was said; what is told may have moved, so they are found by their words.
    if let Some(rest) = text.strip_prefix(initiator) {
        text = rest.to_owned();
    }
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    text.chars()
        .take(MAX_ACTION_CHARS)
        .collect::<String>()
        .trim()
        .to_owned()
}
