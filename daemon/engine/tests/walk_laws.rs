//! The walk against an independent computation, and its laws, on random graphs of every shape.

// Bit-identical results are the law here.
#![allow(clippy::float_cmp)]

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use soulmem_engine::graph::*;
use soulmem_engine::model::*;
use uuid::Uuid;

/// A memory as plain data.
#[derive(Debug, Clone)]
struct World {
    /// Kind and retention of each note.
    notes: Vec<(NoteKind, f64)>,
    /// From, to, intensity, type.
    links: Vec<(usize, usize, f64, LinkType)>,
    /// Notes with weights; a note past the end does not exist.
    sources: Vec<(usize, f64)>,
    options: WalkOptions,
}

fn note_id(note: usize) -> NoteId {
    // Scattered, so that the order of ids is not the order of writing.
    NoteId(Uuid::from_u128(
        (note as u128 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835),
    ))
}

fn link_id(link: usize) -> LinkId {
    LinkId(Uuid::from_u128(
        (link as u128 + 1).wrapping_mul(0xd134_2543_de82_ef95_2545_f491_4f6c_dd1d),
    ))
}

impl World {
    fn memory_link(&self, position: usize) -> MemoryLink {
        let (from, to, intensity, link_type) = self.links[position].clone();
        MemoryLink {
            id: link_id(position),
            from: note_id(from),
            to: note_id(to),
            intensity,
            link_type,
        }
    }

    fn graph(&self) -> MemoryGraph {
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

    fn given_sources(&self) -> Vec<(NoteId, f64)> {
        self.sources
            .iter()
            .map(|(note, weight)| (note_id(*note), *weight))
            .collect()
    }

    /// Scores of all notes by number, with the sum of the residues left and the error bound.
    fn walk(&self, graph: &MemoryGraph, scratch: &mut Scratch) -> (Vec<f64>, f64, f64) {
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
    fn exact(&self) -> Vec<f64> {
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
fn world() -> impl Strategy<Value = World> {
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

fn distance(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(a, b)| (a - b).abs()).sum()
}

/// What sums of some thousand doubles may be off by.
const ROUNDING: f64 = 1e-12;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn scores_are_as_near_to_the_exact_ones_as_the_walk_says(world in world()) {
        let graph = world.graph();
        let (scores, left, bound) = world.walk(&graph, &mut Scratch::new());
        let exact = world.exact();
        prop_assert!(distance(&scores, &exact) <= bound + ROUNDING);
        // What is missing is what is left, and nothing is too much but by rounding of weights.
        let missing = exact.iter().sum::<f64>() - scores.iter().sum::<f64>();
        prop_assert!((missing - left).abs() <= ROUNDING);
        prop_assert!(scores.iter().all(|score| (0.0..=1.0).contains(score)));
    }

    #[test]
    fn the_same_walk_gives_the_same_bits(world in world(), before in world()) {
        let graph = world.graph();
        let mut used = Scratch::new();
        before.walk(&before.graph(), &mut used);
        let fresh = world.walk(&graph, &mut Scratch::new());
        prop_assert_eq!(&world.walk(&graph, &mut used), &fresh);
        prop_assert_eq!(&world.walk(&graph, &mut used), &fresh);
        let mut turned = world.clone();
        turned.sources.reverse();
        prop_assert_eq!(&turned.walk(&graph, &mut used), &fresh);
    }

    #[test]
    fn neither_order_nor_what_was_removed_shows(
        world in world(),
        order in any::<u64>(),
        passing in vec((any::<Index>(), any::<Index>()), 0..20),
    ) {
        let expected = world.walk(&world.graph(), &mut Scratch::new());
        let mut graph = MemoryGraph::new();
        // Links before their targets, notes that come and go in between, links put twice.
        let count = world.notes.len();
        let mut notes: Vec<usize> = (0..count).collect();
        notes.sort_by_key(|note| (*note as u64 + 1).wrapping_mul(order | 1));
        let stranger = |number: usize| note_id(count + 10 + number);
        for (step, &note) in notes.iter().enumerate() {
            graph.add_note(note_id(note), world.notes[note].0);
            if step % 3 == 0 {
                graph.add_note(stranger(step), NoteKind::Semantic);
            }
            for position in (0..world.links.len()).rev().filter(|it| world.links[*it].0 == note) {
                graph.put_link(&world.memory_link(position)).unwrap();
            }
        }
        for (number, (a, b)) in passing.iter().enumerate() {
            let (from, to) = (a.index(count), b.index(count));
            let id = link_id(world.links.len() + number);
            let link_type = LinkType::Situation(SituationLink::AbstractToSpecific {});
            if from != to {
                let passing = MemoryLink { id, from: note_id(from), to: note_id(to), intensity: 1.0, link_type };
                graph.put_link(&passing).unwrap();
                graph.put_link(&MemoryLink { from: passing.to, to: passing.from, ..passing }).unwrap();
                prop_assert!(graph.remove_link(id));
            }
        }
        for step in (0..count).step_by(3) {
            graph.remove_note(stranger(step));
        }
        prop_assert_eq!(graph.link_count(), world.links.len());
        prop_assert_eq!(world.walk(&graph, &mut Scratch::new()), expected);
    }

    #[test]
    fn the_top_is_the_beginning_of_all_in_order(world in world(), count in 0usize..20) {
        let graph = world.graph();
        let mut scratch = Scratch::new();
        let sources = world.given_sources();
        let found = walk(&graph, &sources, &world.options, |_| 1.0, &mut scratch).unwrap();
        let mut all: Vec<Scored> = (0..world.notes.len())
            .map(|note| Scored { note: note_id(note), score: found.score(note_id(note)) })
            .filter(|scored| scored.score > 0.0)
            .collect();
        all.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.note.cmp(&b.note)));
        prop_assert_eq!(found.reached(), all.len());
        prop_assert_eq!(&found.top(usize::MAX), &all);
        all.truncate(count);
        prop_assert_eq!(found.top(count), all);
    }

    #[test]
    fn a_path_leads_from_a_source_along_links_to_the_note(world in world()) {
        let graph = world.graph();
        let mut scratch = Scratch::new();
        let sources = world.given_sources();
        let found = walk(&graph, &sources, &world.options, |_| 1.0, &mut scratch).unwrap();
        let notes: Vec<NoteId> = (0..world.notes.len()).map(note_id).collect();
        for (note, path) in notes.iter().zip(found.paths(&notes)) {
            let Some(path) = path else {
                prop_assert_eq!(found.score(*note), 0.0);
                continue;
            };
            prop_assert!(sources.iter().any(|(id, weight)| *id == path.source && *weight > 0.0));
            let mut here = path.source;
            let mut likelihood = path.source_share;
            for step in &path.steps {
                prop_assert_eq!(step.from, here);
                let views = graph.links_from(here);
                let view = views.iter().find(|view| view.link.id == step.link).unwrap();
                prop_assert_eq!(view.to, step.to);
                prop_assert!(step.weight > 0.0 && step.share > 0.0 && step.share <= 1.0);
                here = step.to;
                likelihood *= world.options.damping * step.share;
            }
            prop_assert_eq!(here, *note);
            // The walk is there at least as often as it takes this path and stops.
            let bound = found.score(*note) + found.error_bound() + ROUNDING;
            prop_assert!((1.0 - world.options.damping) * likelihood <= bound);
        }
    }
}
