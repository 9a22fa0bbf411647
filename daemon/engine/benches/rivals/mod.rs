//! Other ways to the scores of a walk: two as one would write them first, and forward push at its barest.

mod flat;

use std::collections::VecDeque;

use petgraph::visit::EdgeRef;
use soulmem_engine::graph::weight::{CONDUCTS_FROM, factor};
use soulmem_engine::graph::{NodeIndex, Preference, WalkOptions};
use soulmem_engine::model::NoteId;

use crate::power_law::{PowerLaw, Sources};

pub use flat::FlatPush;

/// The shares of the sources by note index.
fn shares(memory: &PowerLaw, sources: &Sources) -> Vec<(usize, f64)> {
    let total: f64 = sources.iter().map(|(_, weight)| weight).sum();
    let index = |note| memory.graph.index_of(note).expect("it is there").index();
    sources
        .iter()
        .map(|(note, weight)| (index(*note), weight / total))
        .collect()
}

fn best_of(memory: &PowerLaw, scores: &[f64], count: usize) -> Vec<NoteId> {
    let mut all: Vec<u32> = (0..scores.len() as u32).collect();
    best_among(memory, &mut all, |node| scores[node], count)
}

/// The best of some notes, of which there are more than `count`; the others are dropped.
fn best_among(
    memory: &PowerLaw,
    nodes: &mut Vec<u32>,
    score: impl Fn(usize) -> f64,
    count: usize,
) -> Vec<NoteId> {
    let by_score = |a: &u32, b: &u32| score(*b as usize).total_cmp(&score(*a as usize));
    nodes.select_nth_unstable_by(count, by_score);
    nodes.truncate(count);
    nodes.sort_unstable_by(by_score);
    let note = |node: &u32| {
        let index = NodeIndex::new(*node as usize);
        memory.graph.note(index).expect("it is there").id
    };
    nodes.iter().map(note).collect()
}

/// Forward push over `petgraph`'s edge lists.
pub struct PetgraphPush<'a> {
    memory: &'a PowerLaw,
    residues: Vec<f64>,
    scores: Vec<f64>,
    queued: Vec<bool>,
    queue: VecDeque<usize>,
}

impl<'a> PetgraphPush<'a> {
    /// With working memory for the graph.
    pub fn new(memory: &'a PowerLaw) -> Self {
        let bound = memory.graph.index_bound();
        Self {
            memory,
            residues: vec![0.0; bound],
            scores: vec![0.0; bound],
            queued: vec![false; bound],
            queue: VecDeque::new(),
        }
    }

    /// The best notes.
    pub fn best(&mut self, sources: &Sources, count: usize) -> Vec<NoteId> {
        self.residues.fill(0.0);
        self.scores.fill(0.0);
        for (node, share) in shares(self.memory, sources) {
            self.residues[node] += share;
            self.enqueue(node);
        }
        while let Some(node) = self.queue.pop_front() {
            self.queued[node] = false;
            self.push(node);
        }
        best_of(self.memory, &self.scores, count)
    }

    fn enqueue(&mut self, node: usize) {
        let bound = WalkOptions::default().residue;
        if self.residues[node] > bound && !self.queued[node] {
            self.queued[node] = true;
            self.queue.push_back(node);
        }
    }

    fn push(&mut self, node: usize) {
        let damping = WalkOptions::default().damping;
        let mass = std::mem::take(&mut self.residues[node]);
        self.scores[node] += (1.0 - damping) * mass;
        let structure = self.memory.graph.structure();
        let links: Vec<(usize, f64)> = structure
            .edges(NodeIndex::new(node))
            .filter(|edge| edge.weight().intensity >= CONDUCTS_FROM)
            .map(|edge| {
                let link = edge.weight();
                let weight = link.intensity * factor(link.kind, Preference::Situation);
                (edge.target().index(), weight)
            })
            .collect();
        let total: f64 = links.iter().map(|(_, weight)| weight).sum();
        for (target, weight) in links {
            self.residues[target] += damping * mass * weight / total;
            self.enqueue(target);
        }
    }
}

/// The transition probabilities as a sparse matrix, row by row.
pub struct Matrix<'a> {
    memory: &'a PowerLaw,
    starts: Vec<usize>,
    targets: Vec<u32>,
    probabilities: Vec<f64>,
}

impl<'a> Matrix<'a> {
    /// The matrix of a memory in which every note has links.
    pub fn of(memory: &'a PowerLaw) -> Self {
        let mut matrix = Self {
            memory,
            starts: vec![0],
            targets: Vec::new(),
            probabilities: Vec::new(),
        };
        let structure = memory.graph.structure();
        for node in structure.node_indices() {
            let first = matrix.targets.len();
            for edge in structure.edges(node) {
                let link = edge.weight();
                matrix.targets.push(edge.target().index() as u32);
                matrix
                    .probabilities
                    .push(link.intensity * factor(link.kind, Preference::Situation));
            }
            let total: f64 = matrix.probabilities[first..].iter().sum();
            for probability in &mut matrix.probabilities[first..] {
                *probability /= total;
            }
            matrix.starts.push(matrix.targets.len());
        }
        matrix
    }

    /// The best notes, by power iteration until the scores change by less than `until` in sum.
    pub fn best(&self, sources: &Sources, until: f64, count: usize) -> Vec<NoteId> {
        best_of(self.memory, &self.scores(sources, until), count)
    }

    fn scores(&self, sources: &Sources, until: f64) -> Vec<f64> {
        let damping = WalkOptions::default().damping;
        let mut restart = vec![0.0; self.starts.len() - 1];
        for (node, share) in shares(self.memory, sources) {
            restart[node] += share;
        }
        let mut scores = restart.clone();
        loop {
            let mut next: Vec<f64> = restart.iter().map(|it| (1.0 - damping) * it).collect();
            for (node, score) in scores.iter().enumerate() {
                let row = self.starts[node]..self.starts[node + 1];
                for (target, probability) in self.targets[row.clone()]
                    .iter()
                    .zip(&self.probabilities[row])
                {
                    next[*target as usize] += damping * score * probability;
                }
            }
            let change: f64 = next.iter().zip(&scores).map(|(a, b)| (a - b).abs()).sum();
            scores = next;
            if change < until {
                return scores;
            }
        }
    }
}
