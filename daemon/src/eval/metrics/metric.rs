//! The names of what is measured.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// What is measured, each from 0 to 1. A case is measured only in what its expectations speak of; a summary is the mean
/// over the cases measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Metric {
    /// `must_hit`: 1 where every `must` note is among the results. This is the hit rate.
    MustHit,
    /// `must_recall`: share of the `must` notes that are among the results.
    MustRecall,
    /// `any_hit`: 1 where at least one expected note is among the results.
    AnyHit,
    /// `bonus`: share of the `bonus` notes that are among the results.
    Bonus,
    /// `recall@k` of the combined ranking.
    RecallAt(usize),
    /// `precision@k` of the combined ranking.
    PrecisionAt(usize),
    /// `mrr`: reciprocal rank of the first expected note.
    ReciprocalRank,
    /// `ndcg@k` of the combined ranking.
    NdcgAt(usize),
    /// `query_recall@k`: recall of single sub-queries, the mean over those of the case.
    QueryRecallAt(usize),
    /// `query_mrr`: reciprocal rank of single sub-queries, the mean over those of the case.
    QueryReciprocalRank,
    /// `abstract_detected`: share of the expected abstract situations that are among the results.
    AbstractDetected,
    /// `abstract_direct`: share of the expected abstract situations that are among the results by their own likeness to the
    /// question. What is detected and not direct was found by the walk.
    AbstractDirect,
    /// `action_hit`: 1 where at least one expected action came.
    ActionHit,
    /// `action_recall@k`: share of the expected actions among the first `k`.
    ActionRecallAt(usize),
    /// `action_silence`: 1 where no action came, in cases where none may.
    ActionSilence,
    /// `silence`: 1 where nothing was found, in cases where there is nothing to find.
    Silence,
    /// `passed`: 1 where everything that should be seen of a memory that fades was seen.
    Passed,
    /// `triggered`: 1 where a memory that should have been forgotten was.
    Triggered,
    /// `missing_degree`: how much of the memory is missing, the mean over the times that a case looks at it.
    MissingDegree,
}

/// What a case scored, by metric.
pub type Scores = BTreeMap<Metric, f64>;

/// A text that names no metric.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is no metric; there are: {known}", known = KNOWN.join(", "))]
pub struct UnknownMetric(String);

const KNOWN: &[&str] = &[
    "must_hit",
    "must_recall",
    "any_hit",
    "bonus",
    "recall@K",
    "precision@K",
    "mrr",
    "ndcg@K",
    "query_recall@K",
    "query_mrr",
    "abstract_detected",
    "abstract_direct",
    "action_hit",
    "action_recall@K",
    "action_silence",
    "silence",
    "passed",
    "triggered",
    "missing_degree",
];

impl fmt::Display for Metric {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, k) = match self {
            Self::MustHit => ("must_hit", None),
            Self::MustRecall => ("must_recall", None),
            Self::AnyHit => ("any_hit", None),
            Self::Bonus => ("bonus", None),
            Self::RecallAt(k) => ("recall", Some(k)),
            Self::PrecisionAt(k) => ("precision", Some(k)),
            Self::ReciprocalRank => ("mrr", None),
            Self::NdcgAt(k) => ("ndcg", Some(k)),
            Self::QueryRecallAt(k) => ("query_recall", Some(k)),
            Self::QueryReciprocalRank => ("query_mrr", None),
            Self::AbstractDetected => ("abstract_detected", None),
            Self::AbstractDirect => ("abstract_direct", None),
            Self::ActionHit => ("action_hit", None),
            Self::ActionRecallAt(k) => ("action_recall", Some(k)),
            Self::ActionSilence => ("action_silence", None),
            Self::Silence => ("silence", None),
            Self::Passed => ("passed", None),
            Self::Triggered => ("triggered", None),
            Self::MissingDegree => ("missing_degree", None),
        };
        match k {
            Some(k) => write!(formatter, "{name}@{k}"),
            None => formatter.write_str(name),
        }
    }
}

impl FromStr for Metric {
    type Err = UnknownMetric;

    fn from_str(text: &str) -> Result<Self, UnknownMetric> {
        let unknown = || UnknownMetric(text.to_owned());
        let (name, k) = match text.split_once('@') {
            Some((name, k)) => {
                let k = k.parse().ok().filter(|k: &usize| *k > 0);
                (name, Some(k.ok_or_else(unknown)?))
            }
            None => (text, None),
        };
        let metric = match (name, k) {
            ("must_hit", None) => Self::MustHit,
            ("must_recall", None) => Self::MustRecall,
            ("any_hit", None) => Self::AnyHit,
            ("bonus", None) => Self::Bonus,
            ("recall", Some(k)) => Self::RecallAt(k),
            ("precision", Some(k)) => Self::PrecisionAt(k),
            ("mrr", None) => Self::ReciprocalRank,
            ("ndcg", Some(k)) => Self::NdcgAt(k),
            ("query_recall", Some(k)) => Self::QueryRecallAt(k),
            ("query_mrr", None) => Self::QueryReciprocalRank,
            ("abstract_detected", None) => Self::AbstractDetected,
            ("abstract_direct", None) => Self::AbstractDirect,
            ("action_hit", None) => Self::ActionHit,
            ("action_recall", Some(k)) => Self::ActionRecallAt(k),
            ("action_silence", None) => Self::ActionSilence,
            ("silence", None) => Self::Silence,
            ("passed", None) => Self::Passed,
            ("triggered", None) => Self::Triggered,
            ("missing_degree", None) => Self::MissingDegree,
            _ => return Err(unknown()),
        };
        Ok(metric)
    }
}

impl TryFrom<String> for Metric {
    type Error = UnknownMetric;

    fn try_from(text: String) -> Result<Self, UnknownMetric> {
        text.parse()
    }
}

impl From<Metric> for String {
    fn from(metric: Metric) -> Self {
        metric.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_read_back() {
        for name in KNOWN {
            let name = name.replace('K', "10");
            let metric: Metric = name.parse().unwrap();
            assert_eq!(metric.to_string(), name);
            let json = serde_json::to_string(&metric).unwrap();
            assert_eq!(serde_json::from_str::<Metric>(&json).unwrap(), metric);
        }
    }

    #[test]
    fn what_is_no_metric_is_refused_with_the_list() {
        for bad in ["recall", "recall@0", "recall@x", "mrr@3", "hits", ""] {
            let error = bad.parse::<Metric>().unwrap_err();
            assert!(error.to_string().contains("must_hit"), "{bad}");
        }
    }

    #[test]
    fn metrics_at_k_are_ordered_by_k() {
        let mut metrics = [Metric::RecallAt(10), Metric::RecallAt(3), Metric::MustHit];
        metrics.sort();
        assert_eq!(
            metrics,
            [Metric::MustHit, Metric::RecallAt(3), Metric::RecallAt(10)]
        );
    }
}
