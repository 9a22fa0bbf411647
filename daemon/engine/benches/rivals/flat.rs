//! Forward push at its barest: what the walk costs where nothing fades, changes or has to be explained.
//!
//! A list of 8-byte links for each note, residues and scores in single precision, first in first out, weights computed from
//! the links on the way, no branch in the inner loop that depends on the data.

use soulmem_engine::graph::weight::{CONFIDENCE_SHARE, OTHER, PREFERRED, SITUATION_CONFIDENCE};
use soulmem_engine::graph::{LinkKind, LinkView, NodeIndex, WalkOptions};
use soulmem_engine::model::NoteId;

use super::{best_among, shares};
use crate::power_law::{PowerLaw, Sources};

/// A link in eight bytes.
#[derive(Clone, Copy)]
struct Edge {
    target: u32,
    /// In parts of 65,535.
    intensity: u16,
    /// In parts of 255.
    confidence: u8,
    /// Which of the kind's two factors: 1 for the preferred kind.
    preferred: u8,
}

impl Edge {
    fn weight(self) -> f32 {
        const KIND: [f32; 2] = [OTHER as f32, PREFERRED as f32];
        let kind = KIND[usize::from(self.preferred)];
        let confidence = f32::from(self.confidence) / 255.0;
        let share = CONFIDENCE_SHARE as f32;
        f32::from(self.intensity) * (confidence * share + kind) / (share + kind)
    }
}

/// Forward push over flat lists.
pub struct FlatPush<'a> {
    memory: &'a PowerLaw,
    links: Vec<Vec<Edge>>,
    residues: Vec<f32>,
    scores: Vec<f32>,
    queue: Vec<u32>,
    touched: Vec<u32>,
    visited: Vec<u32>,
}

impl<'a> FlatPush<'a> {
    /// With the links of a memory in which none leads to an action.
    pub fn new(memory: &'a PowerLaw) -> Self {
        let bound = memory.graph.index_bound();
        let of = |index| {
            let note = memory.graph.note(NodeIndex::new(index)).expect("a note").id;
            let edge = |view: LinkView| {
                let (confidence, preferred) = match view.link.kind {
                    LinkKind::Sem { confidence } => (confidence, 0),
                    _ => (SITUATION_CONFIDENCE, 1),
                };
                let target = memory.graph.index_of(view.to).expect("a note");
                Edge {
                    target: target.index() as u32,
                    intensity: (view.link.intensity * 65_535.0) as u16,
                    confidence: (confidence * 255.0) as u8,
                    preferred,
                }
            };
            memory
                .graph
                .links_from(note)
                .into_iter()
                .map(edge)
                .collect()
        };
        Self {
            memory,
            links: (0..bound).map(of).collect(),
            residues: vec![0.0; bound],
            scores: vec![0.0; bound],
            queue: Vec::new(),
            touched: Vec::new(),
            visited: Vec::new(),
        }
    }

    /// The best notes.
    pub fn best(&mut self, sources: &Sources, count: usize) -> Vec<NoteId> {
        let (mut popped, mut queued, mut touched) = (0, 0, 0);
        for (node, share) in shares(self.memory, sources) {
            self.room(queued.max(touched) + 1);
            self.queue[queued] = node as u32;
            queued += usize::from(self.residues[node] == 0.0);
            self.touched[touched] = node as u32;
            touched += usize::from(self.residues[node] == 0.0);
            self.residues[node] += share as f32;
        }
        while popped < queued {
            let node = self.queue[popped] as usize;
            popped += 1;
            self.room(queued.max(touched) + self.links[node].len());
            let (more, new) = self.push(node, queued, touched);
            queued += more;
            touched += new;
        }
        let scores = &self.scores;
        let best = best_among(
            self.memory,
            &mut self.visited,
            |node| f64::from(scores[node]),
            count,
        );
        for node in &self.touched[..touched] {
            self.residues[*node as usize] = 0.0;
            self.scores[*node as usize] = 0.0;
        }
        self.visited.clear();
        best
    }

    fn room(&mut self, needed: usize) {
        if self.queue.len() < needed {
            self.queue.resize(2 * needed, 0);
            self.touched.resize(2 * needed, 0);
        }
    }

    fn push(&mut self, node: usize, queued: usize, touched: usize) -> (usize, usize) {
        let options = WalkOptions::default();
        let (damping, bound) = (options.damping as f32, options.residue as f32);
        let mass = std::mem::take(&mut self.residues[node]);
        if self.scores[node] == 0.0 {
            self.visited.push(node as u32);
        }
        self.scores[node] += (1.0 - damping) * mass;
        let links = &self.links[node];
        let total: f32 = links.iter().map(|edge| edge.weight()).sum();
        let per_weight = damping * mass / total;
        let queue = &mut self.queue[queued..][..links.len()];
        let touched = &mut self.touched[touched..][..links.len()];
        let (mut more, mut new) = (0, 0);
        for edge in links {
            let residue = &mut self.residues[edge.target as usize];
            let before = *residue;
            let after = before + per_weight * edge.weight();
            *residue = after;
            queue[more] = edge.target;
            more += usize::from(before <= bound) & usize::from(after > bound);
            touched[new] = edge.target;
            new += usize::from(before == 0.0);
        }
        (more, new)
    }
}
