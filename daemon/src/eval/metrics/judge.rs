//! One case's answer against its expectations.

use serde::{Deserialize, Serialize};
use soulmem_engine::recall::actions::ACTION_TOP_K;
use soulmem_engine::recall::merge::Stage;

use super::metric::{Metric, Scores};
use super::ranking::{ndcg_at, precision_at, recall_at, reciprocal_rank};
use crate::eval::data::case::Case;

/// What a suite brought up for a case, by the ids of the graph file, best first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The results of all sub-queries together.
    pub notes: Vec<FoundNote>,
    /// The actions; none in suites that propose none.
    pub actions: Vec<FoundAction>,
    /// The results of each sub-query alone, in the order of the case.
    pub per_query: Vec<Vec<String>>,
}

/// One result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FoundNote {
    /// Which note.
    pub id: String,
    /// The better the larger.
    pub score: f64,
    /// What brought it up.
    pub stage: Stage,
}

/// One proposed action.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FoundAction {
    /// Which procedure.
    pub id: String,
    /// The better the larger.
    pub score: f64,
}

/// How a case ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Everything that had to come came, and no action where none may.
    Passed,
    /// Something that had to come did not, or an action came where none may.
    Failed,
    /// There was nothing to find: measured, never failed.
    Negative,
}

/// Which parts of an answer a suite gives, so that what it cannot give is not held against it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judged {
    /// Notes alone.
    Notes,
    /// Notes and actions.
    NotesAndActions,
}

/// Measures an answer. `k_values` are ascending.
pub fn judge(case: &Case, answer: &Answer, k_values: &[usize], judged: Judged) -> Scores {
    let notes: Vec<&str> = answer.notes.iter().map(|note| note.id.as_str()).collect();
    let mut scores = Scores::new();
    let mut measure = |metric, value: Option<f64>| {
        if let Some(value) = value {
            scores.insert(metric, value);
        }
    };
    if case.is_negative() {
        measure(Metric::Silence, Some(one_if(notes.is_empty())));
    }
    let must = among(&notes, &case.must);
    measure(Metric::MustRecall, must);
    measure(Metric::MustHit, must.map(|share| one_if(share >= 1.0)));
    let combined = as_strs(&case.combined);
    let any = among(&notes, &case.combined);
    measure(Metric::AnyHit, any.map(|share| one_if(share > 0.0)));
    measure(Metric::Bonus, among(&notes, &case.bonus));
    measure(Metric::ReciprocalRank, reciprocal_rank(&notes, &combined));
    for &k in k_values {
        measure(Metric::RecallAt(k), recall_at(&notes, &combined, k));
        measure(Metric::PrecisionAt(k), precision_at(&notes, &combined, k));
        measure(Metric::NdcgAt(k), ndcg_at(&notes, &combined, k));
        let recall = |found: &[&str], expected: &[&str]| recall_at(found, expected, k);
        measure(Metric::QueryRecallAt(k), per_query(case, answer, recall));
    }
    let rank = |found: &[&str], expected: &[&str]| reciprocal_rank(found, expected);
    measure(Metric::QueryReciprocalRank, per_query(case, answer, rank));
    measure(Metric::AbstractDetected, among(&notes, &case.abstracts));
    let direct: Vec<&str> = answer
        .notes
        .iter()
        .filter(|note| note.stage != Stage::Walk)
        .map(|note| note.id.as_str())
        .collect();
    measure(Metric::AbstractDirect, among(&direct, &case.abstracts));
    if judged == Judged::NotesAndActions {
        judge_actions(case, answer, k_values, measure);
    }
    scores
}

fn judge_actions(
    case: &Case,
    answer: &Answer,
    k_values: &[usize],
    mut measure: impl FnMut(Metric, Option<f64>),
) {
    let Some(expected) = &case.actions else {
        return;
    };
    let proposed: Vec<&str> = answer
        .actions
        .iter()
        .map(|action| action.id.as_str())
        .collect();
    if expected.is_empty() {
        measure(Metric::ActionSilence, Some(one_if(proposed.is_empty())));
        return;
    }
    let hit = among(&proposed, expected).map(|share| one_if(share > 0.0));
    measure(Metric::ActionHit, hit);
    // Beyond the number of actions that are proposed nothing new can be measured.
    let k_values = k_values.iter().copied().filter(|k| *k < ACTION_TOP_K);
    for k in k_values.chain([ACTION_TOP_K]) {
        let recall = recall_at(&proposed, &as_strs(expected), k);
        measure(Metric::ActionRecallAt(k), recall);
    }
}

/// What the scores say of the case as a whole.
pub fn verdict(case: &Case, scores: &Scores) -> Verdict {
    if case.is_negative() {
        return Verdict::Negative;
    }
    let required = [Metric::MustHit, Metric::ActionHit, Metric::ActionSilence];
    let missed = |metric: &Metric| scores.get(metric).is_some_and(|score| *score < 1.0);
    if required.iter().any(missed) {
        Verdict::Failed
    } else {
        Verdict::Passed
    }
}

/// Mean of a metric over the sub-queries that expect something.
fn per_query(
    case: &Case,
    answer: &Answer,
    metric: impl Fn(&[&str], &[&str]) -> Option<f64>,
) -> Option<f64> {
    let values: Vec<f64> = case
        .per_query
        .iter()
        .filter_map(|expectation| {
            let found = answer.per_query.get(expectation.query)?;
            metric(&as_strs(found), &as_strs(&expectation.ranking))
        })
        .collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Share of the expected that came at all.
fn among(came: &[&str], expected: &[String]) -> Option<f64> {
    recall_at(came, &as_strs(expected), came.len())
}

fn as_strs(ids: &[String]) -> Vec<&str> {
    ids.iter().map(String::as_str).collect()
}

fn one_if(condition: bool) -> f64 {
    f64::from(u8::from(condition))
}

#[cfg(test)]
mod tests;
