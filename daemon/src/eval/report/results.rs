//! A run, case by case.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::summary::Halves;
use crate::eval::data::case::Half;
use crate::eval::data::read_json;
use crate::eval::error::EvalError;
use crate::eval::metrics::{Answer, Scores, Verdict};
use crate::eval::suite::Suite;

/// The number that a results file begins with; a file with another one is not read.
pub const FORMAT: u32 = 1;

/// A run of a suite.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// [`FORMAT`].
    pub format: u32,
    /// Which suite.
    pub suite: Suite,
    /// Name and digest of the embedding model.
    pub model: String,
    /// One entry for every set of weights, over all files.
    pub groups: Vec<Group>,
    /// One entry a file, in the order of their paths.
    pub files: Vec<FileResults>,
}

/// What one set of weights reached over all files that were run with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// The weights, as text.
    pub weights: String,
    /// Weight of the tags.
    pub tag: f64,
    /// Weight of the rest.
    pub variant: f64,
    /// The means over the cases of all files.
    pub summary: Halves,
}

/// What came of one file of cases.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileResults {
    /// Its path.
    pub file: String,
    /// Its name.
    pub name: String,
    /// One entry for every set of weights, in the order of the file.
    pub variations: Vec<VariationResults>,
}

/// What came of the cases of one file with one set of weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VariationResults {
    /// The weights, as text.
    pub weights: String,
    /// Weight of the tags.
    pub tag: f64,
    /// Weight of the rest.
    pub variant: f64,
    /// The means over its cases.
    pub summary: Halves,
    /// The cases, in the order of the file.
    pub cases: Vec<CaseResult>,
}

/// What came of one case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseResult {
    /// Its name.
    pub name: String,
    /// Its half.
    pub half: Half,
    /// How it ended.
    pub verdict: Verdict,
    /// What it scored.
    pub scores: Scores,
    /// `must` notes that were not among the results.
    pub missed: Vec<String>,
    /// Expected actions that did not come.
    pub missed_actions: Vec<String>,
    /// What was brought up.
    pub answer: Answer,
}

impl Results {
    /// The results of a run, summed up.
    pub fn new(suite: Suite, model: String, files: Vec<FileResults>) -> Self {
        let mut results = Self {
            format: FORMAT,
            suite,
            model,
            groups: Vec::new(),
            files,
        };
        results.groups = results.grouped();
        results
    }

    fn grouped(&self) -> Vec<Group> {
        let variations = self.files.iter().flat_map(|file| &file.variations);
        let mut groups: Vec<(&VariationResults, Vec<&CaseResult>)> = Vec::new();
        for variation in variations {
            let known = groups
                .iter_mut()
                .find(|(first, _)| first.weights == variation.weights);
            match known {
                Some((_, cases)) => cases.extend(&variation.cases),
                None => groups.push((variation, variation.cases.iter().collect())),
            }
        }
        let group = |(first, cases): (&VariationResults, Vec<&CaseResult>)| Group {
            weights: first.weights.clone(),
            tag: first.tag,
            variant: first.variant,
            summary: Halves::of(cases),
        };
        groups.into_iter().map(group).collect()
    }

    /// Every case with the file and the weights it was run with.
    pub fn cases(&self) -> impl Iterator<Item = (&FileResults, &VariationResults, &CaseResult)> {
        self.files.iter().flat_map(|file| {
            file.variations.iter().flat_map(move |variation| {
                variation
                    .cases
                    .iter()
                    .map(move |case| (file, variation, case))
            })
        })
    }

    /// Reads a results file.
    ///
    /// # Errors
    ///
    /// [`EvalError`] where the file cannot be read or is no results file of this format.
    pub fn read(file: &Path) -> Result<Self, EvalError> {
        let value = read_json(file)?;
        let refused = |reason: String| {
            EvalError::value(
                file,
                soulmem_engine::model::ModelError::new("format", reason),
            )
        };
        match value.get("format").and_then(serde_json::Value::as_u64) {
            Some(format) if format == u64::from(FORMAT) => {}
            Some(format) => {
                return Err(refused(format!(
                    "is {format}, expected {FORMAT}; run the suite again"
                )));
            }
            None => {
                return Err(refused(
                    "is missing: give a file written by `soulmem eval run --out`".to_owned(),
                ));
            }
        }
        serde_path_to_error::deserialize(value).map_err(|error| {
            let field = error.path().to_string();
            let reason = error.into_inner().to_string();
            EvalError::value(file, soulmem_engine::model::ModelError::new(field, reason))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::metrics::Metric;

    #[test]
    fn groups_are_over_all_files_that_were_run_with_the_same_weights() {
        let case = |hit: f64| CaseResult {
            name: "case".into(),
            half: Half::Tuned,
            verdict: Verdict::Passed,
            scores: [(Metric::MustHit, hit)].into(),
            missed: Vec::new(),
            missed_actions: Vec::new(),
            answer: Answer::default(),
        };
        let variation = |weights: &str, hits: &[f64]| VariationResults {
            weights: weights.into(),
            tag: 0.3,
            variant: 0.7,
            summary: Halves::default(),
            cases: hits.iter().map(|hit| case(*hit)).collect(),
        };
        let file = |name: &str, variations| FileResults {
            file: format!("{name}.json"),
            name: name.into(),
            variations,
        };
        let results = Results::new(
            Suite::RetrieveFull,
            "model".into(),
            vec![
                file("a", vec![variation("x", &[1.0]), variation("y", &[0.0])]),
                file("b", vec![variation("y", &[1.0, 1.0])]),
            ],
        );
        let groups: Vec<_> = results
            .groups
            .iter()
            .map(|group| {
                (
                    group.weights.as_str(),
                    group.summary.tuned.mean(Metric::MustHit),
                )
            })
            .collect();
        assert_eq!(groups, [("x", Some(1.0)), ("y", Some(2.0 / 3.0))]);
    }
}
