//! Extraction by rules, in Chinese and English: who, when and where, what was felt and done, liked, promised, corrected.
//!
//! A message is cut into sentences and clauses; each clause is a liking, a promise, a habit, a fact, something that
//! happened, or nothing. What belongs together becomes one finding, told in the third person so that it stands by
//! itself. Small talk becomes nothing: it stays in the log.

pub(super) mod anchors;
pub(super) mod clause;
pub(super) mod feeling;
pub(super) mod moment;
pub(super) mod note;
mod person;
pub(super) mod preference;
mod retell;
pub(super) mod rules;
pub(super) mod sentence;
mod talk;

use std::collections::BTreeSet;

use super::finding::{Finding, Utterance};
use talk::Talk;

/// The findings in messages, in their order. `known` are names that are remembered already.
pub fn extract(said: &[Utterance<'_>], known: &BTreeSet<String>) -> Vec<Finding> {
    let mut talk = Talk::new(known);
    for utterance in said {
        talk.hear(utterance);
    }
    talk.into_findings()
}
