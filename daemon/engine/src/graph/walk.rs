//! Personalized `PageRank` by forward push.
//!
//! From weighted sources the walk steps along links in proportion to their weights, and at each
//! step returns to the sources with probability `1 − d`. A note's score is how often the walk is
//! there: `ppr = d·P·ppr + (1−d)·s`, with `s` the sources' shares.
//!
//! Forward push (Andersen, Chung, Lang: Local Graph Partitioning using `PageRank` Vectors, 2006)
//! keeps for each note a score and a residue, at first the source's share. A push turns `1 − d` of
//! a residue into score and passes the rest on to the targets of the note's links. What is pushed
//! is all that is ever looked at, so that the cost hardly depends on the size of the memory.

use petgraph::stable_graph::NodeIndex;
use thiserror::Error;

use super::memory_graph::{MemoryGraph, NoteNode};
use super::push::{Done, push_all};
use super::scratch::Scratch;
use super::weight::Preference;
use crate::model::NoteId;

/// How far two weights may differ, relative to each other, by being kept in single precision.
const WEIGHT_ROUNDING: f64 = 1.0 / (1u32 << 23) as f64;

/// How a walk is done.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WalkOptions {
    /// Probability of going on at each step: from 0 to under 1.
    pub damping: f64,
    /// The walk is done when no note holds more than this part of the whole as residue: over 0, at
    /// most 1.
    pub residue: f64,
    /// Which kind of link is preferred.
    pub preference: Preference,
}

impl Default for WalkOptions {
    fn default() -> Self {
        Self {
            damping: 0.65,
            residue: 1e-5,
            preference: Preference::Situation,
        }
    }
}

/// A walk that is refused.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum WalkError {
    /// The damping is out of range. At 1 the walk would never return, and never end.
    #[error("damping is {0}, must be from 0 to under 1")]
    Damping(f64),
    /// The residue is out of range.
    #[error("residue is {0}, must be over 0 and at most 1")]
    Residue(f64),
    /// The weight of a source is out of range.
    #[error("the source {note} has the weight {weight}, must be a number of 0 or more")]
    SourceWeight {
        /// Which source.
        note: NoteId,
        /// Its weight.
        weight: f64,
    },
}

/// A note with its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scored {
    /// Which note.
    pub note: NoteId,
    /// How often the walk is there, from 0 to 1.
    pub score: f64,
}

/// What a walk found; it lives in the scratch until the next one begins.
#[derive(Debug)]
pub struct Walk<'a, R> {
    pub(super) graph: &'a MemoryGraph,
    pub(super) scratch: &'a Scratch,
    pub(super) options: WalkOptions,
    pub(super) retention: R,
    pub(super) sources: Vec<(NodeIndex, f64)>,
    unknown: Vec<NoteId>,
    done: Done,
}

/// Walks from all sources at once.
///
/// # Arguments
///
/// - `sources`: notes with their weights, of any sum. The same note twice counts with both
///   weights; notes that are not there are left out and told by [`Walk::unknown_sources`].
/// - `retention`: how much of a note is retained, from 0 to 1, by its index. Called once for each
///   push. Links whose intensity times this is under
///   [`CONDUCTS_FROM`](super::weight::CONDUCTS_FROM) are inactive. `|_| 1.0` where nothing fades;
///   a value that is not a number counts as 0.
///
/// A note without active links passes its mass back to the sources, in proportion to their weights.
///
/// # Errors
///
/// [`WalkError`] for options or weights out of range.
///
/// # Complexity
///
/// At most `1 / ((1 − damping) · residue)` pushes, [`MAX_PUSHES`](super::MAX_PUSHES) in any case, each as long as the
/// note has links.
///
/// ```
/// use soulmem_engine::graph::{MemoryGraph, Scratch, WalkOptions, walk};
/// use soulmem_engine::model::{
///     IdSource, LinkDraft, LinkType, NoteKind, SequentialIds, SituationLink,
/// };
///
/// let ids = SequentialIds::new();
/// let (storm, rain) = (ids.note_id(), ids.note_id());
/// let kind = LinkType::Situation(SituationLink::SpecificToAbstract {});
/// let link = LinkDraft::new(rain, kind).starting_from(storm).build(&ids)?;
/// let mut graph = MemoryGraph::new();
/// graph.add_note(storm, NoteKind::SpecificSituation);
/// graph.add_note(rain, NoteKind::AbstractSituation);
/// graph.put_link(&link)?;
///
/// let mut scratch = Scratch::new();
/// let options = WalkOptions::default();
/// let found = walk(&graph, &[(storm, 0.8)], &options, |_| 1.0, &mut scratch)?;
/// // The walk is at one of the two at any time: ppr(rain) = 0.65 · ppr(storm).
/// assert!((found.score(storm) - 1.0 / 1.65).abs() < found.error_bound());
/// assert!((found.score(rain) - 0.65 / 1.65).abs() < found.error_bound());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn walk<'a, R: Fn(NodeIndex) -> f64>(
    graph: &'a MemoryGraph,
    sources: &[(NoteId, f64)],
    options: &WalkOptions,
    retention: R,
    scratch: &'a mut Scratch,
) -> Result<Walk<'a, R>, WalkError> {
    check(options, sources)?;
    let (sources, unknown) = resolve(graph, sources);
    scratch.begin(graph.index_bound());
    let done = push_all(&graph.adjacency, &sources, options, &retention, scratch);
    Ok(Walk {
        graph,
        scratch,
        options: *options,
        retention,
        sources,
        unknown,
        done,
    })
}

fn check(options: &WalkOptions, sources: &[(NoteId, f64)]) -> Result<(), WalkError> {
    if !(0.0..1.0).contains(&options.damping) {
        return Err(WalkError::Damping(options.damping));
    }
    if !(options.residue > 0.0 && options.residue <= 1.0) {
        return Err(WalkError::Residue(options.residue));
    }
    match sources
        .iter()
        .find(|(_, weight)| !(weight.is_finite() && *weight >= 0.0))
    {
        Some(&(note, weight)) => Err(WalkError::SourceWeight { note, weight }),
        None => Ok(()),
    }
}

/// The shares of the sources that are there, in an order that does not depend on how they were
/// given, and the sources that are not there.
fn resolve(graph: &MemoryGraph, sources: &[(NoteId, f64)]) -> (Vec<(NodeIndex, f64)>, Vec<NoteId>) {
    let mut given = sources.to_vec();
    given.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut unknown = Vec::new();
    let mut known: Vec<(NodeIndex, f64)> = Vec::with_capacity(given.len());
    let largest = given
        .iter()
        .fold(0.0, |max, (_, weight)| f64::max(max, *weight));
    for (note, weight) in given {
        let Some(index) = graph.index_of(note) else {
            unknown.push(note);
            continue;
        };
        if weight == 0.0 {
            continue;
        }
        // Divided by the largest first, the sum of any weights stays finite.
        let weight = weight / largest;
        match known.last_mut() {
            Some((last, sum)) if *last == index => *sum += weight,
            _ => known.push((index, weight)),
        }
    }
    unknown.dedup();
    let total: f64 = known.iter().map(|(_, weight)| weight).sum();
    for (_, weight) in &mut known {
        *weight /= total;
    }
    (known, unknown)
}

impl<R> Walk<'_, R> {
    /// The score of a note: 0 where the walk did not come.
    pub fn score(&self, note: NoteId) -> f64 {
        let index = self.graph.index_of(note);
        index.map_or(0.0, |index| self.scratch.scores[index.index()])
    }

    /// The `count` notes with the highest scores, best first, ties by note id.
    pub fn top(&self, count: usize) -> Vec<Scored> {
        self.top_of(count, |_| true)
    }

    /// As [`top`](Self::top), of those notes only that `wanted` says.
    pub fn top_of(&self, count: usize, wanted: impl Fn(&NoteNode) -> bool) -> Vec<Scored> {
        let notes = &self.graph.structure;
        let id = |node: u32| notes[NodeIndex::new(node as usize)].id;
        let order = |a: &(f64, u32), b: &(f64, u32)| {
            b.0.total_cmp(&a.0).then_with(|| id(a.1).cmp(&id(b.1)))
        };
        // The best so far, cut back whenever they are many; what is under the last of them then
        // costs no more than a comparison.
        let room = count.saturating_mul(2).saturating_add(64);
        let mut best: Vec<(f64, u32)> = Vec::new();
        let mut floor = 0.0;
        for &node in self.scratch.visited.as_slice() {
            let score = self.scratch.scores[node as usize];
            if score >= floor && wanted(&notes[NodeIndex::new(node as usize)]) {
                best.push((score, node));
            }
            if best.len() >= room {
                best.select_nth_unstable_by(count, order);
                floor = best[count].0;
                best.truncate(count);
            }
        }
        best.sort_unstable_by(order);
        best.truncate(count);
        let scored = |(score, node)| Scored {
            note: id(node),
            score,
        };
        best.into_iter().map(scored).collect()
    }

    /// How many notes have a score.
    pub fn reached(&self) -> usize {
        self.scratch.visited.as_slice().len()
    }

    /// The sum of the residues left: as much is missing from the scores, whose sum with this is 1.
    /// 0 where no source is there.
    pub fn left(&self) -> f64 {
        self.done.left
    }

    /// The most that the scores may differ from the exact ones, summed over all notes: what is
    /// left, and what keeping the links' weights in single precision can do.
    pub fn error_bound(&self) -> f64 {
        let damping = self.options.damping;
        self.done.left + WEIGHT_ROUNDING * damping / (1.0 - damping)
    }

    /// How many pushes it took.
    pub fn pushes(&self) -> u64 {
        self.done.pushes
    }

    /// Sources that are not in the graph, ordered by id.
    pub fn unknown_sources(&self) -> &[NoteId] {
        &self.unknown
    }
}
