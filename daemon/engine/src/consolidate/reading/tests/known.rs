//! Facts, likings, things, and what does not hold.

use super::*;

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
