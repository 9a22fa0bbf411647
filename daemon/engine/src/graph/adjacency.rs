//! The flat adjacency that walks run over: for each note the links that can conduct, with their
//! weights.
//!
//! What the walk needs of a link is computed when the link changes, not when it is walked: there
//! are two preferences only, and the source's retention is a common factor of all its links, which
//! cancels out unless it makes some of them inactive.

use petgraph::stable_graph::EdgeIndex;

use super::memory_graph::GraphLink;
use super::weight::{CONDUCTS_FROM, Preference, factor};

/// A link as the walk sees it: 16 bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Edge {
    /// Index of the note it leads to.
    pub target: u32,
    /// Its intensity.
    pub intensity: f32,
    /// Its weight at full retention, for each preference.
    pub weights: [f32; 2],
}

impl Edge {
    fn new(target: u32, link: &GraphLink) -> Self {
        Self {
            target,
            intensity: link.intensity as f32,
            weights: Preference::ALL.map(|it| (link.intensity * factor(link.kind, it)) as f32),
        }
    }
}

/// The links of one note that conduct, ordered by link id.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Outgoing {
    pub edges: Vec<Edge>,
    /// The same links in the structure, position by position.
    pub links: Vec<EdgeIndex>,
    /// Sum of the weights at full retention, for each preference.
    pub totals: [f64; 2],
    /// The least intensity; infinite without links.
    pub weakest: f32,
}

impl Default for Outgoing {
    fn default() -> Self {
        Self {
            edges: Vec::new(),
            links: Vec::new(),
            totals: [0.0; 2],
            weakest: f32::INFINITY,
        }
    }
}

impl Outgoing {
    /// Puts a link at its place, which `position` tells as a binary search does.
    pub fn insert(&mut self, position: usize, index: EdgeIndex, target: u32, link: &GraphLink) {
        self.edges.insert(position, Edge::new(target, link));
        self.links.insert(position, index);
        self.sum_up();
    }

    /// Takes the link at `position` away.
    pub fn remove(&mut self, position: usize) {
        self.edges.remove(position);
        self.links.remove(position);
        self.sum_up();
    }

    /// Whether every link still conducts when its source has faded to `retention`.
    pub fn conducts_whole(&self, retention: f64) -> bool {
        f64::from(self.weakest) * retention >= CONDUCTS_FROM
    }

    /// Sum of the weights (at full retention) of the links that conduct at `retention`.
    pub fn total_at(&self, retention: f64, preference: Preference) -> f64 {
        if self.conducts_whole(retention) {
            return self.totals[preference as usize];
        }
        let conducting = self.edges.iter().filter(|edge| edge.conducts(retention));
        conducting.map(|edge| edge.weight(preference)).sum()
    }

    /// Always from scratch and in order: sums that were kept up to date by adding and subtracting
    /// would depend on what happened before.
    fn sum_up(&mut self) {
        self.totals = Preference::ALL.map(|it| self.edges.iter().map(|edge| edge.weight(it)).sum());
        let intensities = self.edges.iter().map(|edge| edge.intensity);
        self.weakest = intensities.fold(f32::INFINITY, f32::min);
    }
}

impl Edge {
    /// Whether the link conducts when its source has faded to `retention`.
    pub fn conducts(&self, retention: f64) -> bool {
        f64::from(self.intensity) * retention >= CONDUCTS_FROM
    }

    /// The weight at full retention.
    pub fn weight(&self, preference: Preference) -> f64 {
        f64::from(self.weights[preference as usize])
    }
}
