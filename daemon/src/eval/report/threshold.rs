//! Thresholds: what a run has to reach.

use serde::Serialize;

use super::results::Group;
use super::summary::Split;
use crate::eval::metrics::Metric;

/// The least that the mean of a metric may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Threshold {
    /// Which metric.
    pub metric: Metric,
    /// From 0 to 1.
    pub least: f64,
}

/// A threshold that a run does not reach.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Missed {
    /// The weights it was run with.
    pub weights: String,
    /// Which metric.
    pub metric: Metric,
    /// What was asked for.
    pub least: f64,
    /// What was reached; nothing where no case was measured in it. A threshold on something that is not measured is not
    /// reached: else a suite without actions would pass any threshold on actions.
    pub reached: Option<f64>,
}

/// The thresholds that are not reached by the cases of a split, all files together. Every set of weights has to reach them.
pub fn missed(groups: &[Group], split: Split, thresholds: &[Threshold]) -> Vec<Missed> {
    let of_group = |group: &Group| -> Vec<Missed> {
        let summary = group.summary.get(split);
        let not_reached = thresholds.iter().filter_map(|threshold| {
            let reached = summary.mean(threshold.metric);
            let enough = reached.is_some_and(|reached| reached >= threshold.least);
            (!enough).then(|| Missed {
                weights: group.weights.clone(),
                metric: threshold.metric,
                least: threshold.least,
                reached,
            })
        });
        not_reached.collect()
    };
    groups.iter().flat_map(of_group).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::report::summary::{Halves, Mean, Summary};

    fn group(weights: &str, tuned: f64, holdout: f64) -> Group {
        let summary = |value| Summary {
            cases: 1,
            failed: 0,
            means: [(Metric::MustHit, Mean { value, cases: 1 })].into(),
        };
        Group {
            weights: weights.into(),
            tag: 0.3,
            variant: 0.7,
            summary: Halves {
                tuned: summary(tuned),
                holdout: summary(holdout),
                all: summary(f64::midpoint(tuned, holdout)),
            },
        }
    }

    fn threshold(metric: Metric, least: f64) -> Threshold {
        Threshold { metric, least }
    }

    #[test]
    fn every_group_has_to_reach_what_is_asked_of_its_split() {
        let groups = [group("a", 1.0, 0.5), group("b", 1.0, 0.9)];
        let least = [threshold(Metric::MustHit, 0.9)];
        let weights = |split| -> Vec<String> {
            let missed = missed(&groups, split, &least).into_iter();
            missed.map(|missed| missed.weights).collect()
        };
        assert_eq!(weights(Split::Tuned), [] as [&str; 0]);
        assert_eq!(weights(Split::Holdout), ["a"], "0.9 is enough for 0.9");
        assert_eq!(weights(Split::All), ["a"]);
    }

    #[test]
    fn what_is_not_measured_is_not_reached() {
        let missed = missed(
            &[group("a", 1.0, 1.0)],
            Split::All,
            &[threshold(Metric::ActionHit, 0.0)],
        );
        assert_eq!(missed[0].reached, None);
    }
}
