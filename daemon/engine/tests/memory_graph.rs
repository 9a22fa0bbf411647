//! The structure of a memory: links join, wait, are replaced and end.

// Inactive links pass on nothing at all, and what is restored is restored to the bit.
#![allow(clippy::float_cmp)]

use soulmem_engine::graph::*;
use soulmem_engine::model::*;
use uuid::Uuid;

fn note(number: u128) -> NoteId {
    NoteId(Uuid::from_u128(number))
}

fn link(number: u128, from: u128, to: u128) -> MemoryLink {
    MemoryLink {
        id: LinkId(Uuid::from_u128(number)),
        from: note(from),
        to: note(to),
        intensity: 1.0,
        link_type: LinkType::Situation(SituationLink::AbstractToSpecific {}),
    }
}

fn with_notes(numbers: impl IntoIterator<Item = u128>) -> MemoryGraph {
    let mut graph = MemoryGraph::new();
    for number in numbers {
        graph.add_note(note(number), NoteKind::SpecificSituation);
    }
    graph
}

fn ids(views: &[LinkView]) -> Vec<u128> {
    views.iter().map(|view| view.link.id.0.as_u128()).collect()
}

fn score(graph: &MemoryGraph, from: u128, of: u128) -> f64 {
    let mut scratch = Scratch::new();
    let sources = [(note(from), 1.0)];
    walk(
        graph,
        &sources,
        &WalkOptions::default(),
        |_| 1.0,
        &mut scratch,
    )
    .expect("the options are good")
    .score(note(of))
}

#[test]
fn a_link_waits_for_its_target_and_joins_when_it_comes() {
    let mut graph = with_notes([1]);
    assert_eq!(graph.put_link(&link(10, 1, 2)).unwrap(), LinkPlace::Waiting);
    assert_eq!(graph.put_link(&link(11, 1, 2)).unwrap(), LinkPlace::Waiting);
    assert_eq!((graph.link_count(), graph.waiting_count()), (0, 2));
    assert!(graph.links_from(note(1)).is_empty());
    assert_eq!(score(&graph, 1, 2), 0.0);

    graph.add_note(note(3), NoteKind::Semantic);
    assert_eq!(graph.waiting_count(), 2);
    graph.add_note(note(2), NoteKind::Semantic);
    assert_eq!((graph.link_count(), graph.waiting_count()), (2, 0));
    assert_eq!(ids(&graph.links_from(note(1))), [10, 11]);
    assert_eq!(ids(&graph.links_to(note(2))), [10, 11]);
    assert!(score(&graph, 1, 2) > 0.0);
}

#[test]
fn a_waiting_link_can_be_changed_replaced_and_removed() {
    let mut graph = with_notes([1]);
    graph.put_link(&link(10, 1, 2)).unwrap();
    graph.put_link(&link(11, 1, 2)).unwrap();
    graph.put_link(&link(12, 1, 2)).unwrap();
    graph.set_intensity(link(10, 1, 2).id, 0.25).unwrap();
    assert!(graph.remove_link(link(11, 1, 2).id));
    graph.put_link(&link(12, 1, 3)).unwrap();
    assert_eq!(graph.waiting_count(), 2);
    graph.add_note(note(2), NoteKind::Semantic);
    let views = graph.links_from(note(1));
    assert_eq!(ids(&views), [10]);
    assert_eq!(views[0].link.intensity, 0.25);
    assert_eq!(
        graph.link_place(link(12, 1, 3).id),
        Some(LinkPlace::Waiting)
    );
}

#[test]
fn links_end_with_either_note() {
    let mut graph = with_notes([1, 2, 3]);
    for it in [
        link(10, 1, 2),
        link(11, 2, 3),
        link(12, 2, 9),
        link(13, 3, 1),
    ] {
        graph.put_link(&it).unwrap();
    }
    let ended = graph.remove_note(note(2)).unwrap();
    assert_eq!(
        ended.iter().map(|id| id.0.as_u128()).collect::<Vec<_>>(),
        [10, 11, 12]
    );
    assert_eq!(
        (
            graph.note_count(),
            graph.link_count(),
            graph.waiting_count()
        ),
        (2, 1, 0)
    );
    assert_eq!(graph.remove_note(note(2)), None);
    // Neither a note that comes back nor one that takes the free place finds any of them.
    graph.add_note(note(4), NoteKind::Semantic);
    graph.add_note(note(2), NoteKind::Semantic);
    graph.add_note(note(9), NoteKind::Semantic);
    assert_eq!(graph.link_count(), 1);
    assert_eq!(score(&graph, 1, 2), 0.0);
}

#[test]
fn a_note_put_again_has_its_new_links_only_and_keeps_those_that_lead_to_it() {
    let now = FixedClock("2026-06-01T08:00:00Z".parse().unwrap());
    let build = |links: &[MemoryLink]| {
        let body = MemoryType::Procedure(ProcMemory {
            action: Action {
                content: "waves".into(),
                action_type: ActionType::Think,
            },
        });
        let mut draft = NoteDraft::new(body).with_id(note(1));
        draft.mem_links = links.iter().cloned().map(LinkDraft::from).collect();
        draft.build(&now, &SequentialIds::new()).unwrap()
    };
    let mut graph = with_notes([2, 3]);
    graph
        .put_note(&build(&[link(10, 1, 2), link(11, 1, 3), link(12, 1, 9)]))
        .unwrap();
    graph.put_link(&link(13, 2, 1)).unwrap();
    graph
        .put_note(&build(&[link(11, 1, 2), link(14, 1, 3)]))
        .unwrap();
    assert_eq!(ids(&graph.links_from(note(1))), [11, 14]);
    assert_eq!(graph.links_from(note(1))[0].to, note(2));
    assert_eq!(ids(&graph.links_to(note(1))), [13]);
    assert_eq!(graph.waiting_count(), 0);

    let mut strange = build(&[]);
    strange.mem_links = vec![link(15, 2, 3)];
    assert!(matches!(
        graph.put_note(&strange),
        Err(GraphError::Link { .. })
    ));
    assert_eq!(
        ids(&graph.links_from(note(1))),
        [11, 14],
        "nothing has changed"
    );
}

#[test]
fn bad_links_are_refused_and_change_nothing() {
    let mut graph = with_notes([1, 2]);
    graph.put_link(&link(10, 1, 2)).unwrap();
    let sem = |confidence| MemoryLink {
        link_type: LinkType::Sem(SemLink {
            verb: "near".into(),
            confidence,
        }),
        ..link(10, 1, 2)
    };
    let strong = |intensity| MemoryLink {
        intensity,
        ..link(10, 1, 2)
    };
    let bad = [
        link(10, 1, 1),
        strong(f64::NAN),
        strong(-0.1),
        strong(f64::INFINITY),
        sem(f64::NAN),
        sem(1.5),
    ];
    for it in bad {
        assert!(
            matches!(graph.put_link(&it), Err(GraphError::Link { .. })),
            "{it:?}"
        );
    }
    assert!(matches!(
        graph.put_link(&link(10, 7, 2)),
        Err(GraphError::NoSource { .. })
    ));
    for intensity in [f64::NAN, -1.0, f64::INFINITY] {
        let id = link(10, 1, 2).id;
        assert!(matches!(
            graph.set_intensity(id, intensity),
            Err(GraphError::Link { .. })
        ));
    }
    assert!(matches!(
        graph.set_intensity(link(99, 1, 2).id, 1.0),
        Err(GraphError::NoLink(_))
    ));
    assert!(!graph.remove_link(link(99, 1, 2).id));
    let views = graph.links_from(note(1));
    assert_eq!((ids(&views), views[0].link.intensity), (vec![10], 1.0));
}

#[test]
fn what_conducts_follows_every_change() {
    let mut graph = with_notes([1, 2, 3]);
    graph.put_link(&link(10, 1, 2)).unwrap();
    graph.put_link(&link(11, 1, 3)).unwrap();
    let half = score(&graph, 1, 2);
    assert!(half > 0.0);
    assert_eq!(half, score(&graph, 1, 3));

    graph.set_intensity(link(10, 1, 2).id, 0.049).unwrap();
    assert_eq!(score(&graph, 1, 2), 0.0, "under 0.05 a link is inactive");
    graph.set_intensity(link(10, 1, 2).id, 0.05).unwrap();
    assert!(score(&graph, 1, 2) > 0.0, "inactive, not deleted");
    graph.set_intensity(link(10, 1, 2).id, 1.0).unwrap();
    assert_eq!(score(&graph, 1, 2), half);

    graph.add_note(note(2), NoteKind::Procedure);
    assert_eq!(
        score(&graph, 1, 2),
        0.0,
        "links into procedures weigh nothing"
    );
    graph.add_note(note(2), NoteKind::Semantic);
    assert_eq!(score(&graph, 1, 2), half);

    let mut trigger = link(10, 1, 2);
    trigger.link_type = LinkType::Proc(ProcLink::TrigToAction { prob: 1.0 });
    graph.put_link(&trigger).unwrap();
    assert_eq!(score(&graph, 1, 2), 0.0, "nor do links towards actions");
    assert_eq!(ids(&graph.links_from(note(1))), [10, 11]);
}
