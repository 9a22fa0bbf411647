//! The registry of names: what becomes a name, what a note is about and mentions, and how that follows what changes.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

use jiff::Timestamp;
use serde_json::json;
use soulmem_engine::index::Entities;
use soulmem_engine::model::{FixedClock, MemoryNote, NoteDraft, NoteId, SequentialIds};
use uuid::Uuid;

fn id(number: u128) -> NoteId {
    NoteId(Uuid::from_u128(number))
}

fn build(number: u128, body: serde_json::Value) -> MemoryNote {
    NoteDraft::new(serde_json::from_value(body).unwrap())
        .with_id(id(number))
        .build(&FixedClock(Timestamp::UNIX_EPOCH), &SequentialIds::new())
        .unwrap()
}

fn known(number: u128, name: &str, aliases: &[&str]) -> MemoryNote {
    build(
        number,
        json!({"Semantic": {
            "content": name, "aliases": aliases, "concept_type": "Entity", "description": "",
        }}),
    )
}

fn lived(number: u128, text: &str, participants: &[&str]) -> MemoryNote {
    let participants: Vec<_> = participants
        .iter()
        .map(|name| json!({"name": name}))
        .collect();
    build(
        number,
        json!({"Situation": {"SpecificSituation": {
            "narrative": text, "time_span": "2025-05-01T20:00:00Z", "context": {"participants": participants},
        }}}),
    )
}

/// What a note is about and what it mentions, by name, each in the order of the names.
fn links(entities: &Entities, note: u128) -> (Vec<&str>, Vec<&str>) {
    let (about, mentions) = entities.names_of(id(note));
    let named = |ids: &[u32]| {
        let mut names: Vec<&str> = ids.iter().map(|name| entities.name(*name)).collect();
        names.sort_unstable();
        names
    };
    (named(about), named(mentions))
}

fn names_in<'e>(entities: &'e Entities, text: &str) -> Vec<&'e str> {
    let found = entities.names_in(text);
    found.iter().map(|name| entities.name(*name)).collect()
}

#[test]
fn notes_are_about_their_names_and_mention_those_of_others_in_both_languages() {
    for (name, alias, text, line) in [
        (
            "Brenn Tarlow",
            "Brenny",
            "Brenny came by boat",
            "where is brenn tarlow",
        ),
        ("沈若溪", "小溪儿", "小溪儿坐船来的", "沈若溪在哪里"),
    ] {
        let mut entities = Entities::default();
        entities.put(&known(1, name, &[alias]), name);
        entities.put(&lived(2, text, &[]), text);
        entities.settle();
        let (about, mentions) = links(&entities, 1);
        assert_eq!((about.len(), mentions.len()), (2, 0), "{name}");
        let alias = soulmem_engine::text::key(alias);
        assert_eq!(links(&entities, 2), (vec![], vec![&*alias]), "{name}");
        assert_eq!(names_in(&entities, line), [soulmem_engine::text::key(name)]);
    }
}

#[test]
fn the_longest_name_is_meant() {
    for (short, long, text) in [
        ("Holm", "Holm Bridge", "We met on Holm Bridge"),
        ("青石", "青石镇", "我们在青石镇见面"),
    ] {
        let mut entities = Entities::default();
        entities.put(&known(1, short, &[]), short);
        entities.put(&known(2, long, &[]), long);
        entities.put(&lived(3, text, &[]), text);
        entities.settle();
        let long = soulmem_engine::text::key(long);
        assert_eq!(links(&entities, 3).1, [&*long], "{text}");
    }
}

#[test]
fn links_follow_aliases_that_come_and_go() {
    for (name, alias, text) in [
        ("Brenn", "the Heron", "They say the Heron sang"),
        ("沈若溪", "白鹭姐", "听说白鹭姐唱了歌"),
    ] {
        let mut entities = Entities::default();
        entities.put(&known(1, name, &[]), name);
        entities.put(&lived(2, text, &[]), text);
        entities.settle();
        let alias_key = soulmem_engine::text::key(alias);
        let mentions = |entities: &Entities| links(entities, 2).1.contains(&&*alias_key);
        let holds = |entities: &Entities| {
            entities.names_in(alias).iter().any(|name| {
                let (owners, mentioning) = entities.holders(*name);
                owners == [id(1)] && mentioning == [id(2)]
            })
        };
        assert!(!holds(&entities), "{alias}");
        entities.put(&known(1, name, &[alias]), name);
        entities.settle();
        assert!(mentions(&entities) && holds(&entities), "{alias}");
        entities.put(&known(1, name, &[]), name);
        entities.settle();
        assert!(!holds(&entities), "{alias}");
    }
}

#[test]
fn what_is_merged_into_another_leaves_its_names_there() {
    for (kept, gone, text) in [
        ("Brenn", "Old Heron", "Old Heron sang"),
        ("沈若溪", "白鹭姐", "白鹭姐唱了歌"),
    ] {
        let mut entities = Entities::default();
        entities.put(&known(1, kept, &[]), kept);
        entities.put(&known(2, gone, &[]), gone);
        entities.put(&lived(3, text, &[]), text);
        entities.settle();
        entities.put(&known(1, kept, &[gone]), kept);
        entities.remove(id(2));
        entities.settle();
        let name = entities.names_in(gone)[0];
        assert_eq!(entities.holders(name), (vec![id(1)], vec![id(3)]), "{gone}");
    }
}

#[test]
fn namesakes_stay_apart() {
    for (name, one, other) in [
        ("Brenn", "Brenn the baker", "Brenn the pilot"),
        ("小雨", "面包师小雨", "飞行员小雨"),
    ] {
        let mut entities = Entities::default();
        entities.put(&known(1, name, &[one]), name);
        entities.put(&known(2, name, &[other]), name);
        entities.settle();
        // The name alone means both, what tells them apart only the one.
        let owners = |text: &str| {
            let names = entities.names_in(text);
            names
                .iter()
                .flat_map(|name| entities.holders(*name).0)
                .collect::<Vec<_>>()
        };
        assert_eq!(owners(name), [id(1), id(2)], "{name}");
        assert_eq!(owners(one), [id(1)], "{one}");
        assert_eq!(owners(other), [id(2)], "{other}");
        entities.remove(id(1));
        entities.settle();
        assert_eq!(entities.holders(entities.names_in(name)[0]).0, [id(2)]);
    }
}

#[test]
fn who_takes_part_and_what_is_written_like_a_name_twice_is_known() {
    let mut entities = Entities::default();
    entities.put(&lived(1, "We sang", &["Orla", "沈若溪"]), "We sang");
    for (number, text) in [
        (2, "They say Quill Marsh was dark"),
        (3, "We saw Quill Marsh by the sea"),
        (6, "我在读《灯塔的守夜人》"),
        (7, "《灯塔的守夜人》很长"),
        (8, "Only once Fenwick came"),
    ] {
        entities.put(&lived(number, text, &[]), text);
    }
    entities.settle();
    for name in ["Orla", "沈若溪", "Quill Marsh", "灯塔的守夜人"] {
        assert_eq!(names_in(&entities, name).len(), 1, "{name}");
    }
    assert!(names_in(&entities, "Fenwick").is_empty());
    assert_eq!(links(&entities, 7).1, ["灯塔的守夜人"]);
}
