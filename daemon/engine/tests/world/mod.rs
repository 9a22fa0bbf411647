//! Random memories as plain data, with the exact scores of a walk computed on their own.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use soulmem_engine::graph::*;
use soulmem_engine::model::*;
use uuid::Uuid;

/// A memory as plain data.
#[derive(Debug, Clone)]
pub struct World {
    /// Kind and retention of each note.
    pub notes: Vec<(NoteKind, f64)>,
    /// From, to, intensity, type.
    pub links: Vec<(usize, usize, f64, LinkType)>,
    /// Notes with weights; a note past the end does not exist.
    pub sources: Vec<(usize, f64)>,
    pub options: WalkOptions,
}

pub fn note_id(note: usize) -> NoteId {
    // Scattered, so that the order of ids is not the order of writing.
    NoteId(Uuid::from_u128(
        (note as u128 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835),
    ))
}

pub fn link_id(link: usize) -> LinkId {
    LinkId(Uuid::from_u128(
        (link as u128 + 1).wrapping_mul(0xd134_2543_de82_ef95_2545_f491_4f6c_dd1d),
    ))
}

impl World {
    pub fn memory_link(&self, position: usize) -> MemoryLink {
        let (from, to, intensity, link_type) = self.links[position].clone();
        MemoryLink {
            id: link_id(position),
            from: note_id(from),
            to: note_id(to),
            intensity,
            link_type,
        }
    }

    pub fn graph(&self) -> MemoryGraph {
        let mut graph = MemoryGraph::new();
        for (note, (kind, _)) in self.notes.iter().enumerate() {
            graph.add_note(note_id(note), *kind);
        }
        for position in 0..self.links.len() {
            graph
                .put_link(&self.memory_link(position))
                .expect("a valid link");
        }
        graph
    }

    pub fn given_sources(&self) -> Vec<(NoteId, f64)> {
        self.sources
            .iter()
            .map(|(note, weight)| (note_id(*note), *weight))
            .collect()
    }

    /// Scores of all notes by number, with the sum of the residues left and the error bound.
    pub fn walk(&self, graph: &MemoryGraph, scratch: &mut Scratch) -> (Vec<f64>, f64, f64) {
        let retained: BTreeMap<NodeIndex, f64> = (0..self.notes.len())
            .filter_map(|note| Some((graph.index_of(note_id(note))?, self.notes[note].1)))
            .collect();
        let retention = |index: NodeIndex| retained[&index];
        let sources = self.given_sources();
        let found = walk(graph, &sources, &self.options, retention, scratch).expect("good options");
        let scores = (0..self.notes.len())
            .map(|note| found.score(note_id(note)))
            .collect();
        (scores, found.left(), found.error_bound())
    }

    /// The weight of a link by the formula of the memory model, in double precision.
    fn weight(&self, link: &(usize, usize, f64, LinkType)) -> f64 {
        let (from, to, intensity, link_type) = link;
        let effective = self.notes[*from].1 * intensity;
        if self.notes[*to].0 == NoteKind::Procedure || effective < 0.05 {
            return 0.0;
        }
        let situation = self.options.preference == Preference::Situation;
        let (confidence, preferred) = match link_type {
            LinkType::Sem(sem) => (sem.confidence, !situation),
            LinkType::Situation(_) => (0.8, situation),
            LinkType::Proc(_) => return 0.0,
        };
        let preferred = if preferred { 1.0 } else { 0.5 };
        effective * (confidence * 0.8 + preferred) / (0.8 + preferred)
    }

    /// `ppr = d·P·ppr + (1−d)·s` by power iteration over a dense matrix, until nothing changes.
    pub fn exact(&self) -> Vec<f64> {
        let count = self.notes.len();
        let mut shares = vec![0.0; count];
        for (note, weight) in self.sources.iter().filter(|(note, _)| *note < count) {
            shares[*note] += weight;
        }
        let total: f64 = shares.iter().sum();
        if total == 0.0 {
            return vec![0.0; count];
        }
        for share in &mut shares {
            *share /= total;
        }
        let mut matrix = vec![vec![0.0; count]; count];
        for link in &self.links {
            matrix[link.0][link.1] += self.weight(link);
        }
        for row in &mut matrix {
            let sum: f64 = row.iter().sum();
            if sum > 0.0 {
                for weight in row.iter_mut() {
                    *weight /= sum;
                }
            } else {
                row.clone_from(&shares);
            }
        }
        let damping = self.options.damping;
        let mut scores = shares.clone();
        loop {
            let mut next: Vec<f64> = shares.iter().map(|share| (1.0 - damping) * share).collect();
            for (score, row) in scores.iter().zip(&matrix) {
                for (sum, probability) in next.iter_mut().zip(row) {
                    *sum += damping * score * probability;
                }
            }
            let change: f64 = next.iter().zip(&scores).map(|(a, b)| (a - b).abs()).sum();
            scores = next;
            if change < 1e-13 {
                return scores;
            }
        }
    }
}

fn kind() -> impl Strategy<Value = NoteKind> {
    prop_oneof![
        3 => Just(NoteKind::Semantic),
        3 => Just(NoteKind::SpecificSituation),
        2 => Just(NoteKind::AbstractSituation),
        1 => Just(NoteKind::Procedure),
    ]
}

fn link_type() -> impl Strategy<Value = LinkType> {
    prop_oneof![
        3 => (0.0..=1.0f64).prop_map(|confidence| LinkType::Sem(SemLink {
            verb: "near".into(),
            confidence,
        })),
        1 => Just(LinkType::Situation(SituationLink::AbstractToSpecific {})),
        1 => Just(LinkType::Situation(SituationLink::SpecificToAbstract {})),
        1 => (0.0..=1.0f64).prop_map(|prob| LinkType::Proc(ProcLink::TrigToAction { prob })),
    ]
}

fn intensity() -> impl Strategy<Value = f64> {
    prop_oneof![1 => Just(0.0), 1 => 0.0..0.06f64, 6 => 0.05..2.0f64, 1 => 0.0..1e6f64]
}

/// Which notes link to which.
#[derive(Debug, Clone)]
enum Shape {
    Random(Vec<(Index, Index)>),
    Cycle,
    /// Everything to note 0, and note 0 to everything.
    Hub,
    /// Two halves without a link between them.
    Apart(Vec<(Index, Index)>),
    /// Each note to the next; the last has no link.
    Chain,
    /// No links at all.
    Bare,
}

impl Shape {
    fn ends(&self, count: usize) -> Vec<(usize, usize)> {
        let half = count.div_ceil(2);
        let ends: Vec<(usize, usize)> = match self {
            Self::Random(pairs) => pairs
                .iter()
                .map(|(a, b)| (a.index(count), b.index(count)))
                .collect(),
            Self::Cycle => (0..count).map(|note| (note, (note + 1) % count)).collect(),
            Self::Hub => (1..count).flat_map(|note| [(note, 0), (0, note)]).collect(),
            Self::Apart(pairs) => pairs
                .iter()
                .map(|(a, b)| (a.index(count), b.index(half)))
                .map(|(a, b)| {
                    if a < half {
                        (a, b)
                    } else {
                        (a, (b + half).min(count - 1))
                    }
                })
                .collect(),
            Self::Chain => (1..count).map(|note| (note - 1, note)).collect(),
            Self::Bare => Vec::new(),
        };
        ends.into_iter().filter(|(from, to)| from != to).collect()
    }
}

fn shape() -> impl Strategy<Value = Shape> {
    let pairs = || vec(any::<(Index, Index)>(), 0..1_200);
    prop_oneof![
        4 => pairs().prop_map(Shape::Random),
        1 => Just(Shape::Cycle),
        1 => Just(Shape::Hub),
        1 => pairs().prop_map(Shape::Apart),
        1 => Just(Shape::Chain),
        1 => Just(Shape::Bare),
    ]
}

fn options() -> impl Strategy<Value = WalkOptions> {
    (
        prop_oneof![4 => Just(0.65), 1 => Just(0.0), 2 => 0.0..0.95f64],
        prop_oneof![4 => Just(1e-5), 1 => Just(1.0), 2 => 1e-9..1e-2f64],
        prop_oneof![Just(Preference::Situation), Just(Preference::Semantic)],
    )
        .prop_map(|(damping, residue, preference)| WalkOptions {
            damping,
            residue,
            preference,
        })
}

/// Up to 300 notes; sources one or many, of weight 0 too, or none that exists.
pub fn world() -> impl Strategy<Value = World> {
    let retention = prop_oneof![5 => Just(1.0), 2 => 0.0..=1.0f64, 1 => Just(0.0)];
    let source_weight = prop_oneof![1 => Just(0.0), 6 => 0.0..10.0f64];
    (
        vec((kind(), retention), 1..=300),
        shape(),
        vec((intensity(), link_type()), 32),
        prop_oneof![1 => Just(true), 12 => Just(false)],
        vec((any::<Index>(), source_weight), 0..12),
        options(),
    )
        .prop_map(|(notes, shape, properties, all_zero, sources, options)| {
            let links = shape
                .ends(notes.len())
                .into_iter()
                .enumerate()
                .map(|(position, (from, to))| {
                    let (intensity, link_type) = &properties[position * 7 % properties.len()];
                    let intensity = if all_zero { 0.0 } else { *intensity };
                    (from, to, intensity, link_type.clone())
                })
                .collect();
            // One place past the last note, so that some sources do not exist.
            let sources = sources
                .into_iter()
                .map(|(index, weight)| (index.index(notes.len() + 1), weight))
                .collect();
            World {
                notes,
                links,
                sources,
                options,
            }
        })
}
