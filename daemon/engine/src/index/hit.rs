//! What a search finds.

use std::cmp::Ordering;

/// An entry found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit<K> {
    /// Its key.
    pub key: K,
    /// Its score, in the measure of the index.
    pub score: f64,
}

impl<K: Ord> Hit<K> {
    /// The order of results: the higher score first, of equal scores the smaller key.
    pub fn rank(&self, other: &Self) -> Ordering {
        other
            .score
            .total_cmp(&self.score)
            .then_with(|| self.key.cmp(&other.key))
    }

    /// The best `limit` of these, in order.
    pub fn best(mut hits: Vec<Self>, limit: usize) -> Vec<Self> {
        if limit > 0 && hits.len() > limit {
            hits.select_nth_unstable_by(limit - 1, Self::rank);
        }
        hits.truncate(limit);
        hits.sort_unstable_by(Self::rank);
        hits
    }
}
