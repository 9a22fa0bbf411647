//! From an understood sentence to notes.
//!
//! - [`known`]: likings, promises, habits and facts.
//! - [`lived`]: what happened, with who, where and what was felt.
//! - [`person`]: whoever is introduced or mentioned again and again.

pub mod known;
mod lived;
mod person;
#[cfg(test)]
mod tests;

use super::anchors::anchors;
use super::clause::Language;
use super::feeling::affect;
use super::rules::content_words;
use super::sentence::{Clause, Kind, Told};
use crate::consolidate::finding::{Finding, Polarity, Utterance, main_text};
use crate::model::{ConceptType, Field, MemoryType, SemMemory, TimeSpan};

use self::known::{fact, habit, preference, promise};
use self::lived::situation;
pub use self::person::{entity, mentioned};

/// How much a memory of each kind matters, from 1 to 10.
pub const PROMISED: u8 = 7;
/// See [`PROMISED`].
pub const LIKED: u8 = 6;
/// See [`PROMISED`].
pub const ORDINARY: u8 = 5;
/// The tag of what went wrong and how that was helped.
pub const LESSON: &str = "lesson";

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
        replaces: None,
        said: said.at.timestamp(),
        since: said.at.timestamp(),
        sources: vec![said.id],
        affect: affect(said.text, ORDINARY),
        anchors: Vec::new(),
    }
}

/// The labels of a finding of a kind (`Preference`, `Knowledge`, `Experience`) that is meant this way.
pub fn tags(kind: &str, polarity: Polarity) -> Vec<String> {
    std::iter::once(kind)
        .chain(polarity.tag())
        .map(str::to_owned)
        .collect()
}
