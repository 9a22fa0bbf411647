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
    /// One entry a file, in the order of their paths.
    pub files: Vec<FileResults>,
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
