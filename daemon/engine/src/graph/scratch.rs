//! The memory a walk works in, kept between walks.

/// Working memory of [`walk()`](super::walk()), reused from query to query so that a walk allocates
/// nothing once it has grown to the size of the graph: 16 bytes a note, and the queues.
///
/// One scratch serves any number of graphs, one walk at a time.
#[derive(Debug, Default)]
pub struct Scratch {
    /// By node index: mass that has arrived and was not yet pushed on. All 0 between walks.
    pub(super) residues: Vec<f64>,
    /// By node index: mass that has come to rest. 0 but for `visited`.
    pub(super) scores: Vec<f64>,
    /// Nodes to push, first in first out.
    pub(super) queue: Queue,
    /// Nodes whose residue was raised from 0; a node may stand here more than once.
    pub(super) touched: Growing,
    /// Nodes with a score, each once, in the order in which they were first pushed.
    pub(super) visited: Vec<u32>,
}

impl Scratch {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets the last walk and makes room for node indexes under `bound`.
    pub(super) fn begin(&mut self, bound: usize) {
        // Also what a walk left that was cut off by a panic of the caller's retention.
        for node in self.touched.as_slice() {
            self.residues[*node as usize] = 0.0;
        }
        for node in &self.visited {
            self.scores[*node as usize] = 0.0;
        }
        self.queue.clear();
        self.touched.clear();
        self.visited.clear();
        if self.residues.len() < bound {
            self.residues.resize(bound, 0.0);
            self.scores.resize(bound, 0.0);
        }
    }
}

/// A list that is written ahead of its end: the walk writes each candidate unconditionally and
/// lets the list grow over it by the result of a comparison, without a branch.
#[derive(Debug, Default)]
pub(super) struct Growing {
    buffer: Vec<u32>,
    len: usize,
}

impl Growing {
    /// Room for `count` more, past the end.
    pub fn room(&mut self, count: usize) -> &mut [u32] {
        let needed = self.len + count;
        if self.buffer.len() < needed {
            self.buffer.resize(2 * needed, 0);
        }
        &mut self.buffer[self.len..needed]
    }

    /// Takes the first `count` written into the room for part of the list.
    pub fn grow_over(&mut self, count: usize) {
        self.len += count;
    }

    pub fn as_slice(&self) -> &[u32] {
        &self.buffer[..self.len]
    }

    pub fn clear(&mut self) {
        self.len = 0;
    }
}

/// A queue over a [`Growing`] list.
#[derive(Debug, Default)]
pub(super) struct Queue {
    list: Growing,
    head: usize,
}

impl Queue {
    pub fn pop(&mut self) -> Option<u32> {
        let next = self.list.as_slice().get(self.head).copied()?;
        self.head += 1;
        Some(next)
    }

    pub fn room(&mut self, count: usize) -> &mut [u32] {
        self.list.room(count)
    }

    pub fn grow_over(&mut self, count: usize) {
        self.list.grow_over(count);
    }

    pub fn clear(&mut self) {
        self.list.clear();
        self.head = 0;
    }
}
