//! Merging: one entry per note, from similarity and walk, from one sub-query or several.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::model::NoteId;

/// Which stage brought a note up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// It is like the question.
    Similarity,
    /// It is linked to what is like the question.
    Walk,
    /// Both.
    Both,
}

impl Stage {
    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Similarity => "similarity",
            Self::Walk => "walk",
            Self::Both => "both",
        }
    }

    fn and(self, other: Self) -> Self {
        if self == other { self } else { Self::Both }
    }
}

/// A note with its score and the stage it came from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scored {
    /// The note.
    pub id: NoteId,
    /// The better the larger.
    pub score: f64,
    /// Where it came from.
    pub stage: Stage,
}

/// The most that priority lifts a sub-query's hits over those of another.
pub const MAX_PRIORITY_LIFT: f64 = 0.05;

/// Orders best first; equal scores by id, so that the order is always the same.
pub fn rank(hits: &mut [Scored]) {
    hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.id.cmp(&b.id)));
}

/// One sub-query's notes: those that are alike, and those that the walk reached.
///
/// Walk scores are shares of a probability and far smaller than similarities. They are put on the similarities' scale by
/// the one factor that makes the walk's largest score that of the best seed, which keeps their order and their ratios.
pub fn stages(similar: &[(NoteId, f64)], walked: &[(NoteId, f64)]) -> Vec<Scored> {
    let top = similar.iter().map(|&(_, score)| score).fold(0.0, f64::max);
    let reach = walked.iter().map(|&(_, score)| score).fold(0.0, f64::max);
    let factor = if reach > 0.0 { top / reach } else { 0.0 };
    let similar = similar.iter().map(|&(id, score)| Scored {
        id,
        score,
        stage: Stage::Similarity,
    });
    let walked = walked.iter().map(|&(id, score)| Scored {
        id,
        score: score * factor,
        stage: Stage::Walk,
    });
    let mut hits = unite(similar.chain(walked));
    rank(&mut hits);
    hits
}

/// What a note that only the walk reached keeps of its score beside the answers to a plain line.
const BESIDE_A_LINE: f64 = 0.8;

/// A plain line's notes, and those that the walk reached from them. The line's channels have ranked already, a walk among
/// them: what they found keeps its score, and the rest come up after it.
pub fn behind(found: &[(NoteId, f64)], walked: &[(NoteId, f64)]) -> Vec<Scored> {
    let known: BTreeMap<NoteId, f64> = found.iter().copied().collect();
    let mut hits = stages(found, walked);
    for hit in &mut hits {
        hit.score = match known.get(&hit.id) {
            Some(score) => *score,
            None => hit.score * BESIDE_A_LINE,
        };
    }
    rank(&mut hits);
    hits
}

/// One entry per note, with its best score and every stage that brought it up.
fn unite(hits: impl Iterator<Item = Scored>) -> Vec<Scored> {
    let mut united: BTreeMap<NoteId, Scored> = BTreeMap::new();
    for hit in hits {
        united
            .entry(hit.id)
            .and_modify(|known| {
                known.score = known.score.max(hit.score);
                known.stage = known.stage.and(hit.stage);
            })
            .or_insert(hit);
    }
    united.into_values().collect()
}

/// One sub-query's hits with what merging needs to know of it.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The sub-query's priority.
    pub priority: u32,
    /// True where it asked for situations, false where it asked for concepts.
    pub situations: bool,
    /// Its hits.
    pub hits: Vec<Scored>,
}

/// Merges the answers of several sub-queries into the best `limit` notes.
///
/// Concepts are matched by name and reach 1; situations are matched by what happened and rarely do. Unscaled, a concept's
/// hits would drown every situation. So each kind is lifted half-way, in the logarithm, to the better kind's best score:
/// `score · √(best / best of the kind)`.
pub fn combine(answers: &[Answer], limit: usize) -> Vec<Scored> {
    let best_of = |situations: bool| {
        let hits = answers
            .iter()
            .filter(|answer| answer.situations == situations)
            .flat_map(|answer| &answer.hits);
        hits.map(|hit| hit.score).fold(0.0, f64::max)
    };
    let bests = [best_of(false), best_of(true)];
    let top = bests[0].max(bests[1]);
    let scale = |situations: bool| match bests[usize::from(situations)] {
        best if best > 0.0 => (top / best).sqrt(),
        _ => 1.0,
    };
    let lift = priority_lift(answers);
    let mut hits = unite(answers.iter().flat_map(|answer| {
        let (factor, lift) = (scale(answer.situations), lift(answer.priority));
        answer.hits.iter().map(move |hit| Scored {
            score: hit.score * factor + lift,
            ..*hit
        })
    }));
    rank(&mut hits);
    hits.truncate(limit);
    hits
}

/// From 0 for the lowest priority asked to [`MAX_PRIORITY_LIFT`] for the highest.
fn priority_lift(answers: &[Answer]) -> impl Fn(u32) -> f64 {
    let lowest = answers
        .iter()
        .map(|answer| answer.priority)
        .min()
        .unwrap_or(0);
    let highest = answers
        .iter()
        .map(|answer| answer.priority)
        .max()
        .unwrap_or(0);
    move |priority| {
        if highest == lowest {
            return 0.0;
        }
        MAX_PRIORITY_LIFT * f64::from(priority - lowest) / f64::from(highest - lowest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(n: u128) -> NoteId {
        NoteId(uuid::Uuid::from_u128(n))
    }

    fn ids(hits: &[Scored]) -> Vec<NoteId> {
        hits.iter().map(|hit| hit.id).collect()
    }

    #[test]
    fn the_walk_is_put_on_the_similarities_scale_and_a_note_has_one_entry() {
        // The best seed (0.8) has walk score 0.4: the factor is 2, so the walk's 0.1 becomes 0.2.
        let hits = stages(
            &[(id(1), 0.8), (id(2), 0.5)],
            &[(id(1), 0.4), (id(3), 0.1), (id(2), 0.3)],
        );
        assert_eq!(ids(&hits), [id(1), id(2), id(3)]);
        assert_eq!(
            hits[0],
            Scored {
                id: id(1),
                score: 0.8,
                stage: Stage::Both
            }
        );
        assert!((hits[1].score - 0.6).abs() < 1e-12 && hits[1].stage == Stage::Both);
        assert!((hits[2].score - 0.2).abs() < 1e-12 && hits[2].stage == Stage::Walk);
    }

    #[test]
    fn without_a_walk_similarity_stands_alone() {
        let hits = stages(&[(id(2), 0.5), (id(1), 0.5)], &[]);
        assert_eq!(ids(&hits), [id(1), id(2)], "equal scores are ordered by id");
        assert!(hits.iter().all(|hit| hit.stage == Stage::Similarity));
    }

    #[test]
    fn neither_kind_drowns_the_other() {
        let hit = |n, score| Scored {
            id: id(n),
            score,
            stage: Stage::Similarity,
        };
        let concepts = Answer {
            priority: 1,
            situations: false,
            hits: vec![hit(1, 1.0), hit(2, 0.5)],
        };
        let lived = Answer {
            priority: 1,
            situations: true,
            hits: vec![hit(3, 0.36)],
        };
        let hits = combine(&[concepts, lived], 10);
        // The situation's best is lifted by √(1 / 0.36) = 1 / 0.6 to 0.6, over the second concept.
        assert_eq!(ids(&hits), [id(1), id(3), id(2)]);
        assert!((hits[1].score - 0.6).abs() < 1e-12);
    }

    #[test]
    fn priority_lifts_by_at_most_a_twentieth() {
        let answer = |priority, n, score| Answer {
            priority,
            situations: true,
            hits: vec![Scored {
                id: id(n),
                score,
                stage: Stage::Similarity,
            }],
        };
        let hits = combine(
            &[
                answer(1, 1, 0.50),
                answer(9, 2, 0.46),
                answer(u32::MAX, 3, 0.40),
            ],
            10,
        );
        assert_eq!(ids(&hits), [id(1), id(2), id(3)]);
        assert!(
            (hits[2].score - 0.45).abs() < 1e-12,
            "the highest priority lifts by 0.05"
        );
        assert!(
            (hits[0].score - 0.50).abs() < 1e-12,
            "the lowest does not lift"
        );
    }

    #[test]
    fn the_limit_cuts_after_merging() {
        let hits = (1..=20)
            .map(|n| Scored {
                id: id(n),
                score: 1.0 / n as f64,
                stage: Stage::Walk,
            })
            .collect();
        let merged = combine(
            &[Answer {
                priority: 0,
                situations: true,
                hits,
            }],
            10,
        );
        assert_eq!(ids(&merged), (1..=10).map(id).collect::<Vec<_>>());
    }
}
