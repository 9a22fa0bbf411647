//! What of a reading holds, in both languages.

use jiff::ZonedDateTime;
use jiff::civil::date;
use jiff::tz::TimeZone;

use super::*;
use crate::consolidate::finding::main_text;
use crate::model::{
    AnchorKind, ConceptType, MemoryType, MessageId, SituationMemory, SpecificSituation, TimeSpan,
};

fn zoned(text: &str, zone: &str) -> ZonedDateTime {
    let at: jiff::civil::DateTime = text.parse().unwrap();
    let zone = TimeZone::get(zone).unwrap();
    zone.to_timestamp(at).unwrap().to_zoned_datetime(zone)
}

fn said<'t>(number: u128, speaker: &'t str, text: &'t str, at: ZonedDateTime) -> Utterance<'t> {
    Utterance {
        id: MessageId(uuid::Uuid::from_u128(number)),
        speaker,
        listener: "Ann",
        text,
        at,
    }
}

fn lived(finding: &Finding) -> &SpecificSituation {
    match &finding.body {
        MemoryType::Situation(SituationMemory::SpecificSituation(lived)) => lived,
        other => panic!("{other:?}"),
    }
}

fn fact(content: &str, sources: &[usize]) -> ReadFact {
    ReadFact {
        content: content.to_owned(),
        sources: sources.to_vec(),
        ..ReadFact::default()
    }
}

fn situation(narrative: &str, sources: &[usize]) -> ReadSituation {
    ReadSituation {
        narrative: narrative.to_owned(),
        sources: sources.to_vec(),
        ..ReadSituation::default()
    }
}

fn of_facts(facts: Vec<ReadFact>) -> Reading {
    Reading {
        facts,
        ..Reading::default()
    }
}

fn of_situations(situations: Vec<ReadSituation>) -> Reading {
    Reading {
        situations,
        ..Reading::default()
    }
}

#[test]
fn a_relative_time_is_worked_out_against_the_message_and_its_zone() {
    // 23:50 at UTC+8 on the 5th: "yesterday evening" is the 4th there, though it is 15:50 UTC.
    let talk = [said(
        1,
        "阿哲",
        "昨天晚上我和苏晚去听松茶馆喝茶了",
        zoned("2026-06-05T23:50", "Asia/Shanghai"),
    )];
    let told = ReadSituation {
        when: "昨天晚上".to_owned(),
        place: "听松茶馆".to_owned(),
        people: ["阿哲", "苏晚", "李雷"].map(str::to_owned).to_vec(),
        acts: vec![ReadAct {
            action: "喝茶".to_owned(),
            by: "阿哲".to_owned(),
            to: "李雷".to_owned(),
        }],
        ..situation("阿哲和苏晚去听松茶馆喝茶", &[1])
    };
    let taken = read(&of_situations(vec![told]), &talk, &[]);
    assert_eq!((taken.findings.len(), taken.dropped), (1, 0));
    let finding = &taken.findings[0];
    let lived = lived(finding);
    let span = lived.time_span;
    let day = |at: jiff::Timestamp| {
        at.to_zoned_datetime(TimeZone::get("Asia/Shanghai").unwrap())
            .date()
    };
    assert_eq!(day(span.start()), date(2026, 6, 4));
    assert!(finding.timed);
    // Somebody who does not stand in the talk takes part in nothing.
    let people: Vec<&str> = lived
        .context
        .participants
        .iter()
        .map(|p| p.name.as_str())
        .collect();
    assert_eq!(people, ["阿哲", "苏晚"]);
    assert_eq!(lived.context.location.as_ref().unwrap().name, "听松茶馆");
    assert_eq!(
        (
            lived.context.event[0].initiator.as_str(),
            lived.context.event[0].target.as_str()
        ),
        ("阿哲", "")
    );
    assert_eq!(finding.sources, [talk[0].id]);
    assert!(
        finding
            .anchors
            .iter()
            .any(|anchor| anchor.kind == Some(AnchorKind::Name))
    );
}

#[test]
fn two_days_ago_crosses_a_change_of_the_clock() {
    // Clocks went forward on 2026-03-29 in London.
    let talk = [said(
        1,
        "Bo",
        "Two days ago I sold the old boat in Whitby.",
        zoned("2026-03-30T12:00", "Europe/London"),
    )];
    let told = ReadSituation {
        when: "Two days ago".to_owned(),
        ..situation("Bo sold the old boat in Whitby", &[1])
    };
    let taken = read(&of_situations(vec![told]), &talk, &[]);
    let span = lived(&taken.findings[0]).time_span;
    assert_eq!(span.start().to_string(), "2026-03-28T00:00:00Z");
}

#[test]
fn a_time_that_nobody_told_is_not_believed() {
    let talk = [said(
        1,
        "Bo",
        "I sold the old boat in Whitby.",
        zoned("2026-06-05T12:00", "UTC"),
    )];
    let told = ReadSituation {
        when: "2019-01-01".to_owned(),
        ..situation("Bo sold the old boat in Whitby", &[1])
    };
    let taken = read(&of_situations(vec![told]), &talk, &[]);
    assert_eq!(
        lived(&taken.findings[0]).time_span,
        TimeSpan::Instant(talk[0].at.timestamp())
    );
    assert!(!taken.findings[0].timed);
}

#[test]
fn likings_and_their_ends_share_their_names_with_those_found_by_rules() {
    let at = zoned("2026-06-05T12:00", "UTC");
    let talk = [
        said(1, "Bo", "I love flat whites.", at.clone()),
        said(2, "阿哲", "我最讨厌香菜了", at),
    ];
    let liking = ReadFact {
        kind: FactKind::Like,
        who: "Bo".to_owned(),
        what: "flat whites".to_owned(),
        ..fact("Bo loves flat whites", &[1])
    };
    let disliking = ReadFact {
        kind: FactKind::Dislike,
        who: "阿哲".to_owned(),
        what: "香菜".to_owned(),
        ..fact("阿哲最讨厌香菜", &[2])
    };
    let taken = read(&of_facts(vec![disliking, liking]), &talk, &[]);
    let names: Vec<(Vec<String>, Vec<String>, Vec<String>)> = taken
        .findings
        .iter()
        .map(|finding| match &finding.body {
            MemoryType::Semantic(known) => (
                known.aliases.clone(),
                finding.ends.clone(),
                finding.tags.clone(),
            ),
            other => panic!("{other:?}"),
        })
        .collect();
    let owned = |texts: &[&str]| {
        texts
            .iter()
            .map(|text| (*text).to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        names,
        [
            (
                owned(&["Bo likes flat whites"]),
                owned(&["Bo dislikes flat whites"]),
                owned(&["Preference", "like"])
            ),
            (
                owned(&["阿哲不喜欢香菜"]),
                owned(&["阿哲喜欢香菜"]),
                owned(&["Preference", "dislike"])
            ),
        ]
    );
}

#[test]
fn what_the_talk_does_not_bear_out_is_dropped_and_says_why() {
    let at = zoned("2026-06-05T12:00", "UTC");
    let talk = [
        said(
            1,
            "Bo",
            "My flatmate Idris plays the trumpet in the kitchen.",
            at.clone(),
        ),
        said(2, "阿哲", "昨天我去了宠物医院", at),
    ];
    let long = "Bo says that Idris plays the trumpet in the kitchen. ".repeat(20);
    for (told, reason) in [
        (fact("Idris plays the trumpet", &[]), Unfounded::NoSource),
        (
            fact("Idris plays the trumpet", &[0, 3, 99]),
            Unfounded::NoSource,
        ),
        (fact("ok", &[1]), Unfounded::Empty),
        (fact(&long, &[1]), Unfounded::TooLong),
        (
            fact("The stock market fell sharply in Tokyo", &[1]),
            Unfounded::NotSaid,
        ),
        // The wrong language.
        (
            fact("Yesterday somebody visited an animal clinic", &[2]),
            Unfounded::NotSaid,
        ),
        (
            ReadFact {
                who: "Mallory".to_owned(),
                ..fact("Mallory plays the trumpet in the kitchen", &[1])
            },
            Unfounded::Invented,
        ),
    ] {
        let taken = read(&of_facts(vec![told.clone()]), &talk, &[]);
        assert_eq!((taken.findings.len(), taken.dropped), (0, 1), "{told:?}");
        assert_eq!(taken.reason, Some(reason), "{told:?}");
    }
    // One good number among bad ones is enough, and only it counts.
    let taken = read(
        &of_facts(vec![fact("Idris plays the trumpet", &[1, 1, 7])]),
        &talk,
        &[],
    );
    assert_eq!(taken.findings[0].sources, [talk[0].id]);
}

#[test]
fn a_name_may_be_made_of_what_stands_in_the_talk() {
    let at = zoned("2026-06-05T12:00", "UTC");
    let talk = [
        said(1, "Bo", "My mother sang in the choir.", at.clone()),
        said(2, "阿哲", "我妈妈在合唱团唱歌", at),
    ];
    let ground = Ground::new(&talk, &["Summary: Henrik Lie came by"]);
    for name in [
        "Bo",
        "Bo's mother",
        "mother of Bo",
        "阿哲的妈妈",
        "Ann",
        "Henrik Lie",
    ] {
        assert!(ground.names(name), "{name}");
    }
    for name in [
        "",
        " ",
        "的",
        "of",
        "Mallory",
        "Bo's father",
        "阿哲的爸爸",
        "Hen",
        "moth",
        &"Bo ".repeat(40),
    ] {
        assert!(!ground.names(name), "{name}");
    }
}

#[test]
fn things_have_a_name_of_the_talk_and_are_described_in_its_words() {
    let at = zoned("2026-06-05T12:00", "UTC");
    let talk = [said(
        1,
        "Bo",
        "My flatmate is called Idris and he plays the trumpet.",
        at,
    )];
    let thing = |name: &str, what: &str| ReadThing {
        name: name.to_owned(),
        aliases: ["Idris", "the Moor"].map(str::to_owned).to_vec(),
        what: what.to_owned(),
        sources: vec![1],
    };
    let reading = Reading {
        things: vec![
            thing("Idris", "Bo's flatmate"),
            thing("Mallory", "flatmate"),
        ],
        ..Reading::default()
    };
    let taken = read(&reading, &talk, &[]);
    assert_eq!((taken.findings.len(), taken.dropped), (1, 1));
    let MemoryType::Semantic(known) = &taken.findings[0].body else {
        panic!()
    };
    assert_eq!(
        (known.content.as_str(), known.description.as_str()),
        ("Idris", "Bo's flatmate")
    );
    assert_eq!(known.concept_type, ConceptType::Entity);
    assert!(known.aliases.is_empty());
    let other = Reading {
        things: vec![thing("Idris", "a jazz musician")],
        ..Reading::default()
    };
    let taken = read(&other, &talk, &[]);
    let MemoryType::Semantic(known) = &taken.findings[0].body else {
        panic!()
    };
    assert_eq!(
        known.description, "",
        "words that nobody used tell no namesakes apart"
    );
}

#[test]
fn a_lesson_keeps_its_order_and_needs_what_went_wrong_and_what_helped() {
    let at = zoned("2026-06-05T12:00", "UTC");
    let talk = [said(
        1,
        "Bo",
        "The boiler leaked, I replaced the valve and it works again.",
        at,
    )];
    let lesson_of = |lesson: [&str; 3]| ReadSituation {
        people: vec!["Bo".to_owned()],
        lesson: lesson.map(str::to_owned),
        acts: vec![ReadAct {
            action: "replaced the valve".to_owned(),
            by: "Bo".to_owned(),
            to: String::new(),
        }],
        ..situation(
            "The boiler leaked, Bo replaced the valve and it works again",
            &[1],
        )
    };
    let reading = of_situations(vec![
        lesson_of(["the boiler leaked", "replaced the valve", "it works again"]),
        lesson_of(["the boiler leaked", "", ""]),
    ]);
    let taken = read(&reading, &talk, &[]);
    let acts = |finding: &Finding| -> Vec<String> {
        lived(finding)
            .context
            .event
            .iter()
            .map(|event| event.action.clone())
            .collect()
    };
    assert_eq!(
        acts(&taken.findings[0]),
        ["the boiler leaked", "replaced the valve", "it works again"]
    );
    assert!(taken.findings[0].tags.iter().any(|tag| tag == "lesson"));
    assert_eq!(acts(&taken.findings[1]), ["replaced the valve"]);
    assert!(!taken.findings[1].tags.iter().any(|tag| tag == "lesson"));
}

#[test]
fn a_talk_brings_no_more_than_it_has_room_for_in_the_order_of_its_messages() {
    let at = zoned("2026-06-05T12:00", "UTC");
    let talk = [
        said(
            1,
            "Bo",
            "I sold ninety jars of honey in the kitchen.",
            at.clone(),
        ),
        said(2, "Bo", "Idris plays the trumpet.", at),
    ];
    let mut facts = vec![fact("Idris plays the trumpet", &[2])];
    facts.extend(
        (0..1_000).map(|number| fact(&format!("Bo sold jars of honey, number {number}"), &[1])),
    );
    let taken = read(&of_facts(facts), &talk, &[]);
    assert_eq!((taken.findings.len(), taken.dropped), (8, 993));
    assert_eq!(taken.reason, Some(Unfounded::TooMany));
    assert!(main_text(&taken.findings[0].body).contains("honey"));
}

#[test]
fn numbers_out_of_range_weigh_nothing() {
    let at = zoned("2026-06-05T12:00", "UTC");
    let talk = [said(1, "Bo", "I sold ninety jars of honey.", at)];
    let told = ReadFact {
        weight: ReadWeight {
            importance: Some(99.0),
            valence: Some(f64::NAN),
            arousal: Some(0.7),
        },
        ..fact("Bo sold ninety jars of honey", &[1])
    };
    let taken = read(&of_facts(vec![told]), &talk, &[]);
    let affect = &taken.findings[0].affect;
    assert_eq!(
        (affect.importance, affect.valence, affect.arousal),
        (Some(5), None, Some(0.7))
    );
}
