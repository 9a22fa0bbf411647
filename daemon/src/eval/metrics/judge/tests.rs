//! Scores computed by hand.

use std::collections::BTreeSet;

use super::*;
use crate::eval::data::case::{Half, PerQuery};

fn ids(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Expects `a` and `b`; `must` is both, `c` is welcome.
fn case() -> Case {
    Case {
        name: "case".into(),
        description: String::new(),
        half: Half::Tuned,
        sub_queries: Vec::new(),
        per_query: Vec::new(),
        combined: ids(&["a", "b"]),
        must: ids(&["a", "b"]),
        bonus: ids(&["c"]),
        actions: None,
        abstracts: Vec::new(),
    }
}

fn answer(notes: &[(&str, Stage)], actions: &[&str]) -> Answer {
    let notes = notes.iter().zip((0..notes.len()).rev());
    Answer {
        notes: notes
            .map(|(&(id, stage), score)| FoundNote {
                id: id.into(),
                score: score as f64,
                stage,
            })
            .collect(),
        actions: actions
            .iter()
            .map(|id| FoundAction {
                id: (*id).into(),
                score: 0.5,
            })
            .collect(),
        per_query: Vec::new(),
    }
}

fn similar(ids: &[&'static str]) -> Vec<(&'static str, Stage)> {
    ids.iter().map(|id| (*id, Stage::Similarity)).collect()
}

#[track_caller]
fn assert_scores(case: &Case, answer: &Answer, ks: &[usize], expected: &[(&str, f64)]) {
    let scores = judge(case, answer, ks, Judged::NotesAndActions);
    let measured: BTreeSet<String> = scores.keys().map(ToString::to_string).collect();
    let wanted: BTreeSet<String> = expected
        .iter()
        .map(|(name, _)| (*name).to_owned())
        .collect();
    assert_eq!(measured, wanted);
    for (name, value) in expected {
        let metric: Metric = name.parse().unwrap();
        assert!((scores[&metric] - value).abs() < 1e-12, "{name}");
    }
}

#[test]
fn one_of_two_must_notes_is_a_miss_that_still_counts_for_recall() {
    // Ranking x, a, c: recall@1 0, recall@3 1/2; precision@3 1/3; first expected at place 2;
    // nDCG@3 = (1/log2 3) / (1 + 1/log2 3).
    let ranked = answer(&similar(&["x", "a", "c"]), &[]);
    assert_scores(
        &case(),
        &ranked,
        &[1, 3],
        &[
            ("must_hit", 0.0),
            ("must_recall", 0.5),
            ("any_hit", 1.0),
            ("bonus", 1.0),
            ("mrr", 0.5),
            ("recall@1", 0.0),
            ("recall@3", 0.5),
            ("precision@1", 0.0),
            ("precision@3", 1.0 / 3.0),
            ("ndcg@1", 0.0),
            ("ndcg@3", 0.386_852_807_234_541_6),
        ],
    );
    let scores = judge(&case(), &ranked, &[3], Judged::Notes);
    assert_eq!(verdict(&case(), &scores), Verdict::Failed);
}

#[test]
fn a_negative_case_is_measured_by_silence_alone_and_never_fails() {
    let negative = Case {
        combined: Vec::new(),
        must: Vec::new(),
        bonus: Vec::new(),
        per_query: vec![PerQuery {
            query: 0,
            ranking: Vec::new(),
        }],
        ..case()
    };
    for (notes, silence) in [(&[][..], 1.0), (&["x"][..], 0.0)] {
        let answer = Answer {
            per_query: vec![ids(notes)],
            ..answer(&similar(notes), &[])
        };
        assert_scores(&negative, &answer, &[1, 5], &[("silence", silence)]);
        let scores = judge(&negative, &answer, &[1], Judged::Notes);
        assert_eq!(verdict(&negative, &scores), Verdict::Negative);
    }
}

#[test]
fn sub_queries_are_averaged_over_those_that_expect_something() {
    // q0 finds its one note at place 2: recall@1 0, recall@3 1, rank 1/2. q1 finds one of two at place 1: recall@1 and
    // recall@3 1/2, rank 1. q2 expects nothing. Means: recall@1 1/4, recall@3 3/4, rank 3/4.
    let case = Case {
        per_query: vec![
            PerQuery {
                query: 0,
                ranking: ids(&["a"]),
            },
            PerQuery {
                query: 1,
                ranking: ids(&["b", "c"]),
            },
            PerQuery {
                query: 2,
                ranking: Vec::new(),
            },
        ],
        combined: Vec::new(),
        bonus: Vec::new(),
        must: ids(&["a"]),
        ..case()
    };
    let answer = Answer {
        per_query: vec![ids(&["x", "a"]), ids(&["b", "y"]), ids(&["z"])],
        ..answer(&similar(&["a"]), &[])
    };
    assert_scores(
        &case,
        &answer,
        &[1, 3],
        &[
            ("must_hit", 1.0),
            ("must_recall", 1.0),
            ("query_recall@1", 0.25),
            ("query_recall@3", 0.75),
            ("query_mrr", 0.75),
        ],
    );
}

#[test]
fn an_abstract_situation_is_direct_only_where_its_own_likeness_brought_it_up() {
    let case = Case {
        combined: Vec::new(),
        must: Vec::new(),
        bonus: Vec::new(),
        abstracts: ids(&["a", "b", "c", "d"]),
        ..case()
    };
    let found = [
        ("a", Stage::Similarity),
        ("b", Stage::Walk),
        ("c", Stage::Both),
    ];
    let scores = judge(&case, &answer(&found, &[]), &[1], Judged::Notes);
    assert!((scores[&Metric::AbstractDetected] - 0.75).abs() < 1e-12);
    assert!((scores[&Metric::AbstractDirect] - 0.5).abs() < 1e-12);
}

#[test]
fn actions_are_judged_by_what_the_file_says_of_them() {
    let with = |actions: Option<&[&str]>| Case {
        actions: actions.map(ids),
        ..case()
    };
    let score = |case: &Case, came: &[&str]| {
        let both = answer(&similar(&["a", "b"]), came);
        let scores = judge(case, &both, &[1, 5], Judged::NotesAndActions);
        let of = |metric| scores.get(&metric).copied();
        let values = [
            of(Metric::ActionHit),
            of(Metric::ActionRecallAt(1)),
            of(Metric::ActionRecallAt(3)),
            of(Metric::ActionSilence),
        ];
        (values, verdict(case, &scores))
    };
    for (expected, came, values, ended) in [
        // Left out: not judged, whatever comes.
        (None, &["p"][..], [None; 4], Verdict::Passed),
        // Two expected, one of them second: a hit, half of them found.
        (
            Some(&["p", "q"][..]),
            &["x", "q"][..],
            [Some(1.0), Some(0.0), Some(0.5), None],
            Verdict::Passed,
        ),
        (
            Some(&["p"][..]),
            &["x"][..],
            [Some(0.0), Some(0.0), Some(0.0), None],
            Verdict::Failed,
        ),
        // An empty list: none may come.
        (
            Some(&[][..]),
            &[][..],
            [None, None, None, Some(1.0)],
            Verdict::Passed,
        ),
        (
            Some(&[][..]),
            &["p"][..],
            [None, None, None, Some(0.0)],
            Verdict::Failed,
        ),
    ] {
        assert_eq!(
            score(&with(expected), came),
            (values, ended),
            "{expected:?}"
        );
    }
}

#[test]
fn a_suite_without_actions_is_not_judged_by_them() {
    let case = Case {
        actions: Some(ids(&["p"])),
        ..case()
    };
    let scores = judge(
        &case,
        &answer(&similar(&["a", "b"]), &[]),
        &[1],
        Judged::Notes,
    );
    assert!(!scores.contains_key(&Metric::ActionHit));
    assert_eq!(verdict(&case, &scores), Verdict::Passed);
}
