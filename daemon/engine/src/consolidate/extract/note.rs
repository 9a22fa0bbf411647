//! From an understood sentence to notes.

use std::collections::BTreeSet;

use super::anchors::anchors;
use super::clause::Language;
use super::feeling::{affect, feelings};
use super::moment;
use super::person::place;
use super::preference::canonical;
use super::retell::{Roles, retold};
use super::rules::{Lesson, content_words, lesson};
use super::sentence::{Clause, Kind, Told};
use crate::consolidate::finding::{
    EXPERIENCE, Finding, KNOWLEDGE, PREFERENCE, Polarity, Utterance, main_text,
};
use crate::model::{
    Action, ActionType, ConceptType, Context, Event, Field, Location, MemoryType, MessageId,
    Participant, ProcMemory, SemMemory, SituationMemory, SpecificSituation, TimeSpan,
};

/// How much a memory of each kind matters, from 1 to 10.
const PROMISED: u8 = 7;
const LIKED: u8 = 6;
const ORDINARY: u8 = 5;
/// The tag of what went wrong and how that was helped.
const LESSON: &str = "lesson";
/// How strongly something is done that is told without emphasis.
const DONE: f64 = 0.5;
/// Characters of an act.
const MAX_ACTION_CHARS: usize = 40;

/// The findings of a sentence. `current` is the time that the talk is telling of.
pub fn findings(told: &Told<'_>, said: &Utterance<'_>, current: Option<TimeSpan>) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut promised = false;
    for group in groups(told) {
        let text = group_text(told, &group);
        match &told.clauses[group[0]].kind {
            Kind::Preference(_) => found.push(preference(told, said, &group, text)),
            // "It's a deal" alone says nothing of what was promised.
            Kind::Promise if content_words(&told.retold) < 2 => {}
            Kind::Promise => {
                promised = true;
                found.push(promise(told, said, &group));
            }
            Kind::Habit => found.push(habit(told, said, text)),
            Kind::Fact => found.push(fact(told, said, &group, text)),
            Kind::Event | Kind::Rest => {}
        }
    }
    let happens = told.clauses.iter().any(|clause| clause.kind == Kind::Event);
    if promised {
        found.push(situation(told, said, current, Polarity::Promise));
    } else if happens {
        let polarity = if told.corrects {
            Polarity::Correction
        } else {
            Polarity::Neutral
        };
        found.push(situation(told, said, current, polarity));
    }
    found
}

/// The clauses that make one finding each: of one kind in a row, with what is nothing by itself before and after them.
fn groups(told: &Told<'_>) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut waiting: Vec<usize> = Vec::new();
    for (place, clause) in told.clauses.iter().enumerate() {
        if clause.kind == Kind::Rest {
            match groups.last_mut() {
                Some(group) => group.push(place),
                None => waiting.push(place),
            }
            continue;
        }
        let joins = groups
            .last()
            .and_then(|group| group.first())
            .is_some_and(|first| same_kind(&told.clauses[*first], clause));
        if joins && let Some(group) = groups.last_mut() {
            group.push(place);
        } else {
            let mut group = vec![place];
            group.append(&mut waiting);
            groups.push(group);
        }
    }
    groups
}

fn same_kind(a: &Clause, b: &Clause) -> bool {
    match (&a.kind, &b.kind) {
        (Kind::Preference(one), Kind::Preference(other)) => one.polarity == other.polarity,
        (one, other) => one == other,
    }
}

/// What the clauses of a group say, in their order. The first entry of a group is the clause that gives it its kind.
fn group_text(told: &Told<'_>, group: &[usize]) -> String {
    let mut places = group.to_vec();
    places.sort_unstable();
    let parts: Vec<&str> = places
        .iter()
        .map(|place| told.clauses[*place].told.as_str())
        .collect();
    let joined = match told.language {
        Language::Chinese => parts.join("，"),
        Language::English => parts.join(", "),
    };
    with_subject(told, joined)
}

/// A text that names nobody is told after whose it is.
fn with_subject(told: &Told<'_>, text: String) -> String {
    let names_somebody = told
        .participants
        .iter()
        .any(|name| text.contains(name.as_str()));
    match told.participants.first() {
        Some(subject) if !names_somebody && told.language == Language::Chinese => {
            format!("{subject}：{text}")
        }
        _ => text,
    }
}

fn preference(told: &Told<'_>, said: &Utterance<'_>, group: &[usize], text: String) -> Finding {
    let mut aliases = Vec::new();
    let mut ends = Vec::new();
    let mut polarity = Polarity::Like;
    for clause in group.iter().map(|place| &told.clauses[*place]) {
        let Kind::Preference(liking) = &clause.kind else {
            continue;
        };
        polarity = liking.polarity;
        let subject = subject_of(told, clause, said);
        let roles = Roles {
            speaker: said.speaker,
            listener: said.listener,
            third: None,
        };
        let object = retold(&liking.object, told.language, roles);
        let names = |way| canonical(&subject, way, &object, told.language);
        let now = match liking.polarity {
            Polarity::Correction if turns_to_like(clause) => Polarity::Like,
            Polarity::Correction => Polarity::Dislike,
            way => way,
        };
        aliases.push(names(now));
        ends.push(names(if now == Polarity::Like {
            Polarity::Dislike
        } else {
            Polarity::Like
        }));
    }
    let body = semantic(text, aliases, String::new(), ConceptType::Abstract);
    Finding {
        tags: tags(PREFERENCE, polarity),
        polarity,
        ends,
        affect: affect(told.said, LIKED),
        ..plain(body, told, said)
    }
}

fn turns_to_like(clause: &Clause) -> bool {
    ["喜欢上", "现在喜欢", "爱上", "now like", "now love"]
        .iter()
        .any(|word| clause.told.contains(word))
}

/// Whose liking a clause tells: the first one whom it names, else whoever speaks.
fn subject_of(told: &Told<'_>, clause: &Clause, said: &Utterance<'_>) -> String {
    let mut named: Vec<(usize, &String)> = told
        .participants
        .iter()
        .filter_map(|name| Some((clause.told.find(name.as_str())?, name)))
        .collect();
    named.sort_unstable();
    // "What you brought I like": the thing stands before the one who likes it.
    let turned = matches!(clause.kind, Kind::Preference(_))
        && ["喜欢", "爱", "喜欢吃", "爱吃"]
            .iter()
            .any(|verb| clause.told.ends_with(verb));
    let subject = if turned { named.last() } else { named.first() };
    subject.map_or_else(|| said.speaker.to_owned(), |(_, name)| (*name).clone())
}

fn promise(told: &Told<'_>, said: &Utterance<'_>, group: &[usize]) -> Finding {
    let when = when(told, group);
    let body = semantic(
        with_subject(told, told.retold.clone()),
        Vec::new(),
        when.map(|span| shown(span, said)).unwrap_or_default(),
        ConceptType::Abstract,
    );
    Finding {
        tags: tags(KNOWLEDGE, Polarity::Promise),
        polarity: Polarity::Promise,
        affect: affect(told.said, PROMISED),
        ..plain(body, told, said)
    }
}

fn habit(told: &Told<'_>, said: &Utterance<'_>, text: String) -> Finding {
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    let action_type = if has(&["就说", "就问", "就喊", " say ", " says ", " ask "]) {
        ActionType::Speak
    } else if has(&["就想", " think ", " thinks ", " wonder"]) {
        ActionType::Think
    } else {
        ActionType::Skill {}
    };
    let body = MemoryType::Procedure(ProcMemory {
        action: Action {
            content: text,
            action_type,
        },
    });
    Finding {
        tags: tags(KNOWLEDGE, Polarity::Neutral),
        ..plain(body, told, said)
    }
}

fn fact(told: &Told<'_>, said: &Utterance<'_>, group: &[usize], text: String) -> Finding {
    let when = when(told, group);
    let description = when.map(|span| shown(span, said)).unwrap_or_default();
    let body = semantic(text, Vec::new(), description, ConceptType::Abstract);
    let since = when.map_or(said.at.timestamp(), |span| span.start());
    Finding {
        tags: tags(KNOWLEDGE, Polarity::Neutral),
        since: since.min(said.at.timestamp()),
        ..plain(body, told, said)
    }
}

/// The time that a group tells, else the one that its sentence does.
fn when(told: &Told<'_>, group: &[usize]) -> Option<TimeSpan> {
    let times = |places: &mut dyn Iterator<Item = usize>| {
        let all: Vec<moment::Told> = places
            .flat_map(|place| told.clauses[place].times.clone())
            .collect();
        moment::of_event(&all)
    };
    times(&mut group.iter().copied()).or_else(|| {
        let promised = told
            .clauses
            .iter()
            .any(|clause| clause.kind == Kind::Promise);
        promised
            .then(|| times(&mut (0..told.clauses.len())))
            .flatten()
    })
}

/// A time as it is shown where it was said: a day, or from when to when.
fn shown(span: TimeSpan, said: &Utterance<'_>) -> String {
    let zone = said.at.time_zone();
    let local = |at: jiff::Timestamp| at.to_zoned_datetime(zone.clone());
    let (start, end) = (local(span.start()), local(span.end()));
    if start == end {
        return start.strftime("%Y-%m-%d %H:%M").to_string();
    }
    let (from, to) = (
        start.strftime("%Y-%m-%d").to_string(),
        end.strftime("%Y-%m-%d").to_string(),
    );
    if from == to {
        from
    } else {
        format!("{from} – {to}")
    }
}

fn situation(
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

/// A note of somebody who was introduced by name.
pub fn entity(name: &str, relation: &str, said: &Utterance<'_>) -> Finding {
    let body = semantic(
        name.to_owned(),
        Vec::new(),
        relation.to_owned(),
        ConceptType::Entity,
    );
    Finding {
        tags: vec![KNOWLEDGE.to_owned()],
        names: Vec::new(),
        anchors: Vec::new(),
        ..bare(body, said)
    }
}

/// A note of somebody who is mentioned again and again: what is told of them leads to it.
pub fn mentioned(name: &str, messages: &BTreeSet<MessageId>, said_at: jiff::Timestamp) -> Finding {
    let body = semantic(
        name.to_owned(),
        Vec::new(),
        String::new(),
        ConceptType::Entity,
    );
    Finding {
        body,
        tags: vec![KNOWLEDGE.to_owned()],
        polarity: Polarity::Neutral,
        names: Vec::new(),
        timed: false,
        ends: Vec::new(),
        corrects: false,
        since: said_at,
        sources: messages.iter().copied().collect(),
        affect: affect("", ORDINARY),
        anchors: Vec::new(),
    }
}

fn semantic(
    content: String,
    aliases: Vec<String>,
    description: String,
    concept_type: ConceptType,
) -> MemoryType {
    MemoryType::Semantic(SemMemory {
        content,
        aliases,
        concept_type,
        description,
    })
}

fn plain(body: MemoryType, told: &Told<'_>, said: &Utterance<'_>) -> Finding {
    let field = match &body {
        MemoryType::Semantic(_) => Some(Field::Content),
        MemoryType::Situation(_) => Some(Field::Narrative),
        MemoryType::Procedure(_) => None,
    };
    let anchors = field
        .map(|field| anchors(field, main_text(&body), &told.participants))
        .unwrap_or_default();
    Finding {
        names: told.participants.clone(),
        corrects: told.corrects,
        anchors,
        ..bare(body, said)
    }
}

fn bare(body: MemoryType, said: &Utterance<'_>) -> Finding {
    Finding {
        body,
        tags: Vec::new(),
        polarity: Polarity::Neutral,
        names: Vec::new(),
        timed: false,
        ends: Vec::new(),
        corrects: false,
        since: said.at.timestamp(),
        sources: vec![said.id],
        affect: affect(said.text, ORDINARY),
        anchors: Vec::new(),
    }
}

fn tags(kind: &str, polarity: Polarity) -> Vec<String> {
    std::iter::once(kind)
        .chain(polarity.tag())
        .map(str::to_owned)
        .collect()
}
