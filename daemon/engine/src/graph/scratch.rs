//! The memory a walk works in, kept between walks.

use super::flow::Flow;

/// Working memory of [`walk()`](super::walk()), reused from query to query so that a walk allocates
/// nothing once it has grown to the size of the graph: 16 bytes a note, and the lists.
///
/// One scratch serves any number of graphs, one walk at a time.
#[derive(Debug, Default)]
pub struct Scratch {
    /// By node index: mass that has arrived and was not yet pushed on. All 0 between walks.
    pub(super) residues: Vec<f64>,
    /// By node index: mass that has come to rest. 0 but for `visited`.
    pub(super) scores: Vec<f64>,
    /// Nodes to push, first in first out.
    pub(super) queue: Growing,
    /// Nodes whose residue was raised from 0, each at least once.
    pub(super) touched: Growing,
    /// Nodes with a score, each once, in the order in which they were first pushed.
    pub(super) visited: Growing,
    /// Mass on its way. Nothing between walks.
    pub(super) flow: Flow,
}

impl Scratch {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets the last walk and makes room for node indexes under `bound`.
    pub(super) fn begin(&mut self, bound: usize) {
        // Nothing, unless a walk was cut off by a panic of the caller's retention.
        for node in self.touched.as_slice() {
            self.residues[*node as usize] = 0.0;
        }
        for node in self.visited.as_slice() {
            self.scores[*node as usize] = 0.0;
        }
        self.visited.clear();
        self.flow.clear();
        self.queue.clear();
        self.touched.clear();
        if self.residues.len() < bound {
            self.residues.resize(bound, 0.0);
            self.scores.resize(bound, 0.0);
        }
    }
}

/// A list that is written ahead of its end, and then grows over what was written.
#[derive(Debug, Default)]
pub(super) struct Growing {
    buffer: Vec<u32>,
    len: usize,
}

impl Growing {
    /// Room for `count` more, past the end.
    #[inline]
    pub fn room(&mut self, count: usize) -> &mut [u32] {
        let needed = self.len + count;
        if self.buffer.len() < needed {
            self.extend(needed);
        }
        &mut self.buffer[self.len..needed]
    }

    #[cold]
    fn extend(&mut self, needed: usize) {
        self.buffer.resize(2 * needed, 0);
    }

    /// Takes the first `count` written into the room for part of the list.
    #[inline]
    pub fn grow_over(&mut self, count: usize) {
        self.len += count;
    }

    /// Puts `value` at the end where `wanted`, without a branch.
    #[inline]
    pub fn push_if(&mut self, wanted: bool, value: u32) {
        self.room(1)[0] = value;
        self.grow_over(usize::from(wanted));
    }

    #[inline]
    pub fn as_slice(&self) -> &[u32] {
        &self.buffer[..self.len]
    }

    pub fn clear(&mut self) {
        self.len = 0;
    }
}
