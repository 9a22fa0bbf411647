//! Forgetting files: what should be observed of a memory that fades, as JSON.
//!
//! ```json
//! {"name": "curve", "description": "…",
//!  "config": {"base_half_life_hours": 24.0, "active_factor": 0.1, "max_activation_cap": 50},
//!  "test_cases": [
//!    {"kind": "time_monotonic", "name": "T1", "text": "…", "time_offsets_hours": [0, 6, 24], "retrieval_count": 0},
//!    {"kind": "activation", "name": "T2", "text": "…", "activation_counts": [0, 5, 50], "time_offset_hours": 48},
//!    {"kind": "magnitude", "name": "T3", "text": "…", "time_offset_hours": 24, "expected_missing_degree": 0.5,
//!     "tolerance": 0.08, "retrieval_count": 0},
//!    {"kind": "branch", "name": "T4", "text": "…", "time_offsets_hours": [0, 4, 96], "retrieval_count": 0},
//!    {"kind": "effect", "name": "T5", "mem_kind": "semantic", "text": "…", "retrieval_count": 0,
//!     "time_offset_hours": 96, "expected": {"should_forget": true, "min_action": "MaskOnly"}}]}
//! ```
//!
//! The curve itself is not compared with itself: the cases say what follows from it.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use soulmem_engine::model::{ModelError, strict};

use super::read_json;
use crate::eval::error::EvalError;

/// A forgetting file, checked.
#[derive(Clone, Debug, PartialEq)]
pub struct ForgetFile {
    /// Where it was read from.
    pub file: PathBuf,
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// The curve.
    pub config: ForgetConfig,
    /// The cases, in the order of the file.
    pub cases: Vec<ForgetCase>,
}

/// The curve that a file is about.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub struct ForgetConfig {
    /// Hours after which half of a memory that was never recalled is left.
    pub base_half_life_hours: f64,
    /// How much each recall lengthens the half-life, as a share of the base.
    pub active_factor: f64,
    /// How many recalls count at most.
    pub max_activation_cap: u64,
}

/// One case.
#[derive(Clone, Debug, PartialEq)]
pub struct ForgetCase {
    /// Its name.
    pub name: String,
    /// The text that is remembered.
    pub text: String,
    /// What should be observed.
    pub kind: ForgetKind,
}

/// What should be observed. Times are hours since the text was remembered.
#[derive(Clone, Debug, PartialEq)]
pub enum ForgetKind {
    /// T1: with time the missing degree never falls.
    TimeMonotonic {
        /// Ascending.
        time_offsets_hours: Vec<f64>,
        /// How often it was recalled.
        retrieval_count: u64,
    },
    /// T2: with recalls the missing degree never rises.
    Activation {
        /// How often it was recalled, ascending.
        activation_counts: Vec<u64>,
        /// When.
        time_offset_hours: f64,
    },
    /// T3: the missing degree has a certain size.
    Magnitude {
        /// When.
        time_offset_hours: f64,
        /// From 0 to 1.
        expected_missing_degree: f64,
        /// How far it may be off.
        tolerance: f64,
        /// How often it was recalled.
        retrieval_count: u64,
    },
    /// T4: nothing is done at the first time, the text is masked at the second and re-imagined at the third.
    Branch {
        /// Ascending.
        time_offsets_hours: [f64; 3],
        /// How often it was recalled.
        retrieval_count: u64,
    },
    /// T5: a whole memory fades as far as it should.
    Effect {
        /// What kind of memory holds the text.
        mem_kind: MemKind,
        /// How often it was recalled.
        retrieval_count: u64,
        /// When.
        time_offset_hours: f64,
        /// How far it should fade.
        expected: Effect,
    },
}

/// The kinds of memory that fade.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemKind {
    /// A concept or a fact.
    Semantic,
    /// One experience.
    Situation,
}

/// How far a memory should fade.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct Effect {
    /// Whether anything is forgotten at all.
    pub should_forget: bool,
    /// The least that is done to the text.
    pub min_action: ForgetAction,
}

/// What forgetting does to a text, the strongest last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ForgetAction {
    /// Nothing.
    NoAction,
    /// Some of its words are masked.
    MaskOnly,
    /// It is told anew.
    Revised,
}

#[derive(Deserialize)]
struct FileRaw {
    name: String,
    #[serde(default)]
    description: String,
    config: ForgetConfig,
    test_cases: Vec<Value>,
}

impl ForgetFile {
    /// Reads a forgetting file.
    ///
    /// # Errors
    ///
    /// [`EvalError`] for the first thing that is refused.
    pub fn read(file: &Path) -> Result<Self, EvalError> {
        let value = read_json(file)?;
        let refused = |error| EvalError::value(file, error);
        let raw: FileRaw = strict::from_value(&value).map_err(refused)?;
        raw.config
            .check()
            .map_err(|error| refused(error.within("config")))?;
        if raw.test_cases.is_empty() {
            return Err(refused(ModelError::new(
                "test_cases",
                "is empty: nothing to run",
            )));
        }
        let cases = raw
            .test_cases
            .into_iter()
            .enumerate()
            .map(|(position, case)| {
                cases::read(case)
                    .map_err(|error| refused(error.within(format_args!("test_cases[{position}]"))))
            });
        Ok(Self {
            file: file.to_owned(),
            name: raw.name,
            description: raw.description,
            config: raw.config,
            cases: cases.collect::<Result<_, _>>()?,
        })
    }
}

impl ForgetConfig {
    fn check(&self) -> Result<(), ModelError> {
        if !(self.base_half_life_hours.is_finite() && self.base_half_life_hours > 0.0) {
            let reason = format!("is {}; give hours above 0", self.base_half_life_hours);
            return Err(ModelError::new("base_half_life_hours", reason));
        }
        if !(self.active_factor.is_finite() && self.active_factor >= 0.0) {
            let reason = format!("is {}; give 0 or more", self.active_factor);
            return Err(ModelError::new("active_factor", reason));
        }
        Ok(())
    }
}

mod cases;
#[cfg(test)]
mod tests;
