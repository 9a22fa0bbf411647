//! Means over cases.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::results::CaseResult;
use crate::eval::data::case::Half;
use crate::eval::metrics::{Metric, Verdict};

/// The mean of a metric, and over how many cases: those that it speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mean {
    /// The mean.
    pub value: f64,
    /// Cases measured.
    pub cases: usize,
}

/// What some cases scored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// How many there are.
    pub cases: usize,
    /// How many failed.
    pub failed: usize,
    /// The means.
    pub means: BTreeMap<Metric, Mean>,
}

/// Both halves beside each other. A number over all cases says little where one half was looked at while tuning, so it never
/// stands alone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Halves {
    /// Cases that were looked at while weights were tuned.
    pub tuned: Summary,
    /// Cases that were kept aside.
    pub holdout: Summary,
    /// All of them.
    pub all: Summary,
}

/// Which cases thresholds are put to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Split {
    /// All of them.
    #[default]
    All,
    /// Those that were looked at while weights were tuned.
    Tuned,
    /// Those that were kept aside.
    Holdout,
}

impl Split {
    /// True where a case of this half is of the split.
    pub fn has(self, half: Half) -> bool {
        match self {
            Self::All => true,
            Self::Tuned => half == Half::Tuned,
            Self::Holdout => half == Half::Holdout,
        }
    }

    /// The name on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Tuned => "tuned",
            Self::Holdout => "holdout",
        }
    }
}

impl Halves {
    /// Sums up cases.
    pub fn of<'a>(cases: impl IntoIterator<Item = &'a CaseResult>) -> Self {
        let cases: Vec<&CaseResult> = cases.into_iter().collect();
        let of = |split: Split| {
            let cases = cases.iter().filter(|case| split.has(case.half));
            Summary::of(cases.copied())
        };
        Self {
            tuned: of(Split::Tuned),
            holdout: of(Split::Holdout),
            all: of(Split::All),
        }
    }

    /// The summary of a split.
    pub fn get(&self, split: Split) -> &Summary {
        match split {
            Split::All => &self.all,
            Split::Tuned => &self.tuned,
            Split::Holdout => &self.holdout,
        }
    }
}

impl Summary {
    fn of<'a>(cases: impl Iterator<Item = &'a CaseResult>) -> Self {
        let mut summary = Self::default();
        let mut sums: BTreeMap<Metric, (f64, usize)> = BTreeMap::new();
        for case in cases {
            summary.cases += 1;
            summary.failed += usize::from(case.verdict == Verdict::Failed);
            for (metric, score) in &case.scores {
                let (sum, count) = sums.entry(*metric).or_default();
                *sum += score;
                *count += 1;
            }
        }
        let mean = |(metric, (sum, cases)): (Metric, (f64, usize))| {
            let value = sum / cases as f64;
            (metric, Mean { value, cases })
        };
        summary.means = sums.into_iter().map(mean).collect();
        summary
    }

    /// The mean of a metric, where any case was measured in it.
    pub fn mean(&self, metric: Metric) -> Option<f64> {
        self.means.get(&metric).map(|mean| mean.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::metrics::Answer;

    fn case(half: Half, verdict: Verdict, scores: &[(Metric, f64)]) -> CaseResult {
        CaseResult {
            name: "case".into(),
            half,
            verdict,
            scores: scores.iter().copied().collect(),
            missed: Vec::new(),
            missed_actions: Vec::new(),
            answer: Answer::default(),
        }
    }

    #[test]
    fn a_mean_is_over_the_cases_that_were_measured_in_it() {
        let cases = [
            case(
                Half::Tuned,
                Verdict::Passed,
                &[(Metric::MustHit, 1.0), (Metric::ActionHit, 1.0)],
            ),
            case(Half::Tuned, Verdict::Failed, &[(Metric::MustHit, 0.0)]),
            case(Half::Holdout, Verdict::Passed, &[(Metric::MustHit, 1.0)]),
            case(Half::Holdout, Verdict::Negative, &[(Metric::Silence, 1.0)]),
        ];
        let halves = Halves::of(&cases);
        assert_eq!((halves.tuned.cases, halves.tuned.failed), (2, 1));
        assert_eq!((halves.holdout.cases, halves.holdout.failed), (2, 0));
        let mean = |summary: &Summary, metric| {
            let mean = summary.means.get(&metric);
            mean.map(|mean| (mean.value, mean.cases))
        };
        assert_eq!(mean(&halves.tuned, Metric::MustHit), Some((0.5, 2)));
        assert_eq!(mean(&halves.tuned, Metric::ActionHit), Some((1.0, 1)));
        assert_eq!(mean(&halves.holdout, Metric::MustHit), Some((1.0, 1)));
        assert_eq!(mean(&halves.holdout, Metric::ActionHit), None);
        assert_eq!(mean(&halves.all, Metric::MustHit), Some((2.0 / 3.0, 3)));
    }
}
