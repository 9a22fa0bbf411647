//! The whole pipeline over a small memory.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

mod small_memory;

use small_memory::{
    Character, DOWN, SEM, UP, habit, known, line, lived, options, place, query, said, situation,
    trigger, vector,
};
use soulmem_engine::graph::{Path, Scratch, Step};
use soulmem_engine::index::DocKey;
use soulmem_engine::model::{IdSource, LinkId, NoteId, SequentialIds};
use soulmem_engine::recall::merge::Stage;
use soulmem_engine::recall::{Asked, Memory, Options, Question, RecallError, recall};

/// The evening the tea house flooded; who sang there; what the character does then.
fn sample() -> Character {
    let (often, seldom) = (trigger(0.9), trigger(0.2));
    Character::new(
        &[
            ("flooded", lived("evening flood tea house")),
            ("sung", lived("grandmother song lamp")),
            ("tea house", place("tea house")),
            ("grandmother", known("grandmother", "river boat")),
            ("apple", known("apple", "stone")),
            ("hums", habit("hum quiet")),
            ("writes", habit("letter")),
        ],
        &[
            ("flooded", "tea house", UP),
            ("tea house", "flooded", DOWN),
            ("tea house", "sung", DOWN),
            ("sung", "tea house", UP),
            ("tea house", "hums", &often),
            ("flooded", "writes", &seldom),
            ("grandmother", "hums", SEM),
        ],
    )
}

#[test]
fn what_is_alike_comes_first_and_what_is_linked_comes_along() {
    let character = sample();
    let recalled = character
        .ask(&situation(r#"{"narrative": "flood evening"}"#), &options())
        .unwrap();
    // The place shares no word with the question and the song none with the place: only the walk reaches them.
    assert_eq!(character.names(&recalled), ["flooded", "tea house", "sung"]);
    let stages: Vec<Stage> = recalled.notes.iter().map(|hit| hit.stage).collect();
    assert_eq!(stages, [Stage::Both, Stage::Walk, Stage::Walk]);
    // Two of two words, of four: 2 / √(2·4).
    assert!((recalled.notes[0].score - 2.0 / 8f64.sqrt()).abs() < 1e-6);
    assert!(recalled.notes[0].why.seed && !recalled.notes[1].why.seed);
}

#[test]
fn what_is_less_than_half_as_alike_as_the_best_is_shown_but_not_walked_from() {
    let character = sample();
    let asked = situation(r#"{"narrative": "flood evening tea house lamp"}"#);
    // Four of five words, of four, against one of five, of three: 0.894 and 0.258.
    let recalled = character.ask(&asked, &Options::with_floor(0.1)).unwrap();
    let seed = |name: &str| {
        recalled
            .notes
            .iter()
            .find(|hit| character.name(hit.note.id) == name)
            .unwrap()
            .why
            .seed
    };
    assert!(seed("flooded") && !seed("sung"));
}

#[test]
fn situations_that_came_up_trigger_actions_and_never_displace_a_note() {
    let character = sample();
    let recalled = character
        .ask(&situation(r#"{"narrative": "flood evening"}"#), &options())
        .unwrap();
    assert_eq!(character.actions(&recalled), ["hums", "writes"]);
    assert!(
        recalled
            .notes
            .iter()
            .all(|hit| !["hums", "writes"].contains(&character.name(hit.note.id)))
    );
}

#[test]
fn a_hit_tells_the_path_that_led_to_it_and_what_is_retained() {
    let character = sample();
    let half = character.indexes.graph.index_of(character.ids["tea house"]);
    let memory = Memory {
        retention: &|index| if Some(index) == half { 0.5 } else { 1.0 },
        ..character.memory()
    };
    let mut question = situation(r#"{"narrative": "zebra"}"#);
    let asked = situation(r#"{"narrative": "flood evening"}"#);
    question.queries.extend(asked.queries);
    let recalled = recall(&memory, &question, &options(), &mut Scratch::new()).unwrap();
    let step = |from: &str, to: &str, weight: f64, share: f64| Step {
        link: character.link(from, to),
        from: character.ids[from],
        to: character.ids[to],
        weight,
        share,
    };
    // Links between patterns and experiences weigh (0.8 · 0.8 + 1) / 1.8, halved where half is retained. Triggers conduct
    // nothing, so the experience has one way on and the place two alike ones.
    let weight = (0.8 * 0.8 + 1.0) / 1.8;
    let up = step("flooded", "tea house", weight, 1.0);
    let down = step("tea house", "sung", weight / 2.0, 0.5);
    // p(place) = 0.65 · (p(flooded) + p(sung)), p(sung) = 0.65 / 2 · p(place), p(flooded) = 0.35 + 0.65 / 2 · p(place).
    let place = 0.65 * 0.35 / (1.0 - 0.65 * 0.65);
    let expected = [
        (0.35 + 0.325 * place, 1.0, vec![]),
        (place, 0.5, vec![up]),
        (0.325 * place, 1.0, vec![up, down]),
    ];
    assert_eq!(character.names(&recalled), ["flooded", "tea house", "sung"]);
    for (hit, (score, retention, steps)) in recalled.notes.iter().zip(expected) {
        let [walk] = &hit.why.walks[..] else {
            panic!("one walk: {:?}", hit.why)
        };
        assert_eq!(walk.asked, Asked::Query(1));
        assert!((walk.score - score).abs() < 1e-4, "{}", walk.score);
        assert!((hit.why.retention - retention).abs() < f64::EPSILON);
        assert_path(&walk.path, character.ids["flooded"], &steps);
        let mut links: Vec<LinkId> = steps.iter().map(|step| step.link).collect();
        links.sort_unstable();
        assert_eq!(hit.why.links(), links);
    }
}

fn assert_path(path: &Path, source: NoteId, steps: &[Step]) {
    assert_eq!(path.source, source);
    assert!((path.source_share - 1.0).abs() < 1e-12);
    assert_eq!(path.steps.len(), steps.len());
    for (found, step) in path.steps.iter().zip(steps) {
        assert_eq!(
            (found.link, found.from, found.to),
            (step.link, step.from, step.to)
        );
        // Weights are kept in single precision.
        assert!((found.weight - step.weight).abs() < 1e-6, "{found:?}");
        assert!((found.share - step.share).abs() < 1e-6, "{found:?}");
    }
}

#[test]
fn an_action_tells_the_situations_that_trigger_it() {
    let character = sample();
    let asked = situation(r#"{"narrative": "flood evening"}"#);
    let recalled = character.ask(&asked, &options()).unwrap();
    let score = |name: &str| {
        let hit = recalled
            .notes
            .iter()
            .find(|hit| character.name(hit.note.id) == name);
        hit.unwrap().score
    };
    // The place is a pattern and counts twice.
    let sum = score("flooded") + 2.0 * score("tea house") + score("sung");
    let [hums, writes] = &recalled.actions[..] else {
        panic!("two actions")
    };
    let expected = [
        (
            hums,
            "tea house",
            "hums",
            0.9,
            2.0 * score("tea house") / sum,
        ),
        (writes, "flooded", "writes", 0.2, score("flooded") / sum),
    ];
    for (action, situation, name, probability, weight) in expected {
        let [trigger] = action.triggers[..] else {
            panic!("one trigger: {:?}", action.triggers)
        };
        assert_eq!(trigger.link, character.link(situation, name));
        assert_eq!(trigger.situation, character.ids[situation]);
        assert!((trigger.probability - probability).abs() < 1e-12);
        assert!((trigger.weight - weight).abs() < 1e-12);
        assert!((action.score - probability * weight).abs() < 1e-12);
    }
}

#[test]
fn something_known_triggers_no_action_and_is_shown_as_knowledge_of_oneself() {
    let character = sample();
    let asked = query(r#"{"variant": {"Semantic": [{"concept_identifier": "grandmother"}]}}"#);
    let recalled = character.ask(&asked, &options()).unwrap();
    assert!(recalled.actions.is_empty());
    assert_eq!(character.names(&recalled), ["grandmother", "hums"]);
    // The name scores 1; the way of acting gets 0.9 (the link's confidence) · 0.5 of it.
    assert!((recalled.notes[1].score - 0.45).abs() < 1e-6);
    let way = recalled.notes[1].why.way.unwrap();
    assert_eq!(way.from, character.ids["grandmother"]);
    assert!((way.weight - 0.45).abs() < 1e-12);
    assert_eq!(recalled.notes[1].why.links(), [way.link]);
    assert_eq!(way.link, character.link("grandmother", "hums"));
}

#[test]
fn a_situation_reached_from_something_known_comes_up_but_triggers_nothing() {
    let always = trigger(1.0);
    let character = Character::new(
        &[
            ("river", known("river", "stone")),
            ("flooded", lived("evening flood")),
            ("writes", habit("letter")),
        ],
        &[("river", "flooded", SEM), ("flooded", "writes", &always)],
    );
    let asked = query(r#"{"variant": {"Semantic": [{"concept_identifier": "river"}]}}"#);
    let recalled = character.ask(&asked, &options()).unwrap();
    assert_eq!(character.names(&recalled), ["river", "flooded"]);
    assert!(recalled.actions.is_empty());
    let asked = situation(r#"{"narrative": "evening flood"}"#);
    assert_eq!(
        character.actions(&character.ask(&asked, &options()).unwrap()),
        ["writes"]
    );
}

#[test]
fn a_situation_that_answers_a_line_triggers_actions_whatever_is_known_beside() {
    let always = trigger(1.0);
    let character = Character::new(
        &[
            ("river", known("river", "stone boat lamp")),
            ("flooded", lived("evening flood")),
            ("writes", habit("letter")),
        ],
        &[("flooded", "writes", &always)],
    );
    let options = Options {
        seed_k: 1,
        ..options()
    };
    let asked = line("river stone boat lamp evening flood");
    let recalled = character.ask(&asked, &options).unwrap();
    // Four of six words are of what is known: the walk starts from it alone.
    assert_eq!(character.names(&recalled)[..2], ["river", "flooded"]);
    assert!(recalled.notes[0].why.seed && !recalled.notes[1].why.seed);
    assert_eq!(character.actions(&recalled), ["writes"]);
}

#[test]
fn a_sub_query_that_finds_nothing_good_is_dropped_and_told() {
    let character = sample();
    let mut question = situation(r#"{"narrative": "flood evening"}"#);
    question.queries.push(
        serde_json::from_str(r#"{"variant": {"Semantic": [{"concept_identifier": "zebra"}]}}"#)
            .unwrap(),
    );
    let recalled = character.ask(&question, &options()).unwrap();
    assert_eq!(recalled.dropped.len(), 1);
    assert_eq!(recalled.dropped[0].query, 1);
    assert_eq!(character.names(&recalled)[0], "flooded");
}

#[test]
fn where_all_sub_queries_are_dropped_the_line_is_the_query() {
    let character = sample();
    let mut question = query(r#"{"variant": {"Semantic": [{"concept_identifier": "zebra"}]}}"#);
    question.text = Some("grandmother song".into());
    let recalled = character.ask(&question, &options()).unwrap();
    assert_eq!(recalled.dropped.len(), 1);
    assert_eq!(character.names(&recalled)[0], "sung");
}

#[test]
fn a_line_finds_notes_and_messages() {
    let mut character = sample();
    let message = SequentialIds::new().message_id();
    character
        .indexes
        .put_message(&said(message, "apple river"), Some(&vector("apple river")))
        .unwrap();
    let recalled = character.ask(&line("apple river"), &options()).unwrap();
    assert_eq!(recalled.utterances[0].id, message);
    assert!(recalled.utterances[0].score > 0.99);
    // Its content is one of the two words asked for: cosine 1 / √2, and about half of the words.
    assert_eq!(character.names(&recalled)[0], "apple");
    assert!(recalled.notes[0].score < recalled.utterances[0].score);
    character.indexes.remove_message(message);
    assert!(
        character
            .ask(&line("apple river"), &options())
            .unwrap()
            .utterances
            .is_empty()
    );
}

#[test]
fn what_is_not_admitted_does_not_come_up_by_any_stage() {
    let character = sample();
    let (hidden, habit) = (character.ids["tea house"], character.ids["hums"]);
    let admits = |key: DocKey| key.note() != Some(hidden) && key.note() != Some(habit);
    let asked = situation(r#"{"narrative": "flood evening", "location": {"name": "tea house"}}"#);
    let recalled = character.ask_where(&asked, &options(), &admits).unwrap();
    assert!(!character.names(&recalled).contains(&"tea house"));
    assert_eq!(character.actions(&recalled), ["writes"]);
}

#[test]
fn a_note_that_was_replaced_or_removed_is_not_found_by_what_it_said() {
    let mut character = sample();
    let mut apple = (*character.shelf.0[&character.ids["apple"]]).clone();
    apple.mem_type = serde_json::from_str(&known("zebra", "stone")).unwrap();
    character.put(apple);
    let asked = |name: &str| {
        query(&format!(
            r#"{{"variant": {{"Semantic": [{{"concept_identifier": "{name}"}}]}}}}"#
        ))
    };
    assert!(
        character
            .ask(&asked("apple"), &options())
            .unwrap()
            .notes
            .is_empty()
    );
    assert_eq!(
        character
            .ask(&asked("zebra"), &options())
            .unwrap()
            .notes
            .len(),
        1
    );
    character.indexes.remove_note(character.ids["apple"]);
    assert!(
        character
            .ask(&asked("zebra"), &options())
            .unwrap()
            .notes
            .is_empty()
    );
}

#[test]
fn a_name_written_a_little_differently_is_found_by_its_letters() {
    let character = Character::new(&[("person", known("Grandmother Chen", ""))], &[]);
    let recalled = character
        .ask(
            &query(r#"{"variant": {"Semantic": [{"concept_identifier": "Grandmother Chan"}]}}"#),
            &options(),
        )
        .unwrap();
    // No direction is shared: 0.4 · similarity, which is over 0.9 for one letter of sixteen.
    assert_eq!(character.names(&recalled), ["person"]);
}

#[test]
fn nothing_and_nonsense_are_refused_by_name() {
    let character = sample();
    assert!(matches!(
        character.ask(&Question::default(), &options()),
        Err(RecallError::Nothing)
    ));
    assert!(matches!(
        character.ask(&line(" \u{3000}\n"), &options()),
        Err(RecallError::Nothing)
    ));
    let empty = query(r#"{"variant": {"Semantic": []}}"#);
    let error = character.ask(&empty, &options()).unwrap_err().to_string();
    assert!(error.starts_with("queries[0].variant"), "{error}");
    let mut wrong = options();
    wrong.weights.tag = f64::NAN;
    assert!(
        character
            .ask(&line("tea"), &wrong)
            .unwrap_err()
            .to_string()
            .starts_with("weights.tag")
    );
    let mut wrong = options();
    wrong.walk.damping = 1.0;
    assert!(matches!(
        character.ask(&line("tea house"), &wrong),
        Err(RecallError::Walk(_))
    ));
}

#[test]
fn a_question_in_words_that_nothing_holds_finds_nothing() {
    let character = sample();
    let recalled = character.ask(&line("zebra"), &options()).unwrap();
    assert!(
        recalled.notes.is_empty() && recalled.actions.is_empty() && recalled.utterances.is_empty()
    );
}
