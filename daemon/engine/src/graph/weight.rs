//! How strongly a link conducts the walk.

use serde::{Deserialize, Serialize};

use super::memory_graph::LinkKind;

/// How much a link's confidence counts beside the preference for its kind.
pub const CONFIDENCE_SHARE: f64 = 0.8;

/// The confidence that links between patterns and experiences count with; they carry none.
pub const SITUATION_CONFIDENCE: f64 = 0.8;

/// What the preferred kind of link adds.
pub const PREFERRED: f64 = 1.0;

/// What the other kind of link adds.
pub const OTHER: f64 = 0.5;

/// The effective intensity (intensity times the source's retention) under which a link is inactive.
pub const CONDUCTS_FROM: f64 = 0.05;

/// Which kind of link a walk prefers.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
pub enum Preference {
    /// Links between patterns and experiences.
    #[default]
    Situation,
    /// Links between concepts.
    Semantic,
}

impl Preference {
    /// Both, in the order of the arrays that hold a value for each.
    pub const ALL: [Self; 2] = [Self::Situation, Self::Semantic];
}

/// The part of a link's weight that its kind and confidence decide, from 0 to 1:
/// `(confidence · c + type) / (c + type)` with `c` = [`CONFIDENCE_SHARE`] and `type` =
/// [`PREFERRED`] or [`OTHER`]; 0 for links towards actions, which never conduct.
///
/// The weight of a link is `retention · intensity · factor`.
pub fn factor(kind: LinkKind, preference: Preference) -> f64 {
    let (confidence, preferred) = match kind {
        LinkKind::TrigToAction { .. } => return 0.0,
        LinkKind::Sem { confidence } => (confidence, preference == Preference::Semantic),
        LinkKind::AbstractToSpecific | LinkKind::SpecificToAbstract => {
            (SITUATION_CONFIDENCE, preference == Preference::Situation)
        }
    };
    let preferred = if preferred { PREFERRED } else { OTHER };
    (confidence * CONFIDENCE_SHARE + preferred) / (CONFIDENCE_SHARE + preferred)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_factor(kind: LinkKind, situation: f64, semantic: f64) {
        let found = Preference::ALL.map(|preference| factor(kind, preference));
        for (found, expected) in found.into_iter().zip([situation, semantic]) {
            assert!((found - expected).abs() < 1e-15, "{kind:?}: {found}");
        }
    }

    #[test]
    fn factors_follow_the_formula() {
        // (1 · 0.8 + 0.5) / 1.3 and (1 · 0.8 + 1) / 1.8
        assert_factor(LinkKind::Sem { confidence: 1.0 }, 1.0, 1.0);
        // 0.5 / 1.3 and 1 / 1.8
        assert_factor(LinkKind::Sem { confidence: 0.0 }, 5.0 / 13.0, 5.0 / 9.0);
        // (0.64 + 1) / 1.8 and (0.64 + 0.5) / 1.3
        assert_factor(LinkKind::AbstractToSpecific, 1.64 / 1.8, 1.14 / 1.3);
        assert_factor(LinkKind::SpecificToAbstract, 1.64 / 1.8, 1.14 / 1.3);
        assert_factor(LinkKind::TrigToAction { prob: 1.0 }, 0.0, 0.0);
    }
}
