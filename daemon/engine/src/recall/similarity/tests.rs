use std::sync::Arc;

use super::{Scorer, Similarity, Vector, Vectors};
use crate::model::{Field, FixedClock, MemoryNote, NoteDraft, NoteId, SequentialIds};
use crate::recall::query::SubQuery;
use crate::recall::weights::BlendWeights;

/// Texts as arrows in a plane: `(text, angle in degrees)`; the cosine of two texts is that of the angle between them.
struct Plane(&'static [(&'static str, f64)]);

impl Plane {
    fn at(&self, text: &str) -> Option<Arc<[f32]>> {
        let &(_, degrees) = self.0.iter().find(|(known, _)| *known == text)?;
        let (sine, cosine) = degrees.to_radians().sin_cos();
        Some(Arc::from([cosine as f32, sine as f32]))
    }
}

impl Vectors for Plane {
    fn query(&self, text: &str) -> Option<Arc<[f32]>> {
        self.at(text)
    }

    fn passage(&self, _: NoteId, _: Field, text: &str) -> Option<Vector<'_>> {
        self.at(text).map(Vector::Shared)
    }
}

fn note(json: &str, tags: &[&str]) -> MemoryNote {
    let draft = NoteDraft::new(serde_json::from_str(json).unwrap()).tagged(tags.iter().copied());
    draft
        .build(
            &FixedClock("2026-01-01T00:00:00Z".parse().unwrap()),
            &SequentialIds::new(),
        )
        .unwrap()
}

fn score(plane: &Plane, query: &str, note: &MemoryNote) -> Similarity {
    let query: SubQuery = serde_json::from_str(query).unwrap();
    Scorer::new(&BlendWeights::default(), plane, &query).score(note)
}

fn assert_close(score: f64, expected: f64) {
    assert!((score - expected).abs() < 1e-6, "{score} is not {expected}");
}

const TEA: &str = r#"{"Semantic": {"content": "tea", "aliases": ["cha"], "concept_type": "Entity", "description": "hot"}}"#;

#[test]
fn a_concept_blends_its_name_and_its_description() {
    // cos 60° = 0.5 for the description, 1 for the name: (0.7·1 + 0.3·0.5) / 1.
    let plane = Plane(&[("tea", 0.0), ("cha", 90.0), ("hot", 0.0), ("warm", 60.0)]);
    let query =
        r#"{"variant": {"Semantic": [{"concept_identifier": "tea", "description": "warm"}]}}"#;
    assert_close(score(&plane, query, &note(TEA, &[])).vectors, 0.85);
}

#[test]
fn what_the_query_leaves_out_is_not_in_the_divisor() {
    let plane = Plane(&[("tea", 0.0), ("cha", 90.0), ("drink", 60.0)]);
    let query = r#"{"variant": {"Semantic": [{"concept_identifier": "drink"}]}}"#;
    // The alias is 30° away, the content 60°: the better one counts, alone.
    assert_close(
        score(&plane, query, &note(TEA, &[])).vectors,
        30f64.to_radians().cos(),
    );
}

#[test]
fn tags_count_only_where_the_query_has_some() {
    let plane = Plane(&[
        ("tea", 0.0),
        ("cha", 90.0),
        ("drinks", 0.0),
        ("dishes", 90.0),
    ]);
    let with = |tags: &str| {
        format!(
            r#"{{"tag": [{tags}], "variant": {{"Semantic": [{{"concept_identifier": "tea"}}]}}}}"#
        )
    };
    let tea = note(TEA, &["drinks"]);
    assert_close(score(&plane, &with(r#""drinks""#), &tea).score, 1.0);
    assert_eq!(score(&plane, &with(""), &tea).tags, None);
    // One of two tags is there: 0.3·0.5 + 0.7·1, and the string channel, at 1, lifts it to 0.6·0.85 + 0.4 = 0.91.
    assert_close(
        score(&plane, &with(r#""drinks", "dishes""#), &tea).score,
        0.91,
    );
}

#[test]
fn strings_only_ever_add() {
    // Nothing alike by vector, the same by spelling: 0.4. Alike by vector, unlike by spelling: the vector's score.
    let apart = Plane(&[("tea", 0.0), ("cha", 0.0), ("TEA", 90.0), ("zzz", 0.0)]);
    let query = |name: &str| {
        format!(r#"{{"variant": {{"Semantic": [{{"concept_identifier": "{name}"}}]}}}}"#)
    };
    assert_close(score(&apart, &query("TEA"), &note(TEA, &[])).score, 0.4);
    assert_close(score(&apart, &query("zzz"), &note(TEA, &[])).score, 1.0);
}

#[test]
fn strings_that_resemble_each_other_by_chance_say_nothing() {
    // To "tea", "team" is 3/4 by Levenshtein and more by Jaro-Winkler; "sea" 2/3 and 7/9; "eat" agrees in no place: 1/3.
    let apart = Plane(&[
        ("tea", 0.0),
        ("cha", 0.0),
        ("team", 90.0),
        ("eat", 90.0),
        ("sea", 90.0),
    ]);
    let strings = |name: &str| {
        let query =
            format!(r#"{{"variant": {{"Semantic": [{{"concept_identifier": "{name}"}}]}}}}"#);
        score(&apart, &query, &note(TEA, &[])).strings
    };
    assert!(strings("team") > 0.75);
    assert_close(strings("sea"), 7.0 / 9.0);
    assert_close(strings("eat"), 0.0);
}

const RAIN: &str = r#"{"Situation": {"SpecificSituation": {"narrative": "rain fell", "time_span": "2026-03-08T12:00:00Z",
    "context": {"location": {"name": "quay"}, "participants": [{"name": "Ann", "role": "aunt"}, {"name": "Bo", "role": "boy"}],
    "emotions": [{"name": "joy", "intensity": 0.5}]}}}}"#;

const WORDS: Plane = Plane(&[
    ("rain fell", 0.0),
    ("quay", 0.0),
    ("Ann", 0.0),
    ("aunt", 0.0),
    ("Bo", 90.0),
    ("boy", 90.0),
    ("joy", 0.0),
    ("it rained", 60.0),
]);

#[test]
fn fields_of_a_situation_combine_by_maximum() {
    let rain = note(RAIN, &[]);
    let told = r#"{"variant": {"Situation": [{"narrative": "it rained"}]}}"#;
    assert_close(score(&WORDS, told, &rain).score, 0.5);
    let told_and_placed = r#"{"variant": {"Situation": [{"narrative": "it rained", "location": [{"name": "quay"}]}]}}"#;
    assert_close(score(&WORDS, told_and_placed, &rain).score, 1.0);
}

#[test]
fn a_person_is_matched_as_a_whole() {
    // Ann is no boy and Bo no aunt: 0.7 for the right name, 0.3 for the right role, of different people.
    let query =
        r#"{"variant": {"Situation": [{"participants": [{"name": "Ann", "role": "boy"}]}]}}"#;
    assert_close(score(&WORDS, query, &note(RAIN, &[])).score, 0.7);
}

#[test]
fn what_the_note_lacks_scores_nothing() {
    let bare = r#"{"Situation": {"SpecificSituation": {"narrative": "rain fell", "time_span": "2026-03-08T12:00:00Z"}}}"#;
    let query = r#"{"variant": {"Situation": [{"location": [{"name": "quay"}], "event": [{"action": "joy"}]}]}}"#;
    assert_close(score(&WORDS, query, &note(bare, &[])).score, 0.0);
}

#[test]
fn time_scales_what_the_other_fields_say() {
    let rain = note(RAIN, &[]);
    let at = |span: &str| {
        format!(
            r#"{{"variant": {{"Situation": [{{"narrative": "rain fell", "time_span": [{span}]}}]}}}}"#
        )
    };
    let march = r#"{"start": "2026-03-01T00:00:00Z", "end": "2026-03-31T00:00:00Z"}"#;
    assert_close(score(&WORDS, &at(march), &rain).score, 1.0);
    // A week after the interval: half of the match in time, so 0.8 + 0.2·0.5.
    let week_before = r#"{"end": "2026-03-01T12:00:00Z"}"#;
    assert_close(score(&WORDS, &at(week_before), &rain).score, 0.9);
    let alone = r#"{"variant": {"Situation": [{"time_span": {"start": "2026-03-15T12:00:00Z"}}]}}"#;
    assert_close(score(&WORDS, alone, &rain).score, 0.5);
}

#[test]
fn an_abstract_situation_meets_its_own_element() {
    let quay = note(
        r#"{"Situation": {"AbstractSituation": {"Location": {"name": "quay"}}}}"#,
        &[],
    );
    let placed = r#"{"variant": {"Situation": [{"location": {"name": "quay"}, "participants": {"name": "Bo"}}]}}"#;
    assert_close(score(&WORDS, placed, &quay).score, 1.0);
    let told = r#"{"variant": {"Situation": [{"narrative": "it rained"}]}}"#;
    assert_close(score(&WORDS, told, &quay).score, 0.5);
}

#[test]
fn a_kind_that_is_not_asked_for_scores_nothing() {
    let habit = note(
        r#"{"Procedure": {"action": {"content": "tea", "action_type": "Think"}}}"#,
        &["tea"],
    );
    let query = r#"{"tag": ["tea"], "variant": {"Semantic": [{"concept_identifier": "tea"}]}}"#;
    assert_eq!(
        score(&Plane(&[("tea", 0.0)]), query, &habit),
        Similarity::default()
    );
}
