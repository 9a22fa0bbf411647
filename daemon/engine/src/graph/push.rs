//! Forward push: the inner loops of the walk.

use std::hint::black_box;

use petgraph::stable_graph::NodeIndex;

use super::adjacency::{Adjacency, Conducting, Row};
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
            self.scratch.flow.add(index.index() as u32, mass * share);
        }
        self.arrive();
    }

    /// Pushes until nothing is queued, group by group.
    fn drain(&mut self, retention: &impl Fn(NodeIndex) -> f64) {
        let rows = self.adjacency.rows(self.options.preference);
        while self.pushes < MAX_PUSHES {
            let queued = &self.scratch.queue.as_slice()[self.popped..];
            let count = queued
                .len()
                .min(GROUP)
                .min((MAX_PUSHES - self.pushes) as usize);
            if count == 0 {
                break;
            }
            if rows.len() >= READ_ROWS_FROM {
                black_box(read_rows(&queued[..count], rows, &self.scratch.scores));
            }
            self.push(count, retention);
            if rows.len() >= READ_RESIDUES_FROM {
                let targets = self.scratch.flow.targets();
                black_box(read_residues(targets, &self.scratch.residues));
            }
            self.arrive();
        }
    }

    /// Takes the mass of the next `count` notes in the queue: a part comes to rest, the other is on its way.
    fn push(&mut self, count: usize, retention: &impl Fn(NodeIndex) -> f64) {
        let Scratch {
            residues,
            scores,
            queue,
            visited,
            flow,
            ..
        } = &mut *self.scratch;
        for &node in &queue.as_slice()[self.popped..][..count] {
            let index = node as usize;
            let retained = clamp(retention(NodeIndex::new(index)));
            let mass = std::mem::take(&mut residues[index]);
            let score = &mut scores[index];
            visited.push_if(*score == 0.0, node);
            *score += (1.0 - self.options.damping) * mass;
            let passed_on = self.options.damping * mass;
            let conducting = self.adjacency.at(index, self.options.preference, retained);
            let goes_on = match conducting {
                Conducting::Whole(row) if row.total > 0.0 => {
                    flow.add_row(row, passed_on / row.total);
                    true
                }
                Conducting::Whole(_) => false,
                Conducting::Part(part) => flow.add_part(part, passed_on),
            };
            if !goes_on {
                self.returning += passed_on;
            }
        }
        self.popped += count;
        self.pushes += count as u64;
    }

    /// Lets what is on its way arrive.
    fn arrive(&mut self) {
        let Scratch {
            residues,
            queue,
            touched,
            flow,
            ..
        } = &mut *self.scratch;
        let count = flow.targets().len();
        let room = (queue.room(count), touched.room(count));
        let (queued, newly_touched) = flow.arrive(self.options.residue, residues, room.0, room.1);
        flow.clear();
        queue.grow_over(queued);
        touched.grow_over(newly_touched);
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
        for node in visited.as_slice() {
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

/// How many notes are pushed together: none of them sees what the others pass on before all have been pushed.
const GROUP: usize = 32;

/// The number of notes from which it is worth reading rows and scores ahead: they are then larger than the cache next to the
/// processor.
const READ_ROWS_FROM: usize = 1 << 12;

/// The number of notes from which it is worth reading residues ahead.
const READ_RESIDUES_FROM: usize = 1 << 15;

/// Reads the rows and scores of a group before its pushes need them.
///
/// Pushed one by one, the notes of a large graph wait for memory one by one. Here a whole group waits at once. Nothing is
/// changed, so that the result is the same to the bit. What was read is returned, and has to be used, or the reads would be
/// left out as idle.
// Not inlined, so that its sum is in a register.
#[inline(never)]
fn read_rows(group: &[u32], rows: &[Row], scores: &[f64]) -> u64 {
    let mut seen = 0;
    for node in group {
        let row = &rows[*node as usize];
        // One word of each of the row's two cache lines.
        seen ^= u64::from(row.near_targets[0]) ^ row.total.to_bits();
        seen ^= scores[*node as usize].to_bits();
    }
    seen
}

/// Reads the residues of a group's targets before mass arrives there, as [`read_rows`] reads rows.
#[inline(never)]
fn read_residues(targets: &[u32], residues: &[f64]) -> u64 {
    let read = |seen, target: &u32| seen ^ residues[*target as usize].to_bits();
    targets.iter().fold(0, read)
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
