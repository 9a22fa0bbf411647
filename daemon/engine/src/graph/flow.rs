//! Mass on its way: what a group of pushes passes on, gathered before any of it arrives.

use super::adjacency::{NEAR, Part, Row};

/// Amounts of mass with the notes that they go to, one for each link that is walked.
///
/// A group's links become one long list first, so that the loop over it has no branch at the end of each short row: a
/// processor guesses half of those wrong, and stands still each time.
#[derive(Debug, Default)]
pub(super) struct Flow {
    targets: Vec<u32>,
    amounts: Vec<f64>,
    /// How many of both are in use; they are written ahead of it.
    len: usize,
}

impl Flow {
    /// Where it goes, link by link.
    pub fn targets(&self) -> &[u32] {
        &self.targets[..self.len]
    }

    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Adds what goes to one note.
    pub fn add(&mut self, target: u32, amount: f64) {
        self.make_room(1);
        self.targets[self.len] = target;
        self.amounts[self.len] = amount;
        self.len += 1;
    }

    /// Adds what goes along all links of a row, `per_weight` times its weight along each.
    #[inline]
    pub fn add_row(&mut self, row: &Row, per_weight: f64) {
        self.make_room(row.len().max(NEAR));
        // All near places at once, whether in use or not: what lies past the end is written over by the next row.
        self.targets[self.len..][..NEAR].copy_from_slice(&row.near_targets);
        let amounts = &mut self.amounts[self.len..][..NEAR];
        for (amount, weight) in amounts.iter_mut().zip(&row.near_weights) {
            *amount = per_weight * f64::from(*weight);
        }
        for (place, edge) in row.far.iter().enumerate() {
            self.targets[self.len + NEAR + place] = edge.target;
            self.amounts[self.len + NEAR + place] = per_weight * f64::from(edge.weight);
        }
        self.len += row.len();
    }

    /// Adds what of `mass` goes along the active links of a row, and tells if there are any.
    #[inline]
    pub fn add_part(&mut self, part: Part<'_>, mass: f64) -> bool {
        self.make_room(part.len());
        let targets = &mut self.targets[self.len..][..part.len()];
        let amounts = &mut self.amounts[self.len..][..part.len()];
        let (mut active, mut total) = (0, 0.0);
        for (edge, conducts) in part.edges() {
            let weight = f64::from(edge.weight) * f64::from(u8::from(conducts));
            targets[active] = edge.target;
            amounts[active] = weight;
            total += weight;
            active += usize::from(conducts);
        }
        let per_weight = mass / total;
        for amount in &mut amounts[..active] {
            *amount *= per_weight;
        }
        self.len += active;
        active > 0
    }

    #[inline]
    fn make_room(&mut self, count: usize) {
        let needed = self.len + count;
        if self.targets.len() < needed {
            self.grow(needed);
        }
    }

    #[cold]
    fn grow(&mut self, needed: usize) {
        self.targets.resize(2 * needed, 0);
        self.amounts.resize(2 * needed, 0.0);
    }

    /// Lets all of it arrive, writing into the queue the targets whose residue is now over `bound`, and into `touched` those
    /// that had nothing: how many of each is returned. Both have room for all.
    ///
    /// The loop has no branch that depends on the data: each target is written to both lists, and a comparison only decides
    /// if the list grows over it. A node is in the queue exactly while its residue is over the bound, so it needs no flag.
    // Not inlined, because its counters are to be in registers; and a lazy `&&` would be a branch.
    #[inline(never)]
    #[allow(clippy::needless_bitwise_bool)]
    pub fn arrive(
        &self,
        bound: f64,
        residues: &mut [f64],
        queue: &mut [u32],
        touched: &mut [u32],
    ) -> (usize, usize) {
        let (mut queued, mut newly_touched) = (0, 0);
        for (&target, &amount) in self.targets().iter().zip(&self.amounts) {
            let residue = &mut residues[target as usize];
            let before = *residue;
            let after = before + amount;
            *residue = after;
            queue[queued] = target;
            queued += usize::from((before <= bound) & (after > bound));
            touched[newly_touched] = target;
            newly_touched += usize::from(before == 0.0);
        }
        (queued, newly_touched)
    }
}
