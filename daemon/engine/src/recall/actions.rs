//! Actions: what the character tends to do in situations like those that came to mind.
//!
//! Situations lend their weight to the procedures they trigger. Nothing known triggers an action: a procedure that a
//! semantic note is linked to is knowledge of oneself, and comes up among the notes.

use std::collections::BTreeMap;

use crate::model::{LinkId, NoteId};

/// How many actions are proposed by default.
pub const ACTION_TOP_K: usize = 3;

/// An abstract situation counts this many times a specific one: it is the pattern that the habit belongs to.
pub const ABSTRACT_PRIORITY: f64 = 2.0;

/// A procedure with the weight it was given.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoredAction {
    /// The procedure.
    pub id: NoteId,
    /// The probability of acting so, as far as the situations that came to mind say.
    pub score: f64,
    /// What triggers it, by situation, then link.
    pub triggers: Vec<Trigger>,
}

/// A link from a situation that came to mind to an action: it adds `probability · weight`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trigger {
    /// The link.
    pub link: LinkId,
    /// The situation.
    pub situation: NoteId,
    /// How likely the action follows from it.
    pub probability: f64,
    /// The situation's part in all that came to mind, 0 to 1.
    pub weight: f64,
}

/// A situation that came to mind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TriggerSource {
    /// The situation.
    pub id: NoteId,
    /// Its score in the recall, not negative.
    pub score: f64,
    /// True for an abstract situation.
    pub is_abstract: bool,
}

/// The best `top_k` actions that the situations trigger.
///
/// Each situation weighs its score, an abstract one [`ABSTRACT_PRIORITY`] times that, divided by the sum over all; each of
/// its triggers, given as `(procedure, link, probability)`, adds `probability · weight`. Dividing by the sum, not a softmax:
/// scores of a thousandth are all alike to a softmax, which would drown the factor of abstract situations.
pub fn triggered<T>(
    situations: &[TriggerSource],
    triggers: impl Fn(NoteId) -> T,
    top_k: usize,
) -> Vec<ScoredAction>
where
    T: IntoIterator<Item = (NoteId, LinkId, f64)>,
{
    let weight = |source: &TriggerSource| {
        source.score
            * if source.is_abstract {
                ABSTRACT_PRIORITY
            } else {
                1.0
            }
    };
    let sum: f64 = situations.iter().map(weight).sum();
    if sum <= 0.0 {
        return Vec::new();
    }
    let mut actions: BTreeMap<NoteId, ScoredAction> = BTreeMap::new();
    for source in situations {
        let weight = weight(source) / sum;
        for (procedure, link, probability) in triggers(source.id) {
            let action = actions.entry(procedure).or_insert_with(|| ScoredAction {
                id: procedure,
                score: 0.0,
                triggers: Vec::new(),
            });
            action.score += probability * weight;
            action.triggers.push(Trigger {
                link,
                situation: source.id,
                probability,
                weight,
            });
        }
    }
    let mut actions: Vec<ScoredAction> = actions
        .into_values()
        .filter(|action| action.score > 0.0)
        .collect();
    actions.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.id.cmp(&b.id)));
    actions.truncate(top_k);
    actions
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(n: u128) -> NoteId {
        NoteId(uuid::Uuid::from_u128(n))
    }

    fn link(n: u128) -> LinkId {
        LinkId(uuid::Uuid::from_u128(n))
    }

    fn source(n: u128, score: f64, is_abstract: bool) -> TriggerSource {
        TriggerSource {
            id: id(n),
            score,
            is_abstract,
        }
    }

    #[test]
    fn weights_are_shares_and_abstract_situations_count_twice() {
        // Weights 2·0.3 and 0.6, so a half each: 0.5·0.8 = 0.4 for one habit, 0.5·0.5 + 0.5·0.1 = 0.3 for the other.
        let situations = [source(1, 0.3, true), source(2, 0.6, false)];
        let triggers = |situation: NoteId| match situation {
            one if one == id(1) => vec![(id(10), link(1), 0.8), (id(11), link(2), 0.1)],
            _ => vec![(id(11), link(3), 0.5)],
        };
        let actions = triggered(&situations, triggers, ACTION_TOP_K);
        assert_eq!(
            actions.iter().map(|action| action.id).collect::<Vec<_>>(),
            [id(10), id(11)]
        );
        let triggers = actions[1].triggers.iter();
        let told: Vec<_> = triggers
            .map(|it| (it.link, it.situation, it.probability, it.weight))
            .collect();
        assert_eq!(
            told,
            [(link(2), id(1), 0.1, 0.5), (link(3), id(2), 0.5, 0.5)]
        );
        assert!((actions[0].score - 0.4).abs() < 1e-12 && (actions[1].score - 0.3).abs() < 1e-12);
    }

    #[test]
    fn tiny_scores_keep_their_ratios() {
        let actions = triggered(
            &[source(1, 3e-6, false), source(2, 1e-6, false)],
            |situation| {
                let action = if situation == id(1) { id(10) } else { id(11) };
                vec![(action, link(1), 1.0)]
            },
            ACTION_TOP_K,
        );
        assert!((actions[0].score - 0.75).abs() < 1e-12 && (actions[1].score - 0.25).abs() < 1e-12);
    }

    #[test]
    fn nothing_is_triggered_by_nothing() {
        assert!(triggered(&[], |_| vec![(id(1), link(1), 1.0)], 3).is_empty());
        assert!(triggered(&[source(1, 0.0, false)], |_| vec![(id(1), link(1), 1.0)], 3).is_empty());
        assert!(triggered(&[source(1, 1.0, false)], |_| vec![(id(1), link(1), 0.0)], 3).is_empty());
    }

    #[test]
    fn only_the_best_are_kept_and_ties_go_by_id() {
        let all = |_| {
            (1..=9)
                .rev()
                .map(|n| (id(n), link(n), 0.5))
                .collect::<Vec<_>>()
        };
        let actions = triggered(&[source(100, 1.0, false)], all, 3);
        assert_eq!(
            actions.iter().map(|action| action.id).collect::<Vec<_>>(),
            [id(1), id(2), id(3)]
        );
    }
}
