//! Two small runs, compared by hand.

use super::*;
use crate::eval::metrics::{Answer, Scores};
use crate::eval::report::results::{FileResults, VariationResults};
use crate::eval::suite::Suite;

fn case(name: &str, verdict: Verdict, mrr: f64) -> CaseResult {
    CaseResult {
        name: name.into(),
        half: Half::Holdout,
        verdict,
        scores: Scores::from([(Metric::ReciprocalRank, mrr)]),
        missed: Vec::new(),
        missed_actions: Vec::new(),
        answer: Answer::default(),
    }
}

fn run(variations: Vec<(&str, Vec<CaseResult>)>) -> Results {
    let variations = variations
        .into_iter()
        .map(|(weights, cases)| VariationResults {
            weights: weights.into(),
            tag: 0.3,
            variant: 0.7,
            summary: Halves::of(&cases),
            cases,
        });
    let file = FileResults {
        file: "set.json".into(),
        name: "set".into(),
        variations: variations.collect(),
    };
    Results::new(Suite::RetrieveFull, "model".into(), vec![file])
}

#[test]
fn each_case_is_fixed_broken_or_unchanged_and_shows_what_moved() {
    use Verdict::{Failed, Negative, Passed};
    let first = run(vec![(
        "tag=0.3",
        vec![
            case("a", Failed, 0.5),
            case("b", Passed, 1.0),
            case("c", Passed, 0.25),
            case("d", Negative, 0.0),
            case("gone", Passed, 1.0),
        ],
    )]);
    let second = run(vec![(
        "tag=0.5",
        vec![
            case("b", Failed, 0.5),
            case("a", Passed, 0.5),
            case("c", Passed, 0.5),
            case("d", Negative, 0.0),
            case("new", Passed, 1.0),
        ],
    )]);
    let comparison = compare(&first, &second);
    let rows: Vec<_> = comparison
        .cases
        .iter()
        .map(|case| {
            (
                case.name.as_str(),
                case.change,
                case.deltas.values().copied().collect::<Vec<_>>(),
            )
        })
        .collect();
    assert_eq!(
        rows,
        [
            ("a", Change::Fixed, vec![]),
            ("b", Change::Broken, vec![-0.5]),
            ("c", Change::Unchanged, vec![0.25]),
            ("d", Change::Unchanged, vec![]),
        ]
    );
    assert_eq!(comparison.only_first, ["set/gone"]);
    assert_eq!(comparison.only_second, ["set/new"]);
    // Common cases a, b, c, d: (0.5 + 1 + 0.25 + 0) / 4 and (0.5 + 0.5 + 0.5 + 0) / 4.
    assert_eq!(
        comparison.first.holdout.mean(Metric::ReciprocalRank),
        Some(0.4375)
    );
    assert_eq!(
        comparison.second.holdout.mean(Metric::ReciprocalRank),
        Some(0.375)
    );
}

#[test]
fn in_a_sweep_the_weights_tell_cases_apart() {
    use Verdict::{Failed, Passed};
    let first = run(vec![
        ("tag=0.1", vec![case("a", Passed, 1.0)]),
        ("tag=0.9", vec![case("a", Failed, 0.0)]),
    ]);
    let second = run(vec![("tag=0.9", vec![case("a", Passed, 1.0)])]);
    let comparison = compare(&first, &second);
    assert_eq!(comparison.cases.len(), 1);
    assert_eq!(comparison.cases[0].change, Change::Fixed);
    assert_eq!(comparison.only_first, ["set/a (tag=0.1)"]);
}

#[test]
fn cases_of_one_name_are_told_apart_by_their_order() {
    use Verdict::{Failed, Passed};
    let cases = |second| vec![case("a", Passed, 1.0), case("a", second, 1.0)];
    let comparison = compare(
        &run(vec![("w", cases(Failed))]),
        &run(vec![("w", cases(Passed))]),
    );
    let changes: Vec<_> = comparison.cases.iter().map(|case| case.change).collect();
    assert_eq!(changes, [Change::Unchanged, Change::Fixed]);
}

#[test]
fn a_results_file_is_read_back_and_another_file_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("r.json");
    let results = run(vec![("w", vec![case("a", Verdict::Passed, 1.0)])]);
    std::fs::write(&file, serde_json::to_vec(&results).unwrap()).unwrap();
    assert_eq!(Results::read(&file).unwrap(), results);
    for (text, reason) in [
        ("{}", "r.json: format: is missing"),
        (r#"{"format": 99}"#, "r.json: format: is 99"),
        (r#"{"format": 1, "suite": "walk"}"#, "`walk` is no suite"),
    ] {
        std::fs::write(&file, text).unwrap();
        let error = Results::read(&file).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
}
