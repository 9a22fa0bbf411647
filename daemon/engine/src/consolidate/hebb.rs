//! What is recalled together grows together: the rules that new links, stronger links and weaker links follow.
//!
//! After Hebb (1949): notes that were in mind together belong together, whatever they say. What is not used together
//! fades (long-term depression), so that strength stays a matter of use.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use crate::model::{LinkType, NoteId};

/// The verb of a link between notes that were in mind together.
pub const CO_RECALLED: &str = "co-recalled";
/// How sure such a link is.
pub const CO_RECALLED_CONFIDENCE: f64 = 0.5;
/// How strong a new one is.
pub const CO_RECALLED_INTENSITY: f64 = 0.3;
/// How many recalled notes a new note is linked with.
pub const COMPANIONS: usize = 8;
/// How many such links a note may have; the weakest leaves.
pub const MAX_CO_RECALLED: usize = 32;
/// Verbs of links that say what a note is about: they grow, but are never weakened.
pub const STRUCTURAL_VERBS: [&str; 2] = ["about", "mentions"];

/// The intensity that strengthening leads to.
const CEILING: f64 = 2.0;
/// The part of the way to the ceiling that a link goes when it was used fully.
const LEARNING_RATE: f64 = 0.2;
/// Joint recalls that are full use.
const FULL_USE: f64 = 5.0;
/// What is left of a link that was not used.
const DISUSE: f64 = 0.98;
/// A link under this is no longer one.
const PRUNED_UNDER: f64 = 0.05;
/// Recalls from which on a note counts as recalled again and again.
const REPEATED: usize = 2;
const SECONDS_AN_HOUR: f64 = 3_600.0;

/// Notes that came to mind together, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecalledTogether {
    /// When.
    pub at: Timestamp,
    /// Which notes.
    pub notes: BTreeSet<NoteId>,
}

/// How often a note was recalled, and from when to when.
#[derive(Debug, Clone, Copy)]
struct Use {
    times: usize,
    first: Timestamp,
    last: Timestamp,
}

impl Use {
    /// `f = n / T`: recalls by the hours from the first to the last, at least one.
    fn frequency(self) -> f64 {
        let hours = self.last.duration_since(self.first).as_secs_f64() / SECONDS_AN_HOUR;
        self.times as f64 / hours.max(1.0)
    }
}

/// The notes that a new note is linked with: those recalled at least twice by frequency, then the others by how lately
/// they were, of equal ones the smaller id first; at most [`COMPANIONS`].
pub fn companions(recalls: &[RecalledTogether]) -> Vec<NoteId> {
    let mut uses: BTreeMap<NoteId, Use> = BTreeMap::new();
    for recall in recalls {
        for note in &recall.notes {
            let seen = uses.entry(*note).or_insert(Use {
                times: 0,
                first: recall.at,
                last: recall.at,
            });
            seen.times += 1;
            seen.first = seen.first.min(recall.at);
            seen.last = seen.last.max(recall.at);
        }
    }
    let (mut repeated, mut once): (Vec<_>, Vec<_>) = uses
        .into_iter()
        .partition(|(_, seen)| seen.times >= REPEATED);
    repeated.sort_by(|(_, a), (_, b)| b.frequency().total_cmp(&a.frequency()));
    once.sort_by_key(|(_, seen)| std::cmp::Reverse(seen.last));
    repeated
        .into_iter()
        .chain(once)
        .map(|(note, _)| note)
        .take(COMPANIONS)
        .collect()
}

/// How often each pair of notes came up together, the smaller id first.
pub fn joint_recalls(recalls: &[RecalledTogether]) -> BTreeMap<(NoteId, NoteId), usize> {
    let mut joint = BTreeMap::new();
    for recall in recalls {
        for (place, a) in recall.notes.iter().enumerate() {
            for b in recall.notes.iter().skip(place + 1) {
                *joint.entry((*a, *b)).or_insert(0) += 1;
            }
        }
    }
    joint
}

/// The intensity of a link whose ends came up together `joint` times: `i + 0.2·(2 − i)·min(joint/5, 1)`. A link that
/// was made stronger than 2 stays as it is.
pub fn strengthened(intensity: f64, joint: usize) -> f64 {
    let share = (joint as f64 / FULL_USE).min(1.0);
    intensity + LEARNING_RATE * (CEILING - intensity).max(0.0) * share
}

/// The intensity of a link one of whose ends came up without the other: `0.98·i`; none where it is too weak to stay.
pub fn weakened(intensity: f64) -> Option<f64> {
    let left = intensity * DISUSE;
    (left >= PRUNED_UNDER).then_some(left)
}

/// Whether a link grows weaker when it is not used.
pub fn can_weaken(link: &LinkType) -> bool {
    matches!(link, LinkType::Sem(sem) if !STRUCTURAL_VERBS.contains(&sem.verb.as_str()))
}

/// Whether a link says that its ends were in mind together.
pub fn is_co_recalled(link: &LinkType) -> bool {
    matches!(link, LinkType::Sem(sem) if sem.verb == CO_RECALLED)
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::model::{ProcLink, SemLink};

    fn note(number: u128) -> NoteId {
        NoteId(Uuid::from_u128(number))
    }

    fn recall(at: &str, notes: &[u128]) -> RecalledTogether {
        RecalledTogether {
            at: at.parse().unwrap(),
            notes: notes.iter().copied().map(note).collect(),
        }
    }

    #[test]
    fn notes_recalled_again_and_again_come_first_by_frequency_then_the_latest() {
        // 1: twice in four hours, 0.5 an hour. 2: three times in two hours, 1.5 an hour. 3 and 4: once, 4 later.
        // 5: twice within a minute: two by at least one hour, 2 an hour.
        let recalls = [
            recall("2026-06-01T08:00:00Z", &[1, 2]),
            recall("2026-06-01T09:00:00Z", &[2, 3]),
            recall("2026-06-01T10:00:00Z", &[2, 4, 5]),
            recall("2026-06-01T10:01:00Z", &[5]),
            recall("2026-06-01T12:00:00Z", &[1]),
        ];
        assert_eq!(companions(&recalls), [5, 2, 1, 4, 3].map(note));
    }

    #[test]
    fn no_more_than_eight_are_companions_and_equal_ones_go_by_id() {
        let all: Vec<u128> = (1..=12).rev().collect();
        let recalls = [recall("2026-06-01T08:00:00Z", &all)];
        assert_eq!(companions(&recalls), [1, 2, 3, 4, 5, 6, 7, 8].map(note));
    }

    #[test]
    fn joint_recalls_count_each_pair_once_a_recall() {
        let recalls = [
            recall("2026-06-01T08:00:00Z", &[2, 1, 3]),
            recall("2026-06-01T09:00:00Z", &[3, 1]),
        ];
        let joint = joint_recalls(&recalls);
        assert_eq!(joint[&(note(1), note(3))], 2);
        assert_eq!(joint[&(note(1), note(2))], 1);
        assert_eq!(joint.len(), 3);
    }

    #[test]
    fn strengthening_goes_towards_two_by_hand() {
        // 0.3 + 0.2·1.7·(1/5) = 0.368; 0.3 + 0.2·1.7 = 0.64 from five recalls on; 2 and more stay.
        assert!((strengthened(0.3, 1) - 0.368).abs() < 1e-12);
        assert!((strengthened(0.3, 5) - 0.64).abs() < 1e-12);
        assert!((strengthened(0.3, 50) - 0.64).abs() < 1e-12);
        assert!((strengthened(2.0, 5) - 2.0).abs() < 1e-12);
        assert!((strengthened(3.0, 5) - 3.0).abs() < 1e-12);
        let many = (0..1_000).fold(0.3, |intensity, _| strengthened(intensity, 5));
        assert!((1.999..=2.0).contains(&many));
    }

    #[test]
    fn disuse_takes_two_in_a_hundred_and_at_last_the_link() {
        assert!((weakened(1.0).unwrap() - 0.98).abs() < 1e-12);
        // 0.0511·0.98 = 0.050078 stays, 0.051·0.98 = 0.04998 goes.
        assert!(weakened(0.0511).is_some());
        assert!(weakened(0.051).is_none());
    }

    #[test]
    fn only_relations_that_are_no_structure_grow_weaker() {
        let sem = |verb: &str| {
            LinkType::Sem(SemLink {
                verb: verb.to_owned(),
                confidence: 0.5,
            })
        };
        assert!(can_weaken(&sem("knows")) && can_weaken(&sem(CO_RECALLED)));
        assert!(!can_weaken(&sem("about")) && !can_weaken(&sem("mentions")));
        assert!(!can_weaken(&LinkType::Proc(ProcLink::TrigToAction {
            prob: 0.5
        })));
    }
}
