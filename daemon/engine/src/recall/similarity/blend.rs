//! How parts of a score come together.

use crate::index::dot;

/// A weighted mean over the parts that are asked for: `(weight, score)` each, `None` for a part left out.
pub(super) fn blend(parts: &[(f64, Option<f64>)]) -> Option<f64> {
    let (sum, divisor) = parts
        .iter()
        .filter_map(|&(weight, score)| score.map(|score| (weight, score)))
        .fold((0.0, 0.0), |(sum, divisor), (weight, score)| {
            (sum + weight * score, divisor + weight)
        });
    (divisor > 0.0).then(|| sum / divisor)
}

/// The larger of two scores, where either may be missing.
pub(super) fn best(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.max(b)),
        (one, other) => one.or(other),
    }
}

pub(super) fn shown(text: Option<&String>) -> Option<&str> {
    text.map(String::as_str)
        .filter(|text| !text.trim().is_empty())
}

/// Cosine of two vectors of unit length, with what is unlike counted as unrelated.
pub(super) fn cosine(a: &[f32], b: &[f32]) -> f64 {
    if a.len() != b.len() {
        return 0.0;
    }
    f64::from(dot(a, b)).clamp(0.0, 1.0)
}

/// A score of 0 for what was asked for and is not there; nothing for what was not asked for.
pub(super) fn asked_for(text: Option<&String>) -> Option<f64> {
    shown(text).map(|_| 0.0)
}
