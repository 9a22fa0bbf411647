//! Likings, promises, habits and facts.

use super::super::feeling::affect;
use super::super::moment;
use super::super::preference::canonical;
use super::super::retell::{Roles, retold};
use super::super::sentence::{Clause, Kind, Told};
use super::{LIKED, PROMISED, plain, semantic, subject_of, tags, with_subject};
use crate::consolidate::finding::{Finding, KNOWLEDGE, PREFERENCE, Polarity, Utterance};
use crate::model::{Action, ActionType, ConceptType, MemoryType, ProcMemory, TimeSpan};

pub(super) fn preference(
    told: &Told<'_>,
    said: &Utterance<'_>,
    group: &[usize],
    text: String,
) -> Finding {
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

pub(super) fn promise(told: &Told<'_>, said: &Utterance<'_>, group: &[usize]) -> Finding {
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

pub(super) fn habit(told: &Told<'_>, said: &Utterance<'_>, text: String) -> Finding {
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

pub(super) fn fact(
    told: &Told<'_>,
    said: &Utterance<'_>,
    group: &[usize],
    text: String,
) -> Finding {
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
pub fn shown(span: TimeSpan, said: &Utterance<'_>) -> String {
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
