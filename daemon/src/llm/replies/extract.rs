//! Notes out of what was said.

use serde_json::Value;
use soulmem_engine::consolidate::reading::{
    FactKind, ReadAct, ReadFact, ReadHabit, ReadSituation, ReadThing, ReadWeight, Reading,
};
use soulmem_engine::model::ActionType;

use super::{numbers, told};
use crate::llm::reply::fields::{list, number, texts, truth};

/// The lists of a reply; at least one must be there.
const LISTS: [&str; 4] = ["things", "facts", "situations", "habits"];
/// How strong something is that is not weighed.
const UNWEIGHED: f64 = 0.6;

/// What a model took from a talk.
pub fn extraction(reply: &Value) -> Result<Reading, String> {
    let given = LISTS.iter().filter(|name| reply.get(**name).is_some());
    if given.count() == 0 {
        return Err(format!("it has none of the lists `{}`", LISTS.join("`, `")));
    }
    for name in LISTS {
        let entries = list(reply, name);
        if let Some(wrong) = entries.iter().position(|entry| !entry.is_object()) {
            return Err(format!("`{name}[{wrong}]` is no object"));
        }
    }
    Ok(Reading {
        things: list(reply, "things").iter().map(thing).collect(),
        facts: list(reply, "facts").iter().map(fact).collect(),
        situations: list(reply, "situations").iter().map(situation).collect(),
        habits: list(reply, "habits").iter().map(habit).collect(),
    })
}

fn thing(entry: &Value) -> ReadThing {
    ReadThing {
        name: told(entry, "name"),
        aliases: texts(entry, "aliases"),
        what: told(entry, "what"),
        sources: numbers(entry, "sources"),
    }
}

fn fact(entry: &Value) -> ReadFact {
    let kind = told(entry, "kind").to_lowercase();
    ReadFact {
        content: told(entry, "content"),
        kind: match kind.as_str() {
            "like" | "likes" | "喜欢" => FactKind::Like,
            "dislike" | "dislikes" | "不喜欢" => FactKind::Dislike,
            "promise" | "答应" | "承诺" => FactKind::Promise,
            _ => FactKind::Fact,
        },
        who: told(entry, "who"),
        what: told(entry, "what"),
        when: told(entry, "when"),
        replaces: told(entry, "replaces"),
        weight: weight(entry),
        sources: numbers(entry, "sources"),
    }
}

fn situation(entry: &Value) -> ReadSituation {
    let lesson = entry.get("lesson").unwrap_or(&Value::Null);
    let acts = list(entry, "acts").iter();
    ReadSituation {
        narrative: told(entry, "narrative"),
        when: told(entry, "when"),
        place: told(entry, "place"),
        people: texts(entry, "people"),
        feelings: weighed(entry, "feelings"),
        senses: weighed(entry, "senses"),
        atmosphere: told(entry, "atmosphere"),
        tone: told(entry, "tone"),
        acts: acts.map(act).collect(),
        lesson: ["pain", "solution", "outcome"].map(|part| told(lesson, part)),
        weight: weight(entry),
        corrects: truth(entry, "corrects").unwrap_or_default(),
        sources: numbers(entry, "sources"),
    }
}

/// Something done; a bare text is the act alone.
fn act(entry: &Value) -> ReadAct {
    match entry.as_str() {
        Some(action) => ReadAct {
            action: action.to_owned(),
            ..ReadAct::default()
        },
        None => ReadAct {
            action: told(entry, "action"),
            by: told(entry, "by"),
            to: told(entry, "to"),
        },
    }
}

fn weighed(entry: &Value, name: &str) -> Vec<(String, f64)> {
    let one = |felt: &Value| match felt.as_str() {
        Some(name) => (name.to_owned(), UNWEIGHED),
        None => (
            told(felt, "name"),
            number(felt, "intensity").unwrap_or(UNWEIGHED),
        ),
    };
    list(entry, name).iter().map(one).collect()
}

fn weight(entry: &Value) -> ReadWeight {
    ReadWeight {
        importance: number(entry, "importance"),
        valence: number(entry, "valence"),
        arousal: number(entry, "arousal"),
    }
}

fn habit(entry: &Value) -> ReadHabit {
    ReadHabit {
        content: told(entry, "content"),
        means: match told(entry, "means").to_lowercase().as_str() {
            "speak" | "say" | "说" => ActionType::Speak,
            "think" | "想" => ActionType::Think,
            _ => ActionType::Skill {},
        },
        sources: numbers(entry, "sources"),
    }
}
