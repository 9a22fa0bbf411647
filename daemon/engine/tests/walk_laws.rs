//! The walk against an independent computation, and its laws, on random graphs of every shape.

// Bit-identical results are the law here.
#![allow(clippy::float_cmp)]

mod world;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use soulmem_engine::graph::*;
use soulmem_engine::model::*;
use world::{link_id, note_id, world};

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
