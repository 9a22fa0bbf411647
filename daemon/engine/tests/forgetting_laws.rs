//! Laws of forgetting, for any memory and any text.

#![allow(clippy::unwrap_used, reason = "a test")]

mod strategies;

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use soulmem_engine::forget::mask::{MASK_WORD, Mask};
use soulmem_engine::forget::reimagine::{Alignment, accepted, aligned};
use soulmem_engine::forget::{MemoryTrace, Profile, ProfileName, Retention, Version, blurred};
use soulmem_engine::model::{Anchor, ConceptType, Field, SemMemory};
use unicode_segmentation::UnicodeSegmentation;

fn profile() -> impl Strategy<Value = Profile> {
    prop::sample::select(ProfileName::ALL.to_vec()).prop_map(ProfileName::profile)
}

fn trace() -> impl Strategy<Value = MemoryTrace> {
    (0i64..1_000_000, 0u64..300, 1u8..=10, strategies::unit()).prop_map(
        |(hours, recalls, importance, arousal)| MemoryTrace {
            created_at: Timestamp::UNIX_EPOCH,
            last_rehearsed_at: Timestamp::UNIX_EPOCH + SignedDuration::from_hours(hours),
            recalls,
            importance,
            arousal,
        },
    )
}

/// Words of several scripts, marks, emoji and anything at all, in any order.
fn any_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        prop::sample::select(vec![
            "风筝",
            "在河边",
            "，",
            "。",
            " ",
            "ferry",
            "don't",
            "3.14",
            "🏡",
            "👩‍🌾",
            "e\u{301}",
            "さくら",
            "봄",
            "[masked]",
            "\n",
            "\u{200d}",
            "\u{fe0f}",
        ])
        .prop_map(str::to_owned),
        any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// Anchors over pieces of the text, perhaps over each other.
fn anchors(text: &str, cuts: &[(prop::sample::Index, prop::sample::Index, bool)]) -> Vec<Anchor> {
    let places: Vec<usize> = text
        .char_indices()
        .map(|(at, _)| at)
        .chain([text.len()])
        .collect();
    let anchor = |(one, other, gist): &(prop::sample::Index, prop::sample::Index, bool)| {
        let (a, b) = (*one.get(&places), *other.get(&places));
        Anchor {
            field: Field::Narrative,
            start: a.min(b),
            end: a.max(b),
            gist: gist.then(|| "something".to_owned()),
            kind: None,
        }
    };
    cuts.iter()
        .map(anchor)
        .filter(|anchor| anchor.start < anchor.end)
        .collect()
}

proptest! {
    #[test]
    fn retention_never_rises_with_time(profile in profile(), trace in trace(), a in 0i64..2_000_000, b in 0i64..2_000_000) {
        let at = |hours| profile.retention(&trace, Timestamp::UNIX_EPOCH + SignedDuration::from_hours(hours));
        prop_assert!(at(a.min(b)) >= at(a.max(b)));
        prop_assert!((0.0..=1.0).contains(&at(a).share()));
    }

    #[test]
    fn retention_never_falls_with_recalls(profile in profile(), trace in trace(), more in 0u64..300, hours in 0i64..2_000_000) {
        let now = Timestamp::UNIX_EPOCH + SignedDuration::from_hours(hours);
        let recalled = MemoryTrace { recalls: trace.recalls + more, ..trace };
        prop_assert!(profile.retention(&recalled, now) >= profile.retention(&trace, now));
        let just_now = MemoryTrace { last_rehearsed_at: now, ..recalled };
        prop_assert!(profile.retention(&just_now, now) >= profile.retention(&trace, now));
    }

    #[test]
    fn masks_nest_and_anchors_are_lost_last(
        text in any_text(),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<bool>()), 0..4),
        a in strategies::unit(),
        b in strategies::unit(),
    ) {
        let anchors = anchors(&text, &cuts);
        let anchors: Vec<&Anchor> = anchors.iter().collect();
        let mask = Mask::new(&text, None, &anchors);
        let [less, more] = [a.min(b), a.max(b)].map(|degree| mask.covered(degree).into_iter().collect::<BTreeSet<_>>());
        prop_assert!(less.is_subset(&more));
        let count = (a * mask.words() as f64 + 0.5).floor() as usize;
        prop_assert_eq!(mask.covered(a).len(), count);
        prop_assert_eq!(mask.covered(1.0).len(), mask.words());
        let borders = mask.borders();
        let struck = |place: &usize| {
            let (start, end) = borders[*place];
            anchors.iter().any(|anchor| anchor.start < end as usize && (start as usize) < anchor.end)
        };
        let lost_struck = less.iter().any(struck);
        let kept_plain = (0..mask.words()).any(|place| !less.contains(&place) && !struck(&place));
        prop_assert!(!(lost_struck && kept_plain));
    }

    #[test]
    fn a_mask_leaves_everything_but_words_as_it_was(text in any_text(), degree in 0.15f64..=1.0) {
        let mask = Mask::new(&text, None, &[]);
        let borders = mask.borders();
        let edges: BTreeSet<usize> = text.grapheme_indices(true).map(|(at, _)| at).chain([text.len()]).collect();
        let (mut expected, mut at) = (String::new(), 0);
        for place in mask.covered(degree) {
            let (start, end) = (borders[place].0 as usize, borders[place].1 as usize);
            prop_assert!(edges.contains(&start) && edges.contains(&end), "inside a grapheme");
            expected.push_str(&text[at..start]);
            expected.push_str(MASK_WORD);
            at = end;
        }
        expected.push_str(&text[at..]);
        prop_assert_eq!(mask.told(&text, degree), expected);
        // Borders that were kept give the same as those that are cut anew.
        prop_assert_eq!(Mask::new(&text, Some(&borders), &[]), mask);
    }

    #[test]
    fn masks_are_the_same_on_every_thread(text in any_text(), degree in strategies::unit()) {
        let told = || Mask::new(&text, None, &[]).told(&text, degree);
        let here = told();
        let there: Vec<String> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(told)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        prop_assert!(there.into_iter().all(|other| other == here));
    }

    #[test]
    fn telling_changes_the_told_texts_and_nothing_else(note in strategies::note(), hours in 0.0f64..1e6, telling in any_text()) {
        let before = note.clone();
        let left = Retention::after(hours, 24.0);
        let versions = [Field::Narrative, Field::Description, Field::Content].map(|field| Version {
            field,
            borders: Vec::new(),
            reimagined: Some((telling.clone(), 0.2)),
        });
        for versions in [&[][..], &versions[..]] {
            let Some(told) = blurred(&note, &Profile::SEED, left, versions) else { continue };
            prop_assert_eq!(&note, &before);
            prop_assert!((told.degree - left.missing_degree()).abs() < 1e-12);
            let texts = |note: &soulmem_engine::model::MemoryNote| -> Vec<(Field, String)> {
                let fades = |field: &Field| matches!(field, Field::Narrative | Field::Description | Field::Content);
                note.text_fields().into_iter().filter(|(field, _)| !fades(field)).map(|(field, text)| (field, text.into_owned())).collect()
            };
            prop_assert_eq!(texts(&told.note), texts(&note));
            prop_assert_eq!(&told.note.mem_links, &note.mem_links);
            prop_assert_eq!(told.note.retrieval_count, note.retrieval_count);
        }
    }

    #[test]
    fn a_suggestion_never_empties_or_inflates_a_memory(
        content in strategies::shown_text(),
        description in any_text(),
        aliases in prop::collection::vec(strategies::shown_text(), 0..4),
        suggested in prop::collection::vec(any_text(), 0..6),
        telling in any_text(),
        degree in strategies::unit(),
    ) {
        let original = SemMemory { content, aliases, concept_type: ConceptType::Entity, description };
        let suggestion = Alignment { aliases: suggested, description: telling.clone(), concept_type: None };
        let aligned = aligned(&original, &suggestion, degree);
        prop_assert_eq!(&aligned.content, &original.content);
        prop_assert_eq!(aligned.concept_type, original.concept_type);
        prop_assert!(original.description.trim().is_empty() || !aligned.description.trim().is_empty());
        prop_assert!(original.aliases.is_empty() || !aligned.aliases.is_empty());
        if degree < 0.6 {
            prop_assert!(aligned.aliases.len() <= original.aliases.len());
        }
        if let Some(accepted) = accepted(&original.description, &telling) {
            prop_assert!(accepted == original.description || !accepted.contains("[masked]"));
            prop_assert!(!telling.trim().is_empty());
        }
    }
}
