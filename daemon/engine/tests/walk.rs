//! The walk on small graphs whose scores can be worked out by hand, and what it refuses.

use soulmem_engine::graph::*;
use soulmem_engine::model::*;
use uuid::Uuid;

fn note(number: u128) -> NoteId {
    NoteId(Uuid::from_u128(number))
}

/// Links of the kind that patterns and experiences have, all alike but for the intensity.
fn graph(notes: u128, links: &[(u128, u128, f64)]) -> MemoryGraph {
    let mut graph = MemoryGraph::new();
    for number in 1..=notes {
        graph.add_note(note(number), NoteKind::SpecificSituation);
    }
    for (position, &(from, to, intensity)) in links.iter().enumerate() {
        let link = MemoryLink {
            id: LinkId(Uuid::from_u128(position as u128)),
            from: note(from),
            to: note(to),
            intensity,
            link_type: LinkType::Situation(SituationLink::AbstractToSpecific {}),
        };
        graph.put_link(&link).expect("a valid link");
    }
    graph
}

fn assert_scores(
    graph: &MemoryGraph,
    sources: &[(NoteId, f64)],
    retention: impl Fn(NodeIndex) -> f64,
    expected: &[f64],
) {
    let mut scratch = Scratch::new();
    let options = WalkOptions {
        residue: 1e-12,
        ..WalkOptions::default()
    };
    let found = walk(graph, sources, &options, retention, &mut scratch).expect("good options");
    for (number, expected) in (1..).zip(expected) {
        let score = found.score(note(number));
        assert!(
            (score - expected).abs() < 1e-6,
            "note {number}: {score}, not {expected}"
        );
    }
}

#[test]
fn two_notes_that_call_each_other_up() {
    let graph = graph(2, &[(1, 2, 1.0), (2, 1, 0.3)]);
    // a = 0.35 + 0.65 b, b = 0.65 a
    let first = 0.35 / (1.0 - 0.65 * 0.65);
    assert_scores(&graph, &[(note(1), 7.0)], |_| 1.0, &[first, 0.65 * first]);
}

#[test]
fn a_stronger_link_conducts_more() {
    let graph = graph(3, &[(1, 2, 1.0), (1, 3, 0.5)]);
    // Both are without links and return to the source: a = 0.35 + 0.65 (b + c), b = 0.65 · 2/3 a, c = 0.65 · 1/3 a
    let first = 0.35 / (1.0 - 0.65 * 0.65);
    let rest = 0.65 * first;
    let expected = [first, rest * 2.0 / 3.0, rest / 3.0];
    assert_scores(&graph, &[(note(1), 1.0)], |_| 1.0, &expected);
}

#[test]
fn without_links_mass_returns_by_the_weights_of_the_sources() {
    let graph = graph(3, &[(1, 3, 1.0)]);
    // s = (3/4, 1/4, 0): c = 0.65 a, and b and c return to the sources:
    // a = 3/4 (0.35 + 0.65 (b + c)), b = 1/4 (0.35 + 0.65 (b + c))
    let sources = [(note(1), 3.0), (note(2), 1.0)];
    // b = a / 3; a = 3/4 · 0.35 + 3/4 · 0.65 (1/3 + 0.65) a
    let first = 0.75 * 0.35 / (1.0 - 0.75 * 0.65 * (1.0 / 3.0 + 0.65));
    assert_scores(
        &graph,
        &sources,
        |_| 1.0,
        &[first, first / 3.0, 0.65 * first],
    );
}

#[test]
fn a_faded_source_keeps_only_its_strong_links() {
    let graph = graph(3, &[(1, 2, 1.0), (1, 3, 0.2), (2, 1, 1.0), (3, 1, 1.0)]);
    // 0.2 · 0.2 = 0.04 is under 0.05, 1.0 · 0.2 is not.
    let first = 0.35 / (1.0 - 0.65 * 0.65);
    assert_scores(
        &graph,
        &[(note(1), 1.0)],
        |_| 0.2,
        &[first, 0.65 * first, 0.0],
    );
    // At 0.04 nothing is left, and all returns to the source.
    assert_scores(&graph, &[(note(1), 1.0)], |_| 0.04, &[1.0, 0.0, 0.0]);
    assert_scores(&graph, &[(note(1), 1.0)], |_| f64::NAN, &[1.0, 0.0, 0.0]);
    // More than all cannot be retained.
    assert_scores(
        &graph,
        &[(note(1), 1.0)],
        |_| 1e9,
        &[first, 0.65 * first * 5.0 / 6.0, 0.65 * first / 6.0],
    );
}

#[test]
fn the_preferred_kind_conducts_more() {
    let mut graph = graph(3, &[(1, 2, 1.0)]);
    let concept = MemoryLink {
        id: LinkId(Uuid::from_u128(99)),
        from: note(1),
        to: note(3),
        intensity: 1.0,
        link_type: LinkType::Sem(SemLink {
            verb: "is".into(),
            confidence: 0.8,
        }),
    };
    graph.put_link(&concept).unwrap();
    let mut scratch = Scratch::new();
    for (preference, preferred, other) in [
        (Preference::Situation, note(2), note(3)),
        (Preference::Semantic, note(3), note(2)),
    ] {
        let options = WalkOptions {
            preference,
            residue: 1e-12,
            ..WalkOptions::default()
        };
        let found = walk(&graph, &[(note(1), 1.0)], &options, |_| 1.0, &mut scratch).unwrap();
        // Both with confidence 0.8: (0.64 + 1) / 1.8 against (0.64 + 0.5) / 1.3.
        let ratio = (1.64 / 1.8) / (1.14 / 1.3);
        assert!((found.score(preferred) / found.score(other) - ratio).abs() < 1e-6);
    }
}

#[test]
fn sources_that_are_not_there_are_left_out_and_told() {
    let graph = graph(1, &[]);
    let mut scratch = Scratch::new();
    let sources = [
        (note(9), 1.0),
        (note(1), 1.0),
        (note(8), 1.0),
        (note(9), 2.0),
    ];
    let options = WalkOptions::default();
    let found = walk(&graph, &sources, &options, |_| 1.0, &mut scratch).unwrap();
    assert_eq!(found.unknown_sources(), [note(8), note(9)]);
    assert!(found.score(note(1)) + found.left() > 1.0 - 1e-12);

    for none in [&[][..], &[(note(9), 1.0)], &[(note(1), 0.0)]] {
        let found = walk(&graph, none, &options, |_| 1.0, &mut scratch).unwrap();
        assert_eq!((found.top(10), found.left()), (vec![], 0.0));
    }
}

#[test]
fn any_finite_weights_make_shares() {
    let graph = graph(2, &[]);
    for weight in [f64::MAX, 1.0, f64::MIN_POSITIVE] {
        assert_scores(
            &graph,
            &[(note(1), weight), (note(2), weight)],
            |_| 1.0,
            &[0.5, 0.5],
        );
    }
}

#[test]
fn options_and_weights_out_of_range_are_refused() {
    let graph = graph(1, &[]);
    let mut scratch = Scratch::new();
    let mut refusal = |damping, residue, weight| {
        let options = WalkOptions {
            damping,
            residue,
            ..WalkOptions::default()
        };
        walk(
            &graph,
            &[(note(1), weight)],
            &options,
            |_| 1.0,
            &mut scratch,
        )
        .err()
    };
    for damping in [1.0, 1.5, -0.1, f64::NAN, f64::INFINITY] {
        assert!(
            matches!(refusal(damping, 1e-5, 1.0), Some(WalkError::Damping(_))),
            "{damping}"
        );
    }
    for residue in [0.0, -1e-5, 1.1, f64::NAN] {
        assert!(
            matches!(refusal(0.65, residue, 1.0), Some(WalkError::Residue(_))),
            "{residue}"
        );
    }
    for weight in [-1.0, f64::NAN, f64::INFINITY] {
        let refused = refusal(0.65, 1e-5, weight);
        assert!(
            matches!(refused, Some(WalkError::SourceWeight { .. })),
            "{weight}"
        );
    }
    assert_eq!(refusal(0.0, 1.0, 0.0), None);
}

#[test]
fn a_walk_that_would_hardly_end_is_cut_off_and_says_what_is_left() {
    let graph = graph(2, &[(1, 2, 1.0), (2, 1, 1.0)]);
    let options = WalkOptions {
        damping: 0.999_999_999,
        residue: 1e-9,
        preference: Preference::Situation,
    };
    let mut scratch = Scratch::new();
    let found = walk(&graph, &[(note(1), 1.0)], &options, |_| 1.0, &mut scratch).unwrap();
    assert_eq!(found.pushes(), 5_000_000);
    let scores = found.score(note(1)) + found.score(note(2));
    assert!((found.left() + scores - 1.0).abs() < 1e-9);
    assert!(found.left() > 0.9);
    // And leaves nothing behind for the next one.
    let next = walk(
        &graph,
        &[(note(2), 1.0)],
        &WalkOptions::default(),
        |_| 1.0,
        &mut scratch,
    );
    let mut fresh = Scratch::new();
    let same = walk(
        &graph,
        &[(note(2), 1.0)],
        &WalkOptions::default(),
        |_| 1.0,
        &mut fresh,
    );
    assert_eq!(next.unwrap().top(2), same.unwrap().top(2));
}

#[test]
fn the_path_tells_each_link_with_its_weight() {
    // To note 4 over 2 or over 3: the way over 3 is the stronger.
    let graph = graph(
        5,
        &[
            (1, 2, 0.4),
            (1, 3, 1.0),
            (2, 4, 1.0),
            (3, 4, 0.5),
            (4, 5, 0.02),
        ],
    );
    let mut scratch = Scratch::new();
    let sources = [(note(1), 1.0), (note(5), 3.0)];
    let found = walk(
        &graph,
        &sources,
        &WalkOptions::default(),
        |_| 0.5,
        &mut scratch,
    )
    .unwrap();
    let paths = found.paths(&[note(4), note(5), note(1), note(77)]);
    let path = paths[0].as_ref().unwrap();
    assert_eq!((path.source, path.steps.len()), (note(1), 2));
    assert!((path.source_share - 0.25).abs() < 1e-12);
    let factor = 1.64 / 1.8;
    let [one, two] = path.steps[..] else {
        panic!("{path:?}")
    };
    assert_eq!(
        (one.from, one.to, two.from, two.to),
        (note(1), note(3), note(3), note(4))
    );
    assert!((one.weight - 0.5 * factor).abs() < 1e-12);
    assert!((one.share - 1.0 / 1.4).abs() < 1e-6);
    assert!((two.weight - 0.25 * factor).abs() < 1e-12);
    assert!((two.share - 1.0).abs() < 1e-12);
    assert_eq!(
        paths[1].as_ref().unwrap().source,
        note(5),
        "the link is inactive"
    );
    assert_eq!(paths[2].as_ref().unwrap().steps, []);
    assert_eq!(paths[3], None);
}
