//! The rendered report of a small run, written out by hand.

use super::*;
use crate::eval::Suite;
use crate::eval::data::case::Half;
use crate::eval::metrics::judge::{FoundAction, FoundNote};
use crate::eval::metrics::{Answer, Scores};
use crate::eval::report::compare::compare;
use crate::eval::report::results::{FileResults, VariationResults};
use soulmem_engine::recall::merge::Stage;

fn case(name: &str, half: Half, verdict: Verdict, hit: f64) -> CaseResult {
    CaseResult {
        name: name.into(),
        half,
        verdict,
        scores: Scores::from([(Metric::MustHit, hit)]),
        missed: Vec::new(),
        missed_actions: Vec::new(),
        answer: Answer::default(),
    }
}

fn file(name: &str, cases: Vec<CaseResult>) -> FileResults {
    FileResults {
        file: format!("{name}.json"),
        name: name.into(),
        variations: vec![VariationResults {
            weights: "tag=0.3 variant=0.7".into(),
            tag: 0.3,
            variant: 0.7,
            summary: Halves::of(&cases),
            cases,
        }],
    }
}

fn results() -> Results {
    let mut failed = case("找猫", Half::Holdout, Verdict::Failed, 0.0);
    failed.missed = vec!["sem_cat".into()];
    failed.missed_actions = vec!["proc_hum".into()];
    failed.answer = Answer {
        notes: vec![
            FoundNote {
                id: "雨".into(),
                score: 0.5,
                stage: Stage::Both,
            },
            FoundNote {
                id: "sem_tin".into(),
                score: 0.25,
                stage: Stage::Walk,
            },
        ],
        actions: vec![FoundAction {
            id: "proc_x".into(),
            score: 0.4,
        }],
        per_query: Vec::new(),
    };
    let files = vec![
        file(
            "小红",
            vec![failed, case("b", Half::Tuned, Verdict::Passed, 1.0)],
        ),
        file("tom", vec![case("c", Half::Holdout, Verdict::Passed, 1.0)]),
    ];
    Results::new(Suite::RetrieveFull, "lexical@1/mean".into(), files)
}

#[test]
fn both_halves_stand_beside_each_other_and_columns_line_up() {
    let results = results();
    let missed = [Missed {
        weights: "tag=0.3 variant=0.7".into(),
        metric: Metric::MustHit,
        least: 0.93,
        reached: Some(0.5),
    }];
    let report = Report {
        results: &results,
        others: &["graph.json".into()],
        split: Split::Holdout,
        cases: CasesArg::Failed,
        missed: &missed,
    };
    let expected = "\
retrieve/full with lexical@1/mean
passed over, no cases of this suite: graph.json

FAILED  小红/找猫  [holdout]
  missing  sem_cat
  missing action  proc_hum
      score  by      note
   1  0.500  both    雨
   2  0.250  walk    sem_tin
      0.400  action  proc_x

file  cases  must_hit tuned  holdout    action_hit tuned  holdout  mrr tuned  holdout
小红  2      1.000 (1)       0.000 (1)  -                 -        -          -
tom   1      -               1.000 (1)  -                 -        -          -

tag=0.3 variant=0.7
metric    tuned      holdout    all
cases     1          2          3
failed    0          1          1
must_hit  1.000 (1)  0.500 (2)  0.667 (3)
NOT REACHED: must_hit of holdout cases is 0.500, at least 0.930 is asked for (tag=0.3 variant=0.7)
";
    assert_eq!(report.to_string(), expected);
}

#[test]
fn a_comparison_names_what_changed() {
    let first = results();
    let mut second = first.clone();
    let cases = &mut second.files[0].variations[0].cases;
    cases[0].verdict = Verdict::Passed;
    cases[0].scores.insert(Metric::MustHit, 1.0);
    let compared = compare(&first, &second);
    let expected = "\
fixed  小红/找猫  [holdout]  must_hit +1.000
1 fixed, 0 broken, 2 unchanged

metric    tuned A  B      B-A     holdout A  B      B-A
must_hit  1.000    1.000  +0.000  0.500      1.000  +0.500
";
    assert_eq!(comparison::Report(&compared).to_string(), expected);
}
