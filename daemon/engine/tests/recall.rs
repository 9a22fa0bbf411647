//! The whole pipeline over a small memory, with vectors that a reader can check: each text is the set of its words, each
//! word a direction of its own, so that the cosine of two texts is `shared / √(words · words)`.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

use std::collections::BTreeMap;
use std::sync::Arc;

use soulmem_engine::graph::Scratch;
use soulmem_engine::index::DocKey;
use soulmem_engine::model::{
    Field, FixedClock, IdSource, LinkDraft, MemoryNote, NoteDraft, NoteId, SequentialIds,
};
use soulmem_engine::recall::merge::Stage;
use soulmem_engine::recall::similarity::Vectors;
use soulmem_engine::recall::{
    Bodies, Indexes, Memory, Options, Question, RecallError, Recalled, SourceError, recall,
    searched_texts,
};
use soulmem_engine::text::Segmenter;

/// Every word of the tests, each a direction.
const WORDS: [&str; 16] = [
    "tea",
    "house",
    "flood",
    "river",
    "grandmother",
    "song",
    "rain",
    "boat",
    "lamp",
    "hum",
    "quiet",
    "letter",
    "stone",
    "evening",
    "apple",
    "zebra",
];

fn vector(text: &str) -> Vec<f32> {
    let mut vector: Vec<f32> = WORDS
        .iter()
        .map(|word| f32::from(u8::from(text.split(' ').any(|own| own == *word))))
        .collect();
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length > 0.0 {
        for x in &mut vector {
            *x /= length;
        }
    }
    vector
}

struct Directions;

impl Vectors for Directions {
    fn query(&self, text: &str) -> Option<Arc<[f32]>> {
        Some(vector(text).into())
    }

    fn passage(&self, _: NoteId, _: Field, text: &str) -> Option<Arc<[f32]>> {
        Some(vector(text).into())
    }
}

struct Shelf(BTreeMap<NoteId, Arc<MemoryNote>>);

impl Bodies for Shelf {
    fn notes(&self, ids: &[NoteId]) -> Result<Vec<Option<Arc<MemoryNote>>>, SourceError> {
        Ok(ids.iter().map(|id| self.0.get(id).cloned()).collect())
    }
}

/// A memory of named notes.
struct Character {
    ids: BTreeMap<&'static str, NoteId>,
    shelf: Shelf,
    indexes: Indexes,
}

impl Character {
    /// `notes`: name and body; `links`: from, to and link type.
    fn new(notes: &[(&'static str, String)], links: &[(&str, &str, &str)]) -> Self {
        let source = SequentialIds::new();
        let clock = FixedClock("2026-01-01T00:00:00Z".parse().unwrap());
        let ids: BTreeMap<&str, NoteId> = notes
            .iter()
            .map(|(name, _)| (*name, source.note_id()))
            .collect();
        let mut character = Self {
            ids,
            shelf: Shelf(BTreeMap::new()),
            indexes: Indexes::new(WORDS.len(), Segmenter::new()),
        };
        for (name, body) in notes {
            let mut draft =
                NoteDraft::new(serde_json::from_str(body).unwrap()).with_id(character.ids[name]);
            for (_, to, kind) in links.iter().filter(|(from, _, _)| from == name) {
                let kind = serde_json::from_str(kind).unwrap();
                draft = draft.linked(LinkDraft::new(character.ids[to], kind));
            }
            character.put(draft.build(&clock, &source).unwrap());
        }
        character
    }

    fn put(&mut self, note: MemoryNote) {
        let vectors = searched_texts(&note);
        let vectors = vectors
            .iter()
            .map(|(field, place, text)| (*field, *place, vector(text)));
        self.indexes.put_note(&note, vectors).unwrap();
        self.shelf.0.insert(note.id, Arc::new(note));
    }

    fn ask(&self, question: &Question, options: &Options) -> Result<Recalled, RecallError> {
        self.ask_where(question, options, &|_| true)
    }

    fn ask_where(
        &self,
        question: &Question,
        options: &Options,
        admits: &dyn Fn(DocKey) -> bool,
    ) -> Result<Recalled, RecallError> {
        let memory = Memory {
            indexes: &self.indexes,
            bodies: &self.shelf,
            embedded: &Directions,
            retention: &|_| 1.0,
            admits,
        };
        recall(&memory, question, options, &mut Scratch::new())
    }

    fn names(&self, recalled: &Recalled) -> Vec<&str> {
        recalled
            .notes
            .iter()
            .map(|hit| self.name(hit.note.id))
            .collect()
    }

    fn actions(&self, recalled: &Recalled) -> Vec<&str> {
        recalled
            .actions
            .iter()
            .map(|(note, _)| self.name(note.id))
            .collect()
    }

    fn name(&self, id: NoteId) -> &str {
        self.ids.iter().find(|(_, known)| **known == id).unwrap().0
    }
}

fn known(content: &str, description: &str) -> String {
    format!(
        r#"{{"Semantic": {{"content": "{content}", "aliases": [], "concept_type": "Entity", "description": "{description}"}}}}"#
    )
}

fn lived(narrative: &str) -> String {
    format!(
        r#"{{"Situation": {{"SpecificSituation": {{"narrative": "{narrative}", "time_span": "2025-05-01T20:00:00Z"}}}}}}"#
    )
}

fn place(name: &str) -> String {
    format!(r#"{{"Situation": {{"AbstractSituation": {{"Location": {{"name": "{name}"}}}}}}}}"#)
}

fn habit(content: &str) -> String {
    format!(r#"{{"Procedure": {{"action": {{"content": "{content}", "action_type": "Think"}}}}}}"#)
}

const SEM: &str = r#"{"Sem": {"verb": "related", "confidence": 0.9}}"#;
const UP: &str = r#"{"Situation": {"SpecificToAbstract": {}}}"#;
const DOWN: &str = r#"{"Situation": {"AbstractToSpecific": {}}}"#;

fn trigger(prob: f64) -> String {
    format!(r#"{{"Proc": {{"TrigToAction": {{"prob": {prob}}}}}}}"#)
}

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

fn situation(json: &str) -> Question {
    query(&format!(r#"{{"variant": {{"Situation": [{json}]}}}}"#))
}

fn query(json: &str) -> Question {
    Question {
        queries: vec![serde_json::from_str(json).unwrap()],
        text: None,
    }
}

fn line(text: &str) -> Question {
    Question {
        queries: vec![],
        text: Some(text.to_owned()),
    }
}

fn options() -> Options {
    Options::with_floor(0.35)
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
fn something_known_triggers_no_action_and_is_shown_as_knowledge_of_oneself() {
    let character = sample();
    let asked = query(r#"{"variant": {"Semantic": [{"concept_identifier": "grandmother"}]}}"#);
    let recalled = character.ask(&asked, &options()).unwrap();
    assert!(recalled.actions.is_empty());
    assert_eq!(character.names(&recalled), ["grandmother", "hums"]);
    // The name scores 1; the way of acting gets 0.9 (the link's confidence) · 0.5 of it.
    assert!((recalled.notes[1].score - 0.45).abs() < 1e-6);
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
        .put_message(message, "apple river", Some(&vector("apple river")))
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
