//! The curve, the mask, what fades and what does not: numbers from the specification, and masks that another program made.

#![allow(
    clippy::unwrap_used,
    reason = "a fixture that cannot be read fails the test"
)]

use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use soulmem_engine::forget::archive::effective_intensity;
use soulmem_engine::forget::{
    MemoryTrace, Profile, ProfileName, Retention, Stage, Ties, Version, blurred, fades,
    is_to_be_archived, mask::Mask,
};
use soulmem_engine::model::{
    Anchor, Bucket, Field, FixedClock, MemoryNote, NoteDraft, SequentialIds,
};
use soulmem_engine::text::words;

fn day(days: i64) -> Timestamp {
    let start: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
    start + SignedDuration::from_hours(24 * days)
}

fn hours(hours: i64) -> Timestamp {
    day(0) + SignedDuration::from_hours(hours)
}

fn trace(recalls: u64) -> MemoryTrace {
    MemoryTrace {
        recalls,
        ..MemoryTrace::of_utterance(day(0), day(0), 0)
    }
}

fn note(json: &serde_json::Value) -> MemoryNote {
    let draft: NoteDraft = serde_json::from_value(json.clone()).unwrap();
    draft
        .build(&FixedClock(day(0)), &SequentialIds::new())
        .unwrap()
}

fn lived(narrative: &str) -> MemoryNote {
    note(
        &serde_json::json!({"mem_type": {"Situation": {"SpecificSituation": {
        "narrative": narrative, "time_span": "2026-01-01T00:00:00Z"}}}}),
    )
}

fn known(content: &str, description: &str) -> MemoryNote {
    note(&serde_json::json!({"mem_type": {"Semantic": {
        "content": content, "concept_type": "Entity", "description": description}}}))
}

#[test]
fn the_seeds_numbers_are_exact() {
    // 48 h with a half-life of 24 h · (1 + 0.1 · recalls): 1 − 2^(−2/1), 1 − 2^(−2/1.5), 1 − 2^(−2/3), 1 − 2^(−2/6), and the
    // same again, because 50 recalls count at most.
    for (recalls, exponent, rounded) in [
        (0, 2.0, 0.75),
        (5, 2.0 / 1.5, 0.603),
        (20, 2.0 / 3.0, 0.370),
        (50, 2.0 / 6.0, 0.206),
        (200, 2.0 / 6.0, 0.206),
    ] {
        let degree = Profile::SEED
            .retention(&trace(recalls), hours(48))
            .missing_degree();
        assert!(
            (degree - (1.0 - 2f64.powf(-exponent))).abs() < 1e-12,
            "{recalls}"
        );
        assert!((degree - rounded).abs() < 5e-4, "{recalls}: {degree}");
    }
    let half = Profile::SEED.retention(&trace(0), hours(24));
    assert_eq!(half.share().to_bits(), 0.5f64.to_bits());
    let stages = [0, 4, 96].map(|at| {
        Stage::at(
            Profile::SEED
                .retention(&trace(0), hours(at))
                .missing_degree(),
        )
    });
    assert_eq!(stages, [Stage::Whole, Stage::Masked, Stage::Reimagined]);
}

#[test]
fn the_companion_blurs_after_eight_days_and_keeps_what_is_rehearsed() {
    let companion = Profile::COMPANION;
    // 90 days · (0.5 + 5/10) · (1 + 0.8 · 0.3) = 111.6 days; log2(1/0.95) · 111.6 = 8.26, log2(1/0.85) · 111.6 = 26.17.
    assert!((companion.half_life_hours(&trace(0)) - 111.6 * 24.0).abs() < 1e-9);
    let stage = |recalls, days| {
        Stage::at(
            companion
                .retention(&trace(recalls), day(days))
                .missing_degree(),
        )
    };
    assert_eq!([stage(0, 8), stage(0, 9)], [Stage::Whole, Stage::Masked]);
    assert_eq!(
        [stage(0, 26), stage(0, 27)],
        [Stage::Masked, Stage::Reimagined]
    );
    // Six times as long after fifty recalls: 49.55 days.
    assert_eq!(
        [stage(50, 49), stage(50, 50)],
        [Stage::Whole, Stage::Masked]
    );
    // It runs from the last rehearsal, not from the creation.
    let rehearsed = MemoryTrace {
        last_rehearsed_at: day(300),
        ..trace(1)
    };
    assert_eq!(companion.retention(&rehearsed, day(300)), Retention::FULL);
    let seed = Profile::SEED.retention(&rehearsed, day(300));
    assert!(seed.share() < 1e-6, "the seed's does not");
    // What matters most and moved most: (0.5 + 1) · 1.8 of the base, against 0.6 · 1 of what matters least.
    let of = |importance, arousal| {
        companion.half_life_hours(&MemoryTrace {
            importance,
            arousal,
            ..trace(0)
        })
    };
    assert!((of(10, 1.0) - 2_160.0 * 2.7).abs() < 1e-9);
    assert!((of(1, 0.0) - 2_160.0 * 0.6).abs() < 1e-9);
    // The gist stays.
    let long_ago = companion.retention(&trace(0), day(4_000));
    assert!(long_ago.missing_degree() > 0.99);
    assert!((companion.shown_degree(long_ago) - 0.6).abs() < 1e-12);
}

#[test]
fn nothing_fades_where_nothing_should_and_the_future_has_not_begun() {
    for name in ProfileName::ALL {
        assert_eq!(name.as_str().parse(), Ok(name));
        let before = name.profile().retention(&trace(0), hours(-5));
        assert_eq!(before, Retention::FULL, "{name}");
    }
    assert_eq!(
        Profile::NONE.retention(&trace(0), day(40_000)),
        Retention::FULL
    );
    let message = "oblivion".parse::<ProfileName>().unwrap_err().to_string();
    assert!(message.contains("companion"), "{message}");
}

#[derive(Deserialize)]
struct Vector {
    name: String,
    text: String,
    words: Vec<(u32, u32)>,
    anchors: Vec<Passage>,
    degree: f64,
    covered: Vec<usize>,
    told: String,
}

#[derive(Deserialize)]
struct Passage {
    start: usize,
    end: usize,
    gist: Option<String>,
}

#[test]
fn masks_are_those_of_the_second_writing() {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../fixtures/forget/masks.json"
    );
    let vectors: Vec<Vector> =
        serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    assert!(vectors.len() >= 60, "{}", vectors.len());
    for vector in vectors {
        let anchors: Vec<Anchor> = vector
            .anchors
            .into_iter()
            .map(|passage| Anchor {
                field: Field::Narrative,
                start: passage.start,
                end: passage.end,
                gist: passage.gist,
                kind: None,
            })
            .collect();
        let anchors: Vec<&Anchor> = anchors.iter().collect();
        let (name, text) = (&vector.name, &vector.text);
        let cut: Vec<&str> = words(text).into_iter().map(|word| &text[word]).collect();
        let mask = Mask::new(text, Some(&vector.words), &anchors);
        assert_eq!(
            mask.borders(),
            Mask::new(text, None, &[]).borders(),
            "{name}: {cut:?}"
        );
        assert_eq!(mask.covered(vector.degree), vector.covered, "{name}");
        assert_eq!(mask.told(text, vector.degree), vector.told, "{name}");
    }
}

#[test]
fn borders_that_do_not_fit_the_text_are_cut_anew() {
    let text = "红色的船";
    let fresh = Mask::new(text, None, &[]);
    for damaged in [
        vec![(0, 1)],         // inside a character
        vec![(0, 99)],        // past the end
        vec![(3, 6), (0, 3)], // backwards
        vec![(0, 6), (3, 9)], // over each other
        vec![(3, 3)],         // nothing
    ] {
        assert_eq!(Mask::new(text, Some(&damaged), &[]), fresh, "{damaged:?}");
    }
}

#[test]
fn names_stay_and_sentences_are_masked() {
    let gone = Retention::after(1e9, 1.0);
    let told = |note: &MemoryNote| blurred(note, &Profile::SEED, gone, &[]).unwrap();
    let name = told(&known("Harbour Café", "where the fishers drink"));
    assert_eq!(
        name.note.summary_text(),
        "Harbour Café: [masked] [masked] [masked] [masked]"
    );
    let fact = told(&known("The ferry runs on Sundays too.", ""));
    assert!(fact.note.summary_text().starts_with("[masked]"));
    let alone = told(&known("Harbour Café", ""));
    assert!(!alone.masked, "there is nothing of it that fades");
    let scene = told(&lived("她在雨里等了很久"));
    assert!(scene.masked && scene.note.summary_text().contains("[masked]"));
    assert!(
        blurred(
            &lived("x"),
            &Profile::SEED,
            Retention::after(1.0, 24.0),
            &[]
        )
        .is_none(),
        "an hour takes 0.028"
    );
}

#[test]
fn what_is_held_does_not_fade() {
    let plain = lived("We buried the tin box under the elm");
    assert!(fades(&plain));
    let changed = |change: &dyn Fn(&mut MemoryNote)| {
        let mut note = plain.clone();
        change(&mut note);
        fades(&note)
    };
    assert!(!changed(&|note| note.affect.pinned = true));
    assert!(!changed(&|note| note.affect.protected = true));
    assert!(!changed(&|note| note.affect.bucket = Bucket::Feel));
    assert!(!changed(&|note| note.affect.bucket = Bucket::Permanent));
    assert!(changed(&|note| note.affect.bucket = Bucket::Dormant));
    assert!(!changed(&|note| note.tags.push("promise".into())));
    let kept_promise = |note: &mut MemoryNote| {
        note.tags.push("promise".into());
        note.affect.resolved = true;
    };
    assert!(changed(&kept_promise));
    for body in [
        serde_json::json!({"Procedure": {"action": {"content": "hums", "action_type": "Speak"}}}),
        serde_json::json!({"Situation": {"AbstractSituation": {"Location": {"name": "pier"}}}}),
    ] {
        assert!(!fades(&note(&serde_json::json!({"mem_type": body}))));
    }
}

#[test]
fn its_own_telling_is_told_until_it_has_faded_much_further() {
    let text = "We hid the letters in the piano stool";
    let lived = lived(text);
    let version = |degree| Version {
        field: Field::Narrative,
        borders: Mask::new(text, None, &[]).borders(),
        reimagined: Some(("We hid something in the parlour".to_owned(), degree)),
    };
    let at = |hours, made_for: f64| {
        let left = Retention::after(hours, 24.0);
        blurred(&lived, &Profile::SEED, left, &[version(made_for)]).unwrap()
    };
    // 24 h: md 0.5.
    let told = at(24.0, 0.5);
    assert_eq!(told.note.summary_text(), "We hid something in the parlour");
    assert!(told.masked && !told.reimagining_due && told.cut.is_empty());
    assert!(!at(24.0, 0.36).reimagining_due, "0.14 further");
    assert!(at(24.0, 0.34).reimagining_due, "0.16 further");
    // 4 h: md 0.109. Rehearsed since it was told anew, it is masked a little and no more.
    let clearer = at(4.0, 0.5);
    assert_eq!(clearer.note.summary_text().matches("[masked]").count(), 1);
    assert!(!clearer.reimagining_due);
    let never = blurred(&lived, &Profile::SEED, Retention::after(24.0, 24.0), &[]).unwrap();
    assert!(never.reimagining_due);
    assert_eq!(
        never.cut,
        [(Field::Narrative, Mask::new(text, None, &[]).borders())]
    );
}

#[test]
fn links_fade_with_their_source_and_do_not_conduct_under_a_twentieth() {
    let left = |halves: i32| Retention::after(24.0 * f64::from(halves), 24.0);
    assert_eq!(effective_intensity(0.8, left(1)), Some(0.4));
    assert_eq!(effective_intensity(0.8, left(4)), Some(0.05));
    assert_eq!(effective_intensity(0.8, left(5)), None);
}

#[test]
fn only_what_is_nearly_gone_and_loose_is_archived() {
    let plain = lived("a grey afternoon");
    let left = |share: f64| Retention::after(-share.log2(), 1.0);
    assert!(is_to_be_archived(&plain, left(0.019), Ties::Loose));
    assert!(!is_to_be_archived(&plain, left(0.021), Ties::Loose));
    assert!(!is_to_be_archived(&plain, left(0.001), Ties::Held));
    let mut pinned = plain;
    pinned.affect.pinned = true;
    assert!(!is_to_be_archived(&pinned, left(0.001), Ties::Loose));
}
