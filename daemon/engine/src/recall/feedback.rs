//! Feedback: what was said of a hit moves the links that it was reached by.

use crate::graph::weight::CONDUCTS_FROM;

/// What was said of a hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It was right that it came up.
    Good,
    /// It was not.
    Bad,
}

/// How far one word of feedback moves a link towards its bound.
pub const RATE: f64 = 0.1;

/// The intensity that praise comes near to and never passes.
pub const STRONGEST: f64 = 2.0;

/// The intensity that blame comes near to and never passes: a link that only feedback weakens still conducts.
pub const WEAKEST: f64 = CONDUCTS_FROM;

/// The intensity of a link after a verdict: a tenth of the way to the bound. One that is past the bound already stays.
///
/// ```
/// use soulmem_engine::recall::feedback::{Verdict, moved};
///
/// assert!((moved(1.0, Verdict::Good) - 1.1).abs() < 1e-12);
/// assert!((moved(1.0, Verdict::Bad) - 0.905).abs() < 1e-12);
/// assert!((moved(3.0, Verdict::Good) - 3.0).abs() < 1e-12);
/// ```
pub fn moved(intensity: f64, verdict: Verdict) -> f64 {
    match verdict {
        Verdict::Good => intensity + RATE * (STRONGEST - intensity).max(0.0),
        Verdict::Bad => intensity - RATE * (intensity - WEAKEST).max(0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_number_of_verdicts_stays_within_the_bounds() {
        for start in [WEAKEST, 0.3, 1.0, STRONGEST] {
            for verdict in [Verdict::Good, Verdict::Bad] {
                let mut intensity = start;
                for _ in 0..1_000 {
                    intensity = moved(intensity, verdict);
                    assert!((WEAKEST..=STRONGEST).contains(&intensity), "{intensity}");
                }
            }
        }
    }

    #[test]
    fn what_is_past_the_bound_is_not_moved_backwards() {
        assert!((moved(5.0, Verdict::Good) - 5.0).abs() < f64::EPSILON);
        assert!((moved(0.01, Verdict::Bad) - 0.01).abs() < f64::EPSILON);
        // (5 − 0.05) / 10 less.
        assert!((moved(5.0, Verdict::Bad) - 4.505).abs() < 1e-12);
    }
}
