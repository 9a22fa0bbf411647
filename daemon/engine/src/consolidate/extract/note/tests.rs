//! A lesson: what went wrong, what was done about it, what came of that.

use std::collections::BTreeSet;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use uuid::Uuid;

use super::LESSON;
use crate::consolidate::extract::extract;
use crate::consolidate::finding::Utterance;
use crate::model::{MemoryType, MessageId, SituationMemory};

/// The acts of the situations that a message tells, and whether they are a lesson.
fn told(text: &str) -> Vec<(Vec<String>, bool)> {
    let at: Timestamp = "2026-06-05T12:00:00Z".parse().unwrap();
    let said = Utterance {
        id: MessageId(Uuid::nil()),
        speaker: "Bo",
        listener: "Ann",
        text,
        at: at.to_zoned_datetime(TimeZone::UTC),
    };
    let found = extract(&[said], &BTreeSet::new());
    let lived = found.iter().filter_map(|finding| match &finding.body {
        MemoryType::Situation(SituationMemory::SpecificSituation(lived)) => {
            let acts = lived
                .context
                .event
                .iter()
                .map(|event| event.action.clone())
                .collect();
            Some((acts, finding.tags.iter().any(|tag| tag == LESSON)))
        }
        _ => None,
    });
    lived.collect()
}

#[test]
fn a_lesson_tells_pain_solution_and_outcome_in_this_order_whatever_the_order_of_the_words() {
    let expected = [
        "The pump broke down on Monday",
        "replaced the fuse",
        "it works again",
    ];
    for text in [
        "The pump broke down on Monday, I replaced the fuse, and it works again.",
        "I replaced the fuse, The pump broke down on Monday, and it works again.",
    ] {
        let found = told(text);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(
            (found[0].0.as_slice(), found[0].1),
            (expected.map(str::to_owned).as_slice(), true),
            "{text}"
        );
    }
}

#[test]
fn trouble_that_nobody_helped_is_no_lesson() {
    let found = told("The pump broke down on Monday, and I was nervous.");
    assert!(found.iter().all(|(_, lesson)| !lesson), "{found:?}");
}
