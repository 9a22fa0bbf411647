//! The flat adjacency that walks run over: for each note the links that can conduct, with their
//! weights.
//!
//! What the walk needs of a link is computed when the link changes, not when it is walked: there
//! are two preferences only, and the source's retention is a common factor of all its links, which
//! cancels out unless it makes some of them inactive.
//!
//! A walk is bound by cache misses, so what every push reads is kept as small as it can be: 32
//! bytes a note and 8 bytes a link, for each preference on its own. The rest lies apart.

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

/// How many links of a note lie in its row itself; notes with more have them elsewhere.
const NEAR_EDGES: usize = 12;

/// The conducting links of one note, for one preference: two cache lines, next to each other.
#[derive(Debug, Clone, PartialEq)]
#[repr(align(64))]
pub(super) struct Row {
    /// Ordered by link id.
    pub edges: SmallVec<[Edge; NEAR_EDGES]>,
    /// Sum of the weights at full retention.
    total: f64,
    /// The least intensity; infinite without links.
    weakest: f32,
}

// A row never lies across more cache lines than it must.
const _: () = assert!(size_of::<Row>() == 128 && size_of::<Edge>() == 8);

/// What is needed beside the rows only where links are inactive, changed or shown.
#[derive(Debug, Default)]
struct Details {
    /// The links of the row in the structure, position by position.
    links: Vec<EdgeIndex>,
    /// Their intensities.
    intensities: Vec<f32>,
}

/// Rows and details by node index.
#[derive(Debug, Default)]
pub(super) struct Adjacency {
    rows: [Vec<Row>; 2],
    details: Vec<Details>,
}

impl Default for Row {
    fn default() -> Self {
        Self {
            edges: SmallVec::new(),
            total: 0.0,
            weakest: f32::INFINITY,
        }
    }
}

impl Row {
    /// Whether every link still conducts when its source has faded to `retention`.
    fn conducts_whole(&self, retention: f64) -> bool {
        f64::from(self.weakest) * retention >= CONDUCTS_FROM
    }
}

impl Adjacency {
    /// One more than the largest index there is room for.
    pub fn bound(&self) -> usize {
        self.details.len()
    }

    /// Makes room for node indexes under `bound`.
    pub fn make_room(&mut self, bound: usize) {
        if self.bound() < bound {
            self.details.resize_with(bound, Details::default);
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
        &self.details[node].links
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
        let details = &mut self.details[node];
        details.links.insert(position, index);
        details.intensities.insert(position, link.intensity as f32);
        for preference in Preference::ALL {
            let weight = (link.intensity * factor(link.kind, preference)) as f32;
            let edge = Edge { target, weight };
            self.change(node, preference, |edges| edges.insert(position, edge));
        }
    }

    /// Fills the rows of a note that have no links yet, in the order of the links' ids.
    pub fn fill(
        &mut self,
        node: usize,
        links: &(impl Iterator<Item = (EdgeIndex, u32, GraphLink)> + Clone),
    ) {
        let details = &mut self.details[node];
        details.links.extend(links.clone().map(|(index, ..)| index));
        let intensities = links.clone().map(|(.., link)| link.intensity as f32);
        details.intensities.extend(intensities);
        for preference in Preference::ALL {
            let edges = links.clone().map(|(_, target, link)| Edge {
                target,
                weight: (link.intensity * factor(link.kind, preference)) as f32,
            });
            self.change(node, preference, |row| row.extend(edges));
        }
    }

    /// Takes a link out of the rows of the note that it starts from.
    pub fn remove(&mut self, node: usize, position: usize) {
        let details = &mut self.details[node];
        details.links.remove(position);
        details.intensities.remove(position);
        for preference in Preference::ALL {
            self.change(node, preference, |edges| {
                edges.remove(position);
            });
        }
    }

    /// Sums are made anew and in order: kept up to date by adding and subtracting, they would
    /// depend on what happened before.
    fn change(
        &mut self,
        node: usize,
        preference: Preference,
        change: impl FnOnce(&mut SmallVec<[Edge; NEAR_EDGES]>),
    ) {
        let row = &mut self.rows[preference as usize][node];
        change(&mut row.edges);
        row.total = row.edges.iter().map(|edge| f64::from(edge.weight)).sum();
        let intensities = self.details[node].intensities.iter().copied();
        row.weakest = intensities.fold(f32::INFINITY, f32::min);
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
            intensities: &self.details[node].intensities,
            retention,
        };
        Conducting::Part(part)
    }
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
        self.row.edges.len()
    }

    /// The active links with their positions.
    pub fn edges(self) -> impl Iterator<Item = (usize, &'a Edge)> {
        let conducts = move |intensity: f32| f64::from(intensity) * self.retention >= CONDUCTS_FROM;
        self.row
            .edges
            .iter()
            .zip(self.intensities)
            .enumerate()
            .filter(move |(_, (_, intensity))| conducts(**intensity))
            .map(|(position, (edge, _))| (position, edge))
    }
}

impl<'a> Conducting<'a> {
    /// Sum of the weights, at full retention; 0 where nothing conducts.
    pub fn total(&self) -> f64 {
        match self {
            Self::Whole(row) => row.total,
            Self::Part(part) => part.edges().map(|(_, edge)| f64::from(edge.weight)).sum(),
        }
    }

    /// The links with their positions in the row.
    pub fn edges(&self) -> Vec<(usize, &'a Edge)> {
        match self {
            Self::Whole(row) => row.edges.iter().enumerate().collect(),
            Self::Part(part) => part.edges().collect(),
        }
    }
}
