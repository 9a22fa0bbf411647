//! Forward push: the inner loops of the walk.

use std::hint::black_box;

use petgraph::stable_graph::NodeIndex;

use super::adjacency::{Adjacency, Conducting, Edge, Row};
use super::scratch::Scratch;
use super::walk::WalkOptions;

/// The most pushes that one walk makes, whatever its options.
pub const MAX_PUSHES: u64 = 5_000_000;

/// What pushing came to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Done {
    /// The sum of the residues left.
    pub left: f64,
    /// How many pushes it took.
    pub pushes: u64,
}

/// Pushes from the sources, whose shares sum to 1, until no residue is over the bound; the scores
/// are then in the scratch. Without sources nothing is done.
pub(super) fn push_all(
    adjacency: &Adjacency,
    sources: &[(NodeIndex, f64)],
    options: &WalkOptions,
    retention: &impl Fn(NodeIndex) -> f64,
    scratch: &mut Scratch,
) -> Done {
    let mut pushing = Pushing {
        adjacency,
        sources,
        options: *options,
        scratch,
        popped: 0,
        returning: if sources.is_empty() { 0.0 } else { 1.0 },
        pushes: 0,
    };
    pushing.run(retention);
    Done {
        pushes: pushing.pushes,
        left: pushing.finish(),
    }
}

/// The state of a walk under way.
struct Pushing<'a> {
    adjacency: &'a Adjacency,
    sources: &'a [(NodeIndex, f64)],
    options: WalkOptions,
    scratch: &'a mut Scratch,
    /// How many nodes were taken from the queue.
    popped: usize,
    /// Mass on its way back to the sources; at first all of it. It is handed out when nothing else
    /// is to be pushed: one hand-out for many notes without links.
    returning: f64,
    pushes: u64,
}

impl Pushing<'_> {
    fn run(&mut self, retention: &impl Fn(NodeIndex) -> f64) {
        while self.returning > self.options.residue && self.pushes < MAX_PUSHES {
            self.hand_out();
            self.drain(retention);
        }
    }

    fn hand_out(&mut self) {
        let mass = std::mem::take(&mut self.returning);
        for &(index, share) in self.sources {
            let to_source = [Edge {
                target: index.index() as u32,
                weight: 1.0,
            }];
            self.pass_on(mass * share, to_source.iter(), 1);
        }
    }

    /// Pushes until nothing is queued.
    fn drain(&mut self, retention: &impl Fn(NodeIndex) -> f64) {
        let rows = self.adjacency.rows(self.options.preference);
        let reads_ahead = rows.len() >= READ_AHEAD_FROM;
        while self.pushes < MAX_PUSHES {
            let queued = &self.scratch.queue.as_slice()[self.popped..];
            let group = &queued[..queued.len().min(GROUP)];
            if group.is_empty() {
                break;
            }
            if reads_ahead {
                let Scratch {
                    residues, scores, ..
                } = &*self.scratch;
                black_box(read_ahead(group, rows, residues, scores));
            }
            for _ in 0..group.len() {
                let node = self.scratch.queue.as_slice()[self.popped];
                self.popped += 1;
                self.pushes += 1;
                self.push(node, retention);
            }
        }
    }

    #[inline]
    fn push(&mut self, node: u32, retention: &impl Fn(NodeIndex) -> f64) {
        let index = node as usize;
        let mass = std::mem::take(&mut self.scratch.residues[index]);
        let score = &mut self.scratch.scores[index];
        if *score == 0.0 {
            self.scratch.visited.push(node);
        }
        *score += (1.0 - self.options.damping) * mass;
        let passed_on = self.options.damping * mass;
        let retained = clamp(retention(NodeIndex::new(index)));
        let preference = self.options.preference;
        let conducting = self.adjacency.at(index, preference, retained);
        let total = conducting.total();
        if total == 0.0 {
            self.returning += passed_on;
            return;
        }
        match conducting {
            Conducting::Whole(row) => {
                self.pass_on(passed_on / total, row.edges.iter(), row.edges.len());
            }
            Conducting::Part(part) => {
                let edges = part.edges().map(|(_, edge)| edge);
                self.pass_on(passed_on / total, edges, part.len());
            }
        }
    }

    /// Passes `per_weight` times its weight on along each of at most `count` links.
    #[inline]
    fn pass_on<'e>(
        &mut self,
        per_weight: f64,
        edges: impl Iterator<Item = &'e Edge>,
        count: usize,
    ) {
        let flow = Flow {
            per_weight,
            bound: self.options.residue,
        };
        let queue = self.scratch.queue.room(count);
        let touched = self.scratch.touched.room(count);
        let (queued, newly_touched) = flow.along(edges, &mut self.scratch.residues, queue, touched);
        self.scratch.queue.grow_over(queued);
        self.scratch.touched.grow_over(newly_touched);
    }

    /// Ends the walk and returns the mass that has not come to rest.
    ///
    /// What a note that was pushed holds since then would come to rest there in the part `1 − d` if it was pushed once more.
    /// That much is certain and costs one addition, without a push: the scores come nearer, and fewer notes change places.
    fn finish(self) -> f64 {
        let Scratch {
            residues,
            scores,
            touched,
            visited,
            ..
        } = self.scratch;
        let resting = 1.0 - self.options.damping;
        for node in &*visited {
            let residue = &mut residues[*node as usize];
            scores[*node as usize] += resting * *residue;
            *residue *= self.options.damping;
        }
        let left = self.returning + take_all(residues, touched.as_slice());
        touched.clear();
        left
    }
}

/// Sets to 0 what stands at `places`, and returns the sum. A place may be named more than once.
// Not inlined, so that the sum is in a register.
#[inline(never)]
fn take_all(values: &mut [f64], places: &[u32]) -> f64 {
    let mut sum = 0.0;
    for place in places {
        sum += std::mem::take(&mut values[*place as usize]);
    }
    sum
}

/// How many pushes are read ahead for together.
const GROUP: usize = 16;

/// The number of notes from which reading ahead is worth it: what is walked over is then larger than the fast caches.
const READ_AHEAD_FROM: usize = 1 << 15;

/// Reads what the pushes of a group will need: first the rows of its nodes, then the residues of all their targets.
///
/// Pushed one by one, the nodes of a large graph wait for memory one by one: each row says only when it is there where the
/// next reads go. Here a whole group waits at once, which halves the time of a walk over a million notes. Nothing is
/// changed, so that the result is the same to the bit. What was read is returned, and has to be used, or the reads would
/// be left out as idle.
// Not inlined, so that its sums are in registers.
#[inline(never)]
fn read_ahead(group: &[u32], rows: &[Row], residues: &[f64], scores: &[f64]) -> u64 {
    let mut seen = 0;
    for node in group {
        if let [first, .., last] = rows[*node as usize].edges.as_slice() {
            seen ^= u64::from(first.target ^ last.target);
        }
    }
    for node in group {
        seen ^= scores[*node as usize].to_bits();
        for edge in &rows[*node as usize].edges {
            seen ^= residues[edge.target as usize].to_bits();
        }
    }
    seen
}

/// Mass on its way along the links of one note.
#[derive(Clone, Copy)]
struct Flow {
    /// How much of it a link of weight 1 passes on.
    per_weight: f64,
    /// The residue over which a node is to be pushed.
    bound: f64,
}

impl Flow {
    /// Passes the mass on, writing into the queue the targets that are now to be pushed, and into
    /// `touched` those that had nothing: how many of each is returned. Both have room for all.
    ///
    /// The loop has no branch that depends on the data: each target is written to both lists, and a
    /// comparison only decides if the list grows over it. A node is in the queue exactly while its
    /// residue is over the bound, so it needs no flag.
    // Not inlined, because its counters are to be in registers; and a lazy `&&` would be a branch.
    #[inline(never)]
    #[allow(clippy::needless_bitwise_bool)]
    fn along<'e>(
        self,
        edges: impl Iterator<Item = &'e Edge>,
        residues: &mut [f64],
        queue: &mut [u32],
        touched: &mut [u32],
    ) -> (usize, usize) {
        let (mut queued, mut newly_touched) = (0, 0);
        for edge in edges {
            let residue = &mut residues[edge.target as usize];
            let before = *residue;
            let after = before + self.per_weight * f64::from(edge.weight);
            *residue = after;
            queue[queued] = edge.target;
            queued += usize::from((before <= self.bound) & (after > self.bound));
            touched[newly_touched] = edge.target;
            newly_touched += usize::from(before == 0.0);
        }
        (queued, newly_touched)
    }
}

/// A retention from 0 to 1, whatever the caller says.
pub(super) fn clamp(retention: f64) -> f64 {
    // Not `clamp`, which would let what is not a number through.
    if retention >= 0.0 {
        retention.min(1.0)
    } else {
        0.0
    }
}
