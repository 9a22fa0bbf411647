//! Which rows of a scan are worth comparing in full.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// Sorts out, row by row, those that can be among the best.
#[derive(Debug)]
pub(super) struct Promising {
    limit: usize,
    /// How many rows were offered.
    offered: usize,
    candidates: Vec<Candidate>,
    /// The largest products that rows are sure of, `limit` of them at most.
    sure: BinaryHeap<Reverse<Product>>,
    /// The smallest of those: what a row must be able to reach.
    needed: f64,
}

#[derive(Debug)]
struct Candidate {
    row: usize,
    at_most: f64,
}

impl Promising {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            offered: 0,
            candidates: Vec::new(),
            sure: BinaryHeap::new(),
            needed: f64::NEG_INFINITY,
        }
    }

    /// The next row: its product within `error`. It is asked whether it is wanted only if it could be among the best.
    #[inline]
    pub(super) fn offer(&mut self, near: f64, error: f64, wanted: impl FnOnce() -> bool) {
        let row = self.offered;
        self.offered += 1;
        if near + error >= self.needed && wanted() {
            self.candidates.push(Candidate {
                row,
                at_most: near + error,
            });
            self.count_on(near - error);
        }
    }

    fn count_on(&mut self, at_least: f64) {
        if self.sure.len() == self.limit && at_least <= self.needed {
            return;
        }
        self.sure.push(Reverse(Product(at_least)));
        if self.sure.len() > self.limit {
            self.sure.pop();
        }
        if let (true, Some(smallest)) = (self.sure.len() == self.limit, self.sure.peek()) {
            self.needed = smallest.0.0;
        }
    }

    /// The rows, in order, that can be among the best `limit` of all that were offered.
    pub(super) fn rows(self) -> Vec<usize> {
        let needed = self.needed;
        self.candidates
            .into_iter()
            .filter(|it| it.at_most >= needed)
            .map(|it| it.row)
            .collect()
    }
}

/// A product with the total order of floating-point numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Product(f64);

impl Eq for Product {}

impl PartialOrd for Product {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Product {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}
