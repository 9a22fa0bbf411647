//! Two runs, case by case.

use std::collections::BTreeMap;

use serde::Serialize;

use super::results::{CaseResult, Results};
use super::summary::Halves;
use crate::eval::data::case::Half;
use crate::eval::metrics::{Metric, Verdict};

/// What became of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// It failed and now passes.
    Fixed,
    /// It passed and now fails.
    Broken,
    /// It ends as it did.
    Unchanged,
}

/// Two runs, the second measured by the first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The cases that both runs have, in the order of the first.
    pub cases: Vec<CaseChange>,
    /// Cases that only the first run has.
    pub only_first: Vec<String>,
    /// Cases that only the second run has.
    pub only_second: Vec<String>,
    /// Means over the common cases in the first run.
    pub first: Halves,
    /// Means over the common cases in the second run.
    pub second: Halves,
}

/// One case in both runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CaseChange {
    /// Name of its data set.
    pub set: String,
    /// Its name.
    pub name: String,
    /// The weights it was run with in the first run.
    pub weights: String,
    /// Its half.
    pub half: Half,
    /// What became of it.
    pub change: Change,
    /// How it ends in the second run.
    pub verdict: Verdict,
    /// Scores that differ: second minus first. Those that only one run has are left out.
    pub deltas: BTreeMap<Metric, f64>,
}

/// Name of the data set, weights, name of the case, and a number for cases that share these.
type Key<'a> = (&'a str, &'a str, &'a str, usize);

/// Compares two runs. Cases are the same where data set, weights and name are; where neither run sweeps, whatever the
/// weights, so that two settings can be compared.
pub fn compare(first: &Results, second: &Results) -> Comparison {
    let by_weights = sweeps(first) || sweeps(second);
    let (before, after) = (keyed(first, by_weights), keyed(second, by_weights));
    let later: BTreeMap<Key, &CaseResult> =
        after.iter().map(|(key, _, case)| (*key, *case)).collect();
    let earlier: BTreeMap<Key, &CaseResult> =
        before.iter().map(|(key, _, case)| (*key, *case)).collect();
    let common: Vec<_> = before
        .iter()
        .filter_map(|(key, weights, case)| Some((*key, *weights, *case, *later.get(key)?)))
        .collect();
    let lost = |cases: &[(Key, &str, &CaseResult)], others: &BTreeMap<Key, &CaseResult>| {
        let lost = cases.iter().filter(|(key, ..)| !others.contains_key(key));
        lost.map(|(key, ..)| label(key)).collect()
    };
    Comparison {
        cases: common
            .iter()
            .map(|(key, weights, before, after)| changed(*key, weights, before, after))
            .collect(),
        only_first: lost(&before, &later),
        only_second: lost(&after, &earlier),
        first: Halves::of(common.iter().map(|(_, _, case, _)| *case)),
        second: Halves::of(common.iter().map(|(_, _, _, case)| *case)),
    }
}

fn sweeps(results: &Results) -> bool {
    results.files.iter().any(|file| file.variations.len() > 1)
}

/// The cases in order, with a key each.
fn keyed(results: &Results, by_weights: bool) -> Vec<(Key<'_>, &str, &CaseResult)> {
    let mut counts: BTreeMap<(&str, &str, &str), usize> = BTreeMap::new();
    results
        .cases()
        .map(|(file, variation, case)| {
            let weights = if by_weights {
                variation.weights.as_str()
            } else {
                ""
            };
            let name = (file.name.as_str(), weights, case.name.as_str());
            let count = counts.entry(name).or_default();
            *count += 1;
            (
                (name.0, name.1, name.2, *count),
                variation.weights.as_str(),
                case,
            )
        })
        .collect()
}

fn label((set, weights, name, count): &Key) -> String {
    let weights = match *weights {
        "" => String::new(),
        weights => format!(" ({weights})"),
    };
    match count {
        1 => format!("{set}/{name}{weights}"),
        _ => format!("{set}/{name}{weights} #{count}"),
    }
}

fn changed(
    (set, _, name, _): Key,
    weights: &str,
    before: &CaseResult,
    after: &CaseResult,
) -> CaseChange {
    let change = match (before.verdict, after.verdict) {
        (Verdict::Failed, Verdict::Passed) => Change::Fixed,
        (Verdict::Passed, Verdict::Failed) => Change::Broken,
        _ => Change::Unchanged,
    };
    let deltas = after.scores.iter().filter_map(|(metric, score)| {
        let delta = score - before.scores.get(metric)?;
        (delta != 0.0).then_some((*metric, delta))
    });
    CaseChange {
        set: set.to_owned(),
        name: name.to_owned(),
        weights: weights.to_owned(),
        half: after.half,
        change,
        verdict: after.verdict,
        deltas: deltas.collect(),
    }
}

impl Comparison {
    /// How many cases changed so.
    pub fn count(&self, change: Change) -> usize {
        self.cases
            .iter()
            .filter(|case| case.change == change)
            .count()
    }
}

#[cfg(test)]
mod tests;
