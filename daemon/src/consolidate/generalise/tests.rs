//! Patterns and ways of acting, with numbers worked out by hand.

use soulmem_engine::model::{
    Context, FixedClock, Location, Participant, SequentialIds, SpecificSituation, TimeSpan,
};

use super::*;

/// A memory that finds by going through everything: what the index finds faster.
#[derive(Default)]
struct Remembered(Vec<Arc<MemoryNote>>);

impl Known for Remembered {
    fn named(&self, name: &str) -> Result<Vec<Arc<MemoryNote>>> {
        let called = |note: &&Arc<MemoryNote>| key(&note.summary_text()) == key(name);
        Ok(self.0.iter().filter(called).cloned().collect())
    }

    fn alike(&self, _: &str, kind: NoteKind, limit: usize) -> Result<Vec<Arc<MemoryNote>>> {
        let of_kind = self.0.iter().filter(|note| note.kind() == kind);
        Ok(of_kind.take(limit).cloned().collect())
    }

    fn notes(&self, ids: &[NoteId]) -> Result<Vec<Arc<MemoryNote>>> {
        Ok(self
            .0
            .iter()
            .filter(|note| ids.contains(&note.id))
            .cloned()
            .collect())
    }

    fn likeness(&self, _: &str, _: &str) -> Option<f64> {
        None
    }
}

struct World {
    ids: SequentialIds,
    clock: FixedClock,
}

impl World {
    fn new() -> Self {
        Self {
            ids: SequentialIds::new(),
            clock: FixedClock("2026-06-05T12:00:00Z".parse().unwrap()),
        }
    }

    /// Something that happened in the kitchen or elsewhere, with acts of Ann's.
    fn lived(&self, number: usize, place: &str, people: &[&str], acts: &[&str]) -> Arc<MemoryNote> {
        let act = |act: &&str| Event {
            action: (*act).to_owned(),
            action_intensity: 0.5,
            initiator: "Ann".to_owned(),
            target: String::new(),
        };
        let person = |name: &&str| Participant {
            name: (*name).to_owned(),
            role: String::new(),
        };
        let body = MemoryType::Situation(SituationMemory::SpecificSituation(SpecificSituation {
            narrative: format!("something happened, number {number}"),
            time_span: TimeSpan::Instant(self.clock.0),
            context: Context {
                location: (!place.is_empty()).then(|| Location {
                    name: place.to_owned(),
                    coordinates: None,
                }),
                participants: people.iter().map(person).collect(),
                event: acts.iter().map(act).collect(),
                ..Context::default()
            },
        }));
        Arc::new(NoteDraft::new(body).build(&self.clock, &self.ids).unwrap())
    }

    fn found(&self, new: &[Arc<MemoryNote>], known: &[Arc<MemoryNote>]) -> Generalised {
        let own = BTreeSet::from([key("Ann")]);
        let known = Remembered(known.to_vec());
        find(
            new,
            &own,
            &known,
            &self.clock,
            &self.ids,
            Uuid::from_u128(7),
        )
        .unwrap()
    }
}

fn texts(found: &Generalised) -> Vec<String> {
    found.notes.iter().map(MemoryNote::summary_text).collect()
}

fn probs(found: &Generalised) -> Vec<f64> {
    let prob = |link: &MemoryLink| match link.link_type {
        LinkType::Proc(ProcLink::TrigToAction { prob }) => Some(prob),
        _ => None,
    };
    found.links.iter().filter_map(prob).collect()
}

#[test]
fn three_that_share_a_place_have_a_pattern_and_two_have_none() {
    let world = World::new();
    let three: Vec<_> = (0..3)
        .map(|number| world.lived(number, "Kitchen", &[], &[]))
        .collect();
    let found = world.found(&three, &three);
    assert_eq!(texts(&found), ["Kitchen"]);
    // Both ways for each of the three.
    assert_eq!(found.links.len(), 6);
    let up = found.links.iter().filter(|link| {
        link.to == found.notes[0].id
            && matches!(
                link.link_type,
                LinkType::Situation(SituationLink::SpecificToAbstract {})
            )
    });
    assert_eq!(up.count(), 3);
    let two = world.found(&three[..2], &three[..2]);
    assert!(two.notes.is_empty() && two.links.is_empty());
}

#[test]
fn what_is_known_counts_beside_what_is_new_and_case_does_not() {
    let world = World::new();
    let known = [
        world.lived(0, "kitchen", &["Bo"], &[]),
        world.lived(1, "KITCHEN", &["bo"], &[]),
    ];
    let new = [world.lived(2, "Kitchen", &["Bo"], &[])];
    let found = world.found(&new, &known);
    assert_eq!(texts(&found), ["Kitchen", "Bo"]);
    assert_eq!(found.links.len(), 12);
}

#[test]
fn the_character_itself_is_no_pattern() {
    let world = World::new();
    let all: Vec<_> = (0..4)
        .map(|number| world.lived(number, "", &["Ann"], &[]))
        .collect();
    assert!(world.found(&all, &all).notes.is_empty());
}

#[test]
fn one_more_joins_a_pattern_that_is_there_and_those_that_follow_it_stay() {
    let world = World::new();
    let pattern = AbstractSituation::Location(Location {
        name: "Kitchen".to_owned(),
        coordinates: None,
    });
    let body = MemoryType::Situation(SituationMemory::AbstractSituation(pattern));
    let pattern = NoteDraft::new(body)
        .build(&world.clock, &world.ids)
        .unwrap();
    let mut follower = (*world.lived(0, "Kitchen", &[], &[])).clone();
    let link = LinkType::Situation(SituationLink::SpecificToAbstract {});
    let link = LinkDraft::new(pattern.id, link)
        .starting_from(follower.id)
        .build(&world.ids);
    follower.mem_links.extend(link);
    let new = [world.lived(1, "Kitchen", &[], &[])];
    let found = world.found(&new, &[Arc::new(pattern.clone()), Arc::new(follower)]);
    assert!(found.notes.is_empty());
    let ends: Vec<_> = found
        .links
        .iter()
        .map(|link| (link.from, link.to))
        .collect();
    assert_eq!(ends, [(pattern.id, new[0].id), (new[0].id, pattern.id)]);
}

#[test]
fn what_is_done_three_times_of_four_is_a_way_of_acting_with_three_quarters() {
    let world = World::new();
    let acts: [&[&str]; 4] = [
        &["hummed", "swore"],
        &["Hummed"],
        &["hummed", "hummed", "swore"],
        &[],
    ];
    let all: Vec<_> = acts
        .iter()
        .enumerate()
        .map(|(number, acts)| world.lived(number, "kitchen", &[], acts))
        .collect();
    let found = world.found(&all, &all);
    // "hummed" is a pattern too: three situations share the act. In that one it was done each time.
    let mut told = texts(&found);
    told.sort();
    assert_eq!(told, ["hummed", "hummed", "kitchen"]);
    let procedures = found
        .notes
        .iter()
        .filter(|note| note.kind() == NoteKind::Procedure);
    assert_eq!(procedures.count(), 1, "swearing twice is no way of acting");
    let mut probs = probs(&found);
    probs.sort_by(f64::total_cmp);
    assert_eq!(probs, [0.75, 1.0]);
}

#[test]
fn a_way_of_acting_that_is_known_is_not_learnt_twice() {
    let world = World::new();
    let body = MemoryType::Procedure(ProcMemory {
        action: Action {
            content: "Hummed".to_owned(),
            action_type: ActionType::Speak,
        },
    });
    let habit = Arc::new(
        NoteDraft::new(body)
            .build(&world.clock, &world.ids)
            .unwrap(),
    );
    let mut known: Vec<_> = (0..3)
        .map(|number| world.lived(number, "kitchen", &[], &["hummed"]))
        .collect();
    let new = known.clone();
    known.push(Arc::clone(&habit));
    let found = world.found(&new, &known);
    assert!(
        found
            .notes
            .iter()
            .all(|note| note.kind() != NoteKind::Procedure)
    );
    assert_eq!(probs(&found), [1.0, 1.0]);
    assert!(found.links.iter().any(|link| link.to == habit.id));
}

#[test]
fn what_others_do_is_no_way_of_acting_of_the_character() {
    let world = World::new();
    let all: Vec<_> = (0..3)
        .map(|number| world.lived(number, "kitchen", &[], &["hummed"]))
        .collect();
    let own = BTreeSet::from([key("Bo")]);
    let known = Remembered(all.clone());
    let found = find(
        &all,
        &own,
        &known,
        &world.clock,
        &world.ids,
        Uuid::from_u128(7),
    )
    .unwrap();
    assert!(
        found
            .notes
            .iter()
            .all(|note| note.kind() != NoteKind::Procedure)
    );
}
