//! The flat adjacency that walks run over: for each note the links that can conduct, with their
//! weights.
//!
//! What the walk needs of a link is computed when the link changes, not when it is walked: there
//! are two preferences only, and the source's retention is a common factor of all its links, which
//! cancels out unless it makes some of them inactive.
//!
//! A walk is bound by cache misses, so what every push reads is kept together: a row of two cache
//! lines for each note and preference, with 8 bytes for each of its first links. The rest lies apart.

use petgraph::stable_graph::EdgeIndex;
use smallvec::SmallVec;

use super::memory_graph::GraphLink;
use super::weight::{CONDUCTS_FROM, Preference, factor};

/// A link as the walk sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Edge {
    /// Index of the note it leads to.
    pub target: u32,
    /// Its weight at full retention.
    pub weight: f32,
}

/// How many links of a note lie in its row itself; notes with more have the others elsewhere.
pub(super) const NEAR: usize = 12;

/// The conducting links of one note, for one preference, ordered by link id: two cache lines, next to each other.
///
/// Targets and weights lie apart, so that all near ones are copied and multiplied at once, however many are in use.
#[derive(Debug, Clone)]
#[repr(align(64))]
pub(super) struct Row {
    /// Targets of the first links; past the last link, anything.
    pub near_targets: [u32; NEAR],
    /// Their weights.
    pub near_weights: [f32; NEAR],
    /// The links after those.
    pub far: Box<[Edge]>,
    /// Sum of the weights at full retention.
    pub total: f64,
    /// How many links there are.
    len: u32,
    /// The least intensity; infinite without links.
    weakest: f32,
}

// A row never lies across more cache lines than it must.
const _: () = assert!(size_of::<Row>() == 128 && size_of::<Edge>() == 8);

/// Intensities of the links of a row, position by position; those of the near links lie in one cache line.
type Intensities = SmallVec<[f32; NEAR]>;

/// Rows by node index, and what is needed beside them only where links are inactive, changed or shown.
#[derive(Debug, Default)]
pub(super) struct Adjacency {
    rows: [Vec<Row>; 2],
    /// The links of the rows in the structure, position by position.
    links: Vec<Vec<EdgeIndex>>,
    intensities: Vec<Intensities>,
}

impl Default for Row {
    fn default() -> Self {
        Self {
            near_targets: [0; NEAR],
            near_weights: [0.0; NEAR],
            far: Box::default(),
            total: 0.0,
            len: 0,
            weakest: f32::INFINITY,
        }
    }
}

impl Row {
    fn of(edges: &[Edge], intensities: &[f32]) -> Self {
        let (near, far) = edges.split_at(edges.len().min(NEAR));
        let mut row = Self {
            far: far.into(),
            // Made anew and in order: kept up to date by adding and subtracting, it would depend on what happened before.
            total: edges.iter().map(|edge| f64::from(edge.weight)).sum(),
            len: edges.len() as u32,
            weakest: intensities.iter().copied().fold(f32::INFINITY, f32::min),
            ..Self::default()
        };
        for (place, edge) in near.iter().enumerate() {
            row.near_targets[place] = edge.target;
            row.near_weights[place] = edge.weight;
        }
        row
    }

    /// How many links there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// The links.
    pub fn edges(&self) -> impl Iterator<Item = Edge> {
        let near = self.near_targets.iter().zip(&self.near_weights);
        near.take(self.len())
            .map(|(&target, &weight)| Edge { target, weight })
            .chain(self.far.iter().copied())
    }

    /// Whether every link still conducts when its source has faded to `retention`.
    #[inline]
    fn conducts_whole(&self, retention: f64) -> bool {
        f64::from(self.weakest) * retention >= CONDUCTS_FROM
    }
}

impl Adjacency {
    /// One more than the largest index there is room for.
    pub fn bound(&self) -> usize {
        self.links.len()
    }

    /// Makes room for node indexes under `bound`.
    pub fn make_room(&mut self, bound: usize) {
        if self.bound() < bound {
            self.links.resize_with(bound, Vec::new);
            self.intensities.resize_with(bound, Intensities::new);
            for rows in &mut self.rows {
                rows.resize_with(bound, Row::default);
            }
        }
    }

    /// The rows of all notes, for one preference.
    pub fn rows(&self, preference: Preference) -> &[Row] {
        &self.rows[preference as usize]
    }

    /// The links of a note's row in the structure, position by position.
    pub fn links(&self, node: usize) -> &[EdgeIndex] {
        &self.links[node]
    }

    /// Puts a link into the rows of the note that it starts from.
    pub fn insert(
        &mut self,
        node: usize,
        position: usize,
        index: EdgeIndex,
        target: u32,
        link: &GraphLink,
    ) {
        self.links[node].insert(position, index);
        self.intensities[node].insert(position, link.intensity as f32);
        for preference in Preference::ALL {
            self.change(node, preference, |edges| {
                edges.insert(position, edge(target, link, preference));
            });
        }
    }

    /// Fills the rows of a note that have no links yet, in the order of the links' ids.
    pub fn fill(
        &mut self,
        node: usize,
        links: &(impl Iterator<Item = (EdgeIndex, u32, GraphLink)> + Clone),
    ) {
        self.links[node].extend(links.clone().map(|(index, ..)| index));
        let intensities = links.clone().map(|(.., link)| link.intensity as f32);
        self.intensities[node].extend(intensities);
        for preference in Preference::ALL {
            let made = links
                .clone()
                .map(|(_, target, link)| edge(target, &link, preference));
            self.change(node, preference, |edges| edges.extend(made));
        }
    }

    /// Takes a link out of the rows of the note that it starts from.
    pub fn remove(&mut self, node: usize, position: usize) {
        self.links[node].remove(position);
        self.intensities[node].remove(position);
        for preference in Preference::ALL {
            self.change(node, preference, |edges| {
                edges.remove(position);
            });
        }
    }

    fn change(
        &mut self,
        node: usize,
        preference: Preference,
        change: impl FnOnce(&mut SmallVec<[Edge; NEAR]>),
    ) {
        let row = &mut self.rows[preference as usize][node];
        let mut edges = row.edges().collect();
        change(&mut edges);
        *row = Row::of(&edges, &self.intensities[node]);
    }

    /// The links that conduct when the note has faded to `retention`.
    #[inline]
    pub fn at(&self, node: usize, preference: Preference, retention: f64) -> Conducting<'_> {
        let row = &self.rows[preference as usize][node];
        if row.conducts_whole(retention) {
            return Conducting::Whole(row);
        }
        let part = Part {
            row,
            intensities: &self.intensities[node],
            retention,
        };
        Conducting::Part(part)
    }
}

fn edge(target: u32, link: &GraphLink, preference: Preference) -> Edge {
    let weight = (link.intensity * factor(link.kind, preference)) as f32;
    Edge { target, weight }
}

/// The links of a note that conduct at some retention.
pub(super) enum Conducting<'a> {
    /// All of them.
    Whole(&'a Row),
    /// Not all; perhaps none.
    Part(Part<'a>),
}

/// A row of which some links are inactive.
#[derive(Clone, Copy)]
pub(super) struct Part<'a> {
    row: &'a Row,
    intensities: &'a [f32],
    retention: f64,
}

impl<'a> Part<'a> {
    /// How many links there are, inactive ones too.
    pub fn len(self) -> usize {
        self.row.len()
    }

    /// Each link, and whether it is active.
    #[inline]
    pub fn edges(self) -> impl Iterator<Item = (Edge, bool)> + use<'a> {
        let conducts = move |intensity: f32| f64::from(intensity) * self.retention >= CONDUCTS_FROM;
        self.row
            .edges()
            .zip(self.intensities)
            .map(move |(edge, &intensity)| (edge, conducts(intensity)))
    }
}

impl Conducting<'_> {
    /// Sum of the weights, at full retention; 0 where nothing conducts.
    pub fn total(&self) -> f64 {
        match self {
            Self::Whole(row) => row.total,
            Self::Part(_) => {
                let edges = self.edges();
                edges.iter().map(|(_, edge)| f64::from(edge.weight)).sum()
            }
        }
    }

    /// The active links with their positions in the row.
    pub fn edges(&self) -> Vec<(usize, Edge)> {
        match self {
            Self::Whole(row) => row.edges().enumerate().collect(),
            Self::Part(part) => {
                let edges = part.edges().enumerate();
                let active = edges.filter(|(_, (_, conducts))| *conducts);
                active.map(|(place, (edge, _))| (place, edge)).collect()
            }
        }
    }
}
