//! What two conversations state, against lists that were made by hand from their texts (`fixtures/characters`).

// Setting up a test is allowed to fail loudly, outside of the test functions too.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use soulmem_engine::consolidate::{Finding, Polarity, Utterance, extract};
use soulmem_engine::model::{MemoryType, MessageId, SituationMemory, TimeSpan};
use uuid::Uuid;

struct Said {
    name: String,
    text: String,
    at: Timestamp,
    tz: String,
}

struct Case {
    said: Vec<Said>,
    facts: Vec<Value>,
    negatives: Vec<Value>,
    names: [&'static str; 2],
}

fn case(character: &str, names: [&'static str; 2]) -> Case {
    let folder = format!(
        "{}/../../fixtures/characters/{character}",
        env!("CARGO_MANIFEST_DIR")
    );
    let read = |file: &str| fs::read_to_string(format!("{folder}/{file}")).unwrap();
    let said = read("conversation.jsonl")
        .lines()
        .map(|line| {
            let value: Value = serde_json::from_str(line).unwrap();
            let text = |key: &str| value[key].as_str().unwrap().to_owned();
            Said {
                name: text("name"),
                text: text("text"),
                at: text("at").parse().unwrap(),
                tz: text("tz"),
            }
        })
        .collect();
    let lists: Value = serde_json::from_str(&read("facts.json")).unwrap();
    Case {
        said,
        facts: lists["facts"].as_array().unwrap().clone(),
        negatives: lists["negatives"].as_array().unwrap().clone(),
        names,
    }
}

fn id(line: u64) -> MessageId {
    MessageId(Uuid::from_u128(line.into()))
}

fn found(case: &Case) -> Vec<Finding> {
    let utterances: Vec<Utterance<'_>> = case
        .said
        .iter()
        .zip(1..)
        .map(|(said, line)| Utterance {
            id: id(line),
            speaker: &said.name,
            listener: case.names.iter().find(|name| **name != said.name).unwrap(),
            text: &said.text,
            at: said.at.to_zoned_datetime(TimeZone::get(&said.tz).unwrap()),
        })
        .collect();
    extract(&utterances, &BTreeSet::new())
}

/// Everything that a note shows.
fn shown(finding: &Finding) -> String {
    let mut parts = Vec::new();
    match &finding.body {
        MemoryType::Semantic(semantic) => {
            parts.push(semantic.content.clone());
            parts.push(semantic.description.clone());
            parts.extend(semantic.aliases.clone());
        }
        MemoryType::Situation(SituationMemory::SpecificSituation(lived)) => {
            parts.push(lived.narrative.clone());
            parts.extend(participants(finding));
            parts.extend(lived.context.emotions.iter().map(|felt| felt.name.clone()));
        }
        MemoryType::Procedure(procedure) => parts.push(procedure.action.content.clone()),
        MemoryType::Situation(SituationMemory::AbstractSituation(_)) => {}
    }
    parts.join("\n").to_lowercase()
}

fn participants(finding: &Finding) -> Vec<String> {
    match &finding.body {
        MemoryType::Situation(SituationMemory::SpecificSituation(lived)) => lived
            .context
            .participants
            .iter()
            .map(|person| person.name.clone())
            .collect(),
        _ => vec![shown(finding)],
    }
}

fn kind(finding: &Finding) -> &'static str {
    match &finding.body {
        MemoryType::Semantic(_) => "Semantic",
        MemoryType::Situation(_) => "SpecificSituation",
        MemoryType::Procedure(_) => "Procedure",
    }
}

/// From the first to the last moment of a time as the lists write it: an instant, a day, a year, or `from/to`.
fn expected_time(text: &str, tz: &str) -> (Timestamp, Timestamp) {
    let zone = TimeZone::get(tz).unwrap();
    let day = |date: jiff::civil::Date| zone.to_timestamp(date.at(0, 0, 0, 0)).unwrap();
    let one = |text: &str| -> (Timestamp, Timestamp) {
        if let Ok(at) = text.parse::<Timestamp>() {
            return (at, at);
        }
        if let Ok(year) = text.parse::<i16>() {
            let start = jiff::civil::date(year, 1, 1);
            let end = jiff::civil::date(year, 12, 31);
            return (day(start), day(end.tomorrow().unwrap()));
        }
        let date: jiff::civil::Date = text.parse().unwrap();
        (day(date), day(date.tomorrow().unwrap()))
    };
    match text.split_once('/') {
        Some((from, to)) => (one(from).0, one(to).1),
        None => one(text),
    }
}

/// Whether a note is of a time: a situation by its span, something known by the day that it shows or holds from.
fn is_of(finding: &Finding, text: &str, tz: &str) -> bool {
    let (from, to) = expected_time(text, tz);
    // "Before August" ends where August begins: borders may touch.
    let moment = SignedDuration::from_secs(1);
    let overlaps = |start: Timestamp, end: Timestamp| start <= to + moment && from <= end + moment;
    if let MemoryType::Situation(SituationMemory::SpecificSituation(lived)) = &finding.body {
        let span: TimeSpan = lived.time_span;
        return overlaps(span.start(), span.end());
    }
    let day = SignedDuration::from_hours(24);
    overlaps(finding.since, finding.since + day)
        || text
            .split('/')
            .any(|part| shown(finding).contains(&part[..part.len().min(10)]))
}

/// How a word of the message reads once it is told by somebody else.
fn retold(word: &str, speaker: &str) -> String {
    word.replacen('我', &format!("{speaker}的"), 1)
        .to_lowercase()
}

fn polarity(name: &str) -> Polarity {
    match name {
        "like" => Polarity::Like,
        "dislike" => Polarity::Dislike,
        "promise" => Polarity::Promise,
        "correction" => Polarity::Correction,
        _ => Polarity::Neutral,
    }
}

/// Why no note says a fact; empty where one does.
fn missing(fact: &Value, case: &Case, findings: &[Finding]) -> Option<String> {
    let line = fact["message_line"].as_u64().unwrap();
    let said = &case.said[line as usize - 1];
    let list = |key: &str| -> Vec<String> {
        fact[key]
            .as_array()
            .unwrap()
            .iter()
            .map(|word| retold(word.as_str().unwrap(), &said.name))
            .collect()
    };
    let fails = |finding: &Finding| -> Vec<String> {
        let mut fails = Vec::new();
        let text = shown(finding);
        if kind(finding) != fact["type"].as_str().unwrap() {
            fails.push(format!("is {}", kind(finding)));
        }
        for word in list("keywords") {
            if !text.contains(&word) {
                fails.push(format!("lacks {word}"));
            }
        }
        let people = participants(finding).join("\n").to_lowercase();
        for person in list("participants") {
            if !people.contains(&person) {
                fails.push(format!("without {person}"));
            }
        }
        if let Some(time) = fact["time"].as_str()
            && !is_of(finding, time, &said.tz)
        {
            fails.push(format!("not of {time}"));
        }
        if finding.polarity != polarity(fact["polarity"].as_str().unwrap()) {
            fails.push(format!("meant as {:?}", finding.polarity));
        }
        fails
    };
    let of_line = findings
        .iter()
        .filter(|finding| finding.sources.contains(&id(line)));
    let best = of_line
        .map(|finding| (fails(finding), shown(finding)))
        .min_by_key(|(fails, _)| fails.len());
    match best {
        Some((fails, _)) if fails.is_empty() => None,
        Some((fails, text)) => Some(format!(
            "{line}: {} -> {fails:?} in {text:?}",
            fact["quote"]
        )),
        None => Some(format!("{line}: {} -> nothing", fact["quote"])),
    }
}

fn check(case: &Case) {
    let findings = found(case);
    let missing: Vec<String> = case
        .facts
        .iter()
        .filter_map(|fact| missing(fact, case, &findings))
        .collect();
    assert!(
        missing.is_empty(),
        "{} of {} facts are missing:\n{}",
        missing.len(),
        case.facts.len(),
        missing.join("\n")
    );
    let of_small_talk: Vec<String> = case
        .negatives
        .iter()
        .filter_map(|negative| {
            let line = negative["message_line"].as_u64().unwrap();
            let made = findings
                .iter()
                .find(|finding| finding.sources.contains(&id(line)))?;
            Some(format!("{line}: {} -> {}", negative["quote"], shown(made)))
        })
        .collect();
    assert!(of_small_talk.is_empty(), "{}", of_small_talk.join("\n"));
    // A note of each message would be a copy of the log.
    let lines: BTreeSet<MessageId> = findings
        .iter()
        .flat_map(|finding| finding.sources.iter().copied())
        .collect();
    assert!(
        lines.len() * 4 <= case.said.len() * 3 && findings.len() <= case.said.len() * 5 / 4,
        "{} notes of {} messages of {}",
        findings.len(),
        lines.len(),
        case.said.len()
    );
}

#[test]
fn every_fact_of_the_chinese_conversation_is_found_and_small_talk_is_not() {
    check(&case("xiaohong", ["小红", "阿哲"]));
}

#[test]
fn every_fact_of_the_english_conversation_is_found_and_small_talk_is_not() {
    check(&case("tom", ["Tom", "Priya"]));
}

#[test]
fn the_same_words_give_the_same_findings() {
    let case = case("tom", ["Tom", "Priya"]);
    assert_eq!(found(&case), found(&case));
}
