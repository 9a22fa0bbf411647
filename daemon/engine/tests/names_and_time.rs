//! The name index and the time index.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use soulmem_engine::index::{Interval, NameIndex, TimeIndex};
use soulmem_engine::text::similarity;

fn names(list: &[&str]) -> NameIndex<usize> {
    let mut index = NameIndex::new();
    for (owner, name) in list.iter().enumerate() {
        index.insert(name, owner);
    }
    index
}

#[test]
fn a_name_is_found_in_any_spelling() {
    let mut index = names(&["José García", "小红书", "ＢＢＣ"]);
    for (name, owner) in [
        ("jose garcia", 0),
        ("JOSÉ  GARCÍA", 0),
        ("小红书", 1),
        ("bbc", 2),
    ] {
        assert_eq!(index.exact(name), [owner], "{name}");
    }
    assert!(index.exact("小红").is_empty());
    assert!(
        !index.insert(" \u{200b}", 9),
        "what shows nothing is no name"
    );
    assert!(index.insert("BBC", 7));
    assert!(!index.insert("bbc", 7));
    assert_eq!(index.exact("bbc"), [2, 7], "namesakes stay apart");
    assert!(index.remove("Bbc", &2));
    assert!(!index.remove("Bbc", &2));
    assert_eq!(index.exact("bbc"), [7]);
}

#[test]
fn prefixes_are_in_order() {
    let index = names(&["anna", "Ann", "Bob", "anabel"]);
    let found: Vec<&str> = index
        .with_prefix("AN", 9)
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(found, ["anabel", "ann", "anna"]);
    assert_eq!(index.with_prefix("an", 2).len(), 2);
    assert_eq!(index.with_prefix("", 9).len(), 4);
}

#[test]
fn misspelt_names_are_found_best_first() {
    let index = names(&[
        "Jonathan",
        "Joanna",
        "Nathan",
        "Melanie",
        "陈小红",
        "陈小明",
        "王红",
    ]);
    let keys = |text: &str, floor| -> Vec<usize> {
        index
            .similar(text, floor, 5)
            .into_iter()
            .map(|hit| hit.key)
            .collect()
    };
    assert_eq!(keys("Jonathon", 0.9), [0]);
    assert_eq!(keys("melany", 0.85), [3]);
    assert_eq!(keys("陈小红", 0.8)[..2], [4, 5]);
    assert!(keys("xyzzy", 0.1).is_empty());
    for hit in index.similar("Nathon", 0.0, 5) {
        assert!(hit.score > 0.0);
    }
}

#[test]
fn one_owner_counts_once_with_its_best_name() {
    let mut index = NameIndex::new();
    for name in ["Bob", "Bobby", "Robert"] {
        index.insert(name, 1);
    }
    let hits = index.similar("Bobbi", 0.0, 5);
    assert_eq!(hits.len(), 1);
    assert!((hits[0].score - similarity("Bobbi", "Bobby")).abs() < f64::EPSILON);
}

proptest! {
    #[test]
    fn every_name_is_its_own_best_candidate_among_few(list in prop::collection::btree_set("[a-f小红明李]{1,6}", 1..30)) {
        let list: Vec<&str> = list.iter().map(String::as_str).collect();
        let index = names(&list);
        for (owner, name) in list.iter().enumerate() {
            let hits = index.similar(name, 0.99, 1);
            prop_assert_eq!(hits.first().map(|hit| hit.key), Some(owner), "{}", name);
        }
    }

    #[test]
    fn candidates_do_not_depend_on_the_order_of_writing(
        list in prop::collection::btree_set("[a-c]{1,4}", 1..100),
        gone in prop::collection::vec(any::<prop::sample::Index>(), 0..20),
        asked in "[a-c]{1,4}",
    ) {
        let list: Vec<&str> = list.iter().map(String::as_str).collect();
        let gone: Vec<&str> = gone.iter().map(|index| list[index.index(list.len())]).collect();
        let (mut one, mut other) = (NameIndex::new(), NameIndex::new());
        for name in &list {
            one.insert(name, 1);
        }
        for name in &gone {
            one.remove(name, &1);
        }
        for name in list.iter().rev().filter(|name| !gone.contains(name)) {
            other.insert(name, 1);
        }
        prop_assert_eq!(one.candidates(&asked), other.candidates(&asked));
    }
}

fn at(second: i64) -> Timestamp {
    Timestamp::UNIX_EPOCH + SignedDuration::from_secs(second)
}

#[test]
fn intervals_include_both_ends() {
    let mut index = TimeIndex::new();
    index.put('a', Interval::new(at(10), at(20)));
    index.put('b', Interval::instant(at(20)));
    index.put('c', Interval::new(at(40), at(30)));
    let found = |from, to| -> Vec<char> {
        index
            .overlapping(Interval::new(at(from), at(to)))
            .into_iter()
            .map(|(_, key)| key)
            .collect()
    };
    assert_eq!(found(20, 25), ['a', 'b']);
    assert!(found(0, 9).is_empty());
    assert_eq!(found(0, 10), ['a']);
    assert!(found(21, 29).is_empty());
    assert_eq!(found(0, 100), ['a', 'b', 'c']);
    assert_eq!(
        index.get(&'c'),
        Some(Interval::new(at(30), at(40))),
        "ends given the wrong way round are put right"
    );
}

#[test]
fn all_of_time_is_an_interval() {
    let mut index = TimeIndex::new();
    let always = Interval::new(Timestamp::MIN, Timestamp::MAX);
    index.put(1, always);
    index.put(2, Interval::instant(Timestamp::MIN));
    index.put(3, Interval::instant(Timestamp::MAX));
    assert_eq!(index.overlapping(always).len(), 3);
    assert_eq!(
        index.overlapping(Interval::instant(Timestamp::MIN)).len(),
        2
    );
    assert_eq!(index.overlapping(Interval::instant(at(0))), [(always, 1)]);
}

proptest! {
    #[test]
    fn what_overlaps_is_found_and_nothing_else(
        steps in prop::collection::vec((0_u8..20, any::<bool>(), -500_i64..500, 0_u32..12, 0_i64..4), 0..60),
        (from, length) in (-600_i64..600, 0_i64..300),
    ) {
        let (mut index, mut plain) = (TimeIndex::new(), BTreeMap::new());
        for (key, put, start, magnitude, factor) in steps {
            if put {
                let interval = Interval::new(at(start), at(start + factor * 2_i64.pow(magnitude) / 3));
                index.put(key, interval);
                plain.insert(key, interval);
            } else {
                prop_assert_eq!(index.remove(&key), plain.remove(&key).is_some());
            }
        }
        let asked = Interval::new(at(from), at(from + length));
        let both = |interval: &Interval| interval.start() <= asked.end() && asked.start() <= interval.end();
        let mut expected: Vec<_> = plain.iter().filter(|it| both(it.1)).map(|it| (*it.1, *it.0)).collect();
        expected.sort_by_key(|(interval, key)| (interval.start(), interval.end(), *key));
        prop_assert_eq!(index.overlapping(asked), expected);
        prop_assert_eq!(index.len(), plain.len());
    }
}
