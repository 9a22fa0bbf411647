//! Why a note was reached: the likeliest path that the walk takes to it.

use std::cmp::Ordering;
use std::collections::{BTreeSet, BinaryHeap};

use hashbrown::HashMap;
use petgraph::stable_graph::NodeIndex;

use super::adjacency::Conducting;
use super::push::clamp;
use super::walk::Walk;
use super::weight::factor;
use crate::model::{LinkId, NoteId};

/// The likeliest way from a source to a note.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    /// The source that it starts from.
    pub source: NoteId,
    /// The source's share among all sources, from 0 to 1.
    pub source_share: f64,
    /// The links that it follows; none where the note is itself the source.
    pub steps: Vec<Step>,
}

/// One link of a path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Which link.
    pub link: LinkId,
    /// The note it starts from.
    pub from: NoteId,
    /// The note it leads to.
    pub to: NoteId,
    /// Its weight: `retention · intensity · factor`.
    pub weight: f64,
    /// Its part in the weights of all active links of `from`, from 0 to 1.
    pub share: f64,
}

/// How a node was first reached: the likelihood, and the link followed last with its place among
/// the links of the node it starts from.
#[derive(Clone, Copy)]
struct Reached {
    likelihood: f64,
    from: Option<(u32, usize)>,
}

/// A node to go on from; the likeliest first, ties by note id.
struct Frontier {
    likelihood: f64,
    note: NoteId,
    node: u32,
}

impl Ord for Frontier {
    fn cmp(&self, other: &Self) -> Ordering {
        self.likelihood
            .total_cmp(&other.likelihood)
            .then_with(|| other.note.cmp(&self.note))
    }
}

impl PartialOrd for Frontier {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Frontier {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Frontier {}

impl<R: Fn(NodeIndex) -> f64> Walk<'_, R> {
    /// For each of the notes the likeliest path from a source to it: the one with the largest
    /// product of the source's share and, for each step, damping and the link's share. `None` for
    /// a note that the walk did not reach.
    ///
    /// Dijkstra's algorithm over the notes that the walk reached, until all targets are found.
    pub fn paths(&self, notes: &[NoteId]) -> Vec<Option<Path>> {
        let targets: Vec<Option<u32>> = notes
            .iter()
            .map(|note| self.graph.index_of(*note).map(|it| it.index() as u32))
            .map(|node| node.filter(|node| self.is_reached(*node)))
            .collect();
        let reached = self.search(targets.iter().copied().flatten().collect());
        targets
            .into_iter()
            .map(|target| self.path_to(target?, &reached))
            .collect()
    }

    fn is_reached(&self, node: u32) -> bool {
        self.scratch.scores[node as usize] > 0.0
    }

    fn search(&self, mut wanted: BTreeSet<u32>) -> HashMap<u32, Reached> {
        let mut reached = HashMap::new();
        let mut frontier = BinaryHeap::new();
        for &(index, share) in &self.sources {
            let node = index.index() as u32;
            if self.is_reached(node) {
                self.reach(node, share, None, &mut reached, &mut frontier);
            }
        }
        while let Some(Frontier {
            likelihood, node, ..
        }) = frontier.pop()
        {
            // A better way was found after this one was put in.
            if reached
                .get(&node)
                .is_some_and(|it| likelihood < it.likelihood)
            {
                continue;
            }
            wanted.remove(&node);
            if wanted.is_empty() {
                break;
            }
            self.go_on_from(node, likelihood, &mut reached, &mut frontier);
        }
        reached
    }

    fn go_on_from(
        &self,
        node: u32,
        likelihood: f64,
        reached: &mut HashMap<u32, Reached>,
        frontier: &mut BinaryHeap<Frontier>,
    ) {
        let conducting = self.conducting(node);
        let total = conducting.total();
        for (position, edge) in conducting.edges() {
            if self.is_reached(edge.target) {
                let share = f64::from(edge.weight) / total;
                let likelihood = likelihood * self.options.damping * share;
                let from = Some((node, position));
                self.reach(edge.target, likelihood, from, reached, frontier);
            }
        }
    }

    fn retention_at(&self, node: u32) -> f64 {
        clamp((self.retention)(NodeIndex::new(node as usize)))
    }

    fn conducting(&self, node: u32) -> Conducting<'_> {
        let preference = self.options.preference;
        let retention = self.retention_at(node);
        self.graph
            .adjacency
            .at(node as usize, preference, retention)
    }

    fn reach(
        &self,
        node: u32,
        likelihood: f64,
        from: Option<(u32, usize)>,
        reached: &mut HashMap<u32, Reached>,
        frontier: &mut BinaryHeap<Frontier>,
    ) {
        if reached
            .get(&node)
            .is_some_and(|known| known.likelihood >= likelihood)
        {
            return;
        }
        reached.insert(node, Reached { likelihood, from });
        frontier.push(Frontier {
            likelihood,
            note: self.note_at(node),
            node,
        });
    }

    fn path_to(&self, target: u32, reached: &HashMap<u32, Reached>) -> Option<Path> {
        let mut steps = Vec::new();
        let mut node = target;
        loop {
            let here = reached.get(&node)?;
            let Some((from, position)) = here.from else {
                steps.reverse();
                return Some(Path {
                    source: self.note_at(node),
                    source_share: here.likelihood,
                    steps,
                });
            };
            steps.push(self.step(from, position, node));
            node = from;
        }
    }

    fn step(&self, from: u32, position: usize, to: u32) -> Step {
        let preference = self.options.preference;
        let adjacency = &self.graph.adjacency;
        let link = self.graph.structure[adjacency.links(from as usize)[position]];
        let edge = adjacency.rows(preference)[from as usize]
            .edges()
            .nth(position);
        Step {
            link: link.id,
            from: self.note_at(from),
            to: self.note_at(to),
            weight: self.retention_at(from) * link.intensity * factor(link.kind, preference),
            share: edge.map_or(0.0, |it| f64::from(it.weight)) / self.conducting(from).total(),
        }
    }

    fn note_at(&self, node: u32) -> NoteId {
        self.graph.structure[NodeIndex::new(node as usize)].id
    }
}
