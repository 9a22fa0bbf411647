//! Names that come and go: however texts and names came, every text is cut as if it had been written last, and stays where it
//! was said.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use proptest::prelude::*;
use serde_json::json;
use soulmem_engine::index::{DocKey, Said};
use soulmem_engine::model::{
    FixedClock, LinkId, MemoryLink, MemoryNote, MessageId, NoteDraft, NoteId, SequentialIds,
};
use soulmem_engine::recall::Indexes;
use soulmem_engine::text::{Segmenter, TokenKind};
use uuid::Uuid;

/// What names and texts are made of: scripts, words inside words, apostrophes, digits, function words.
const PIECES: [&str; 24] = [
    "林",
    "小满",
    "满",
    "小",
    "喜欢",
    "iPhone",
    "C",
    "盘",
    "3",
    "号线",
    "o'brien",
    "brien",
    "New",
    "York",
    "node.js",
    "js",
    "will",
    "カメラ",
    "가방",
    "😀",
    "'s",
    " ",
    "_",
    "，",
];

fn pieces(count: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(&PIECES[..]), count)
        .prop_map(|pieces| pieces.concat())
}

fn note(number: u128, name: &str, aliases: &[String]) -> Option<MemoryNote> {
    let body = json!({"Semantic": {
        "content": name, "aliases": aliases, "concept_type": "Entity", "description": ""
    }});
    let clock = FixedClock(Timestamp::UNIX_EPOCH);
    let draft = NoteDraft::new(serde_json::from_value(body).ok()?);
    let draft = draft.with_id(NoteId(Uuid::from_u128(number)));
    draft.build(&clock, &SequentialIds::new()).ok()
}

fn message_id(number: usize) -> MessageId {
    MessageId(Uuid::from_u128(1_000 + number as u128))
}

/// How often a text holds each term, and whether the term tells what it is about.
type Terms = BTreeMap<String, (u16, bool)>;

/// What the indexes are made from.
#[derive(Debug, Default, Clone)]
struct Rows {
    notes: BTreeMap<NoteId, MemoryNote>,
    messages: BTreeMap<usize, String>,
    /// The numbers of the messages, as they were first written.
    written: Vec<usize>,
    own: Vec<String>,
}

fn put_message(indexes: &mut Indexes, number: usize, text: &str, again: bool) {
    let said = Said {
        id: message_id(number),
        text,
        speaker: None,
        at: Timestamp::UNIX_EPOCH,
        zone: &TimeZone::UTC,
        talk: [None, Some("morning"), Some("evening")][number % 3],
    };
    if again {
        indexes.cut_again(&said);
    } else {
        indexes.put_message(&said, None).unwrap();
    }
}

impl Rows {
    fn anew(&self) -> Indexes {
        let mut indexes = Indexes::new(4, Segmenter::new());
        indexes.call(self.own.clone());
        for note in self.notes.values() {
            indexes.put_note(note, []).unwrap();
        }
        indexes.settle();
        for number in &self.written {
            put_message(&mut indexes, *number, &self.messages[number], false);
        }
        indexes
    }

    /// For every message what is said before and after it in its talk. All were said at one time.
    fn beside(&self, indexes: &Indexes) -> Vec<[Option<DocKey>; 2]> {
        let messages = self.messages.keys();
        messages
            .map(|number| {
                let key = DocKey::Message(message_id(*number));
                let turn = indexes.passages.get(&key).unwrap().turn;
                [-1, 1].map(|distance| indexes.passages.beside(turn?, distance))
            })
            .collect()
    }

    /// Every text with its terms and how often it holds each, and in how many texts each stands.
    fn cut_by(&self, indexes: &Indexes) -> Vec<(DocKey, Terms)> {
        let notes = self.notes.keys().map(|id| DocKey::Note(*id));
        let messages = self.messages.keys();
        let all = notes.chain(messages.map(|number| DocKey::Message(message_id(*number))));
        all.map(|key| {
            let passage = indexes.passages.get(&key).unwrap();
            let terms = passage.terms.iter().map(|held| {
                let term = indexes.passages.term_text(held.term);
                assert!(indexes.words.holding(&[term.to_owned()]).contains(&key));
                (term.to_owned(), (held.count, held.telling))
            });
            (key, terms.collect())
        })
        .collect()
    }

    fn frequencies(&self, indexes: &Indexes) -> BTreeMap<String, usize> {
        let terms = self
            .cut_by(indexes)
            .into_iter()
            .flat_map(|(_, terms)| terms);
        terms
            .map(|(term, _)| {
                let texts = indexes.words.document_frequency(&term);
                (term, texts)
            })
            .collect()
    }
}

#[derive(Debug, Clone)]
enum Step {
    Note(u128, String, Vec<String>),
    Forget(u128),
    Say(usize, String),
    Unsay(usize),
    Call(Vec<String>),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..5_u128, pieces(1..4), prop::collection::vec(pieces(1..3), 0..2))
            .prop_map(|(number, name, aliases)| Step::Note(number, name, aliases)),
        2 => (0..5_u128).prop_map(Step::Forget),
        5 => (0..6_usize, pieces(1..9)).prop_map(|(number, text)| Step::Say(number, text)),
        1 => (0..6_usize).prop_map(Step::Unsay),
        1 => prop::collection::vec(pieces(1..3), 0..2).prop_map(Step::Call),
    ]
}

fn go(rows: &mut Rows, indexes: &mut Indexes, step: Step) {
    match step {
        Step::Note(number, name, aliases) => {
            if let Some(note) = note(number, &name, &aliases) {
                indexes.put_note(&note, []).unwrap();
                rows.notes.insert(note.id, note);
            }
        }
        Step::Forget(number) => {
            let id = NoteId(Uuid::from_u128(number));
            indexes.remove_note(id);
            rows.notes.remove(&id);
        }
        Step::Say(number, text) => {
            put_message(indexes, number, &text, false);
            if rows.messages.insert(number, text).is_none() {
                rows.written.push(number);
            }
        }
        Step::Unsay(number) => {
            indexes.remove_message(message_id(number));
            rows.messages.remove(&number);
            rows.written.retain(|written| *written != number);
        }
        Step::Call(names) => {
            indexes.call(names.clone());
            rows.own = names;
        }
    }
    indexes.settle();
    for id in indexes.uncut(usize::MAX) {
        let (number, text) = rows
            .messages
            .iter()
            .find(|(number, _)| message_id(**number) == id)
            .unwrap();
        put_message(indexes, *number, text, true);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn texts_are_cut_as_if_they_were_written_last(steps in prop::collection::vec(step(), 1..14)) {
        let mut rows = Rows::default();
        let mut indexes = Indexes::new(4, Segmenter::new());
        for step in steps {
            go(&mut rows, &mut indexes, step);
            let anew = rows.anew();
            prop_assert_eq!(rows.cut_by(&indexes), rows.cut_by(&anew));
            prop_assert_eq!(rows.frequencies(&indexes), rows.frequencies(&anew));
            prop_assert_eq!(rows.beside(&indexes), rows.beside(&anew));
        }
    }

    #[test]
    fn a_text_in_which_a_name_is_found_has_its_certain_terms(
        name in pieces(1..4),
        before in pieces(0..4),
        after in pieces(0..4),
        others in prop::collection::vec(pieces(1..3), 0..3),
    ) {
        let text = format!("{before}{name}{after}");
        let mut segmenter = Segmenter::new();
        segmenter.add_name(&name);
        prop_assume!(!segmenter.names_in(&text).is_empty());
        for known in [false, true] {
            let mut segmenter = Segmenter::new();
            if known {
                segmenter.add_name(&name);
            }
            for other in &others {
                segmenter.add_name(other);
            }
            let terms: BTreeSet<String> = segmenter.segment(&text).into_iter().map(|token| token.text).collect();
            for term in Segmenter::certain_terms(&name) {
                prop_assert!(terms.contains(&term), "{} of {} in {}: {:?}", term, name, text, terms);
            }
        }
    }
}

/// Of two possessive endings only the last comes off, so that what is left is no term of the name alone.
#[test]
fn a_name_with_a_possessive_ending_has_no_term_that_another_ending_would_change() {
    let mut segmenter = Segmenter::new();
    segmenter.add_name("iPhone's");
    assert!(!segmenter.names_in("iPhone's's").is_empty());
    assert_eq!(Segmenter::certain_terms("iPhone's"), Vec::<String>::new());
    assert_eq!(Segmenter::certain_terms("iPhone"), ["iphon"]);
    assert_eq!(Segmenter::certain_terms("O'Brien"), ["o'brien"]);
}

#[test]
fn what_was_said_before_a_name_was_known_is_found_by_it_and_by_its_parts() {
    let (mut rows, mut indexes) = (Rows::default(), Indexes::new(4, Segmenter::new()));
    let said = "昨晚我们住在雨夜钟楼旅店";
    go(&mut rows, &mut indexes, Step::Say(0, said.to_owned()));
    assert_eq!(indexes.words.document_frequency("雨夜钟楼旅店"), 0);
    let inn = Step::Note(1, "雨夜钟楼旅店".to_owned(), Vec::new());
    go(&mut rows, &mut indexes, inn);
    for part in ["雨夜钟楼旅店", "钟楼", "旅店"] {
        let texts = indexes.words.document_frequency(part);
        assert_eq!(texts, 2, "{part}: the note and the message");
    }
    let asked = indexes.segmenter.segment("雨夜钟楼旅店呢？");
    let name = asked.iter().find(|token| token.kind == TokenKind::Name);
    assert_eq!(name.map(|token| &*token.text), Some("雨夜钟楼旅店"));
    go(&mut rows, &mut indexes, Step::Forget(1));
    assert_eq!(indexes.words.document_frequency("雨夜钟楼旅店"), 0);
    assert_eq!(indexes.words.document_frequency("旅店"), 1);
}

/// A name that two notes have stays one until both are gone; what the language knows already needs no telling.
#[test]
fn a_name_is_a_word_for_as_long_as_anything_is_called_so() {
    let mut rows = Rows::default();
    let mut indexes = Indexes::new(4, Segmenter::new());
    let is_name = |indexes: &Indexes, text: &str| !indexes.segmenter.names_in(text).is_empty();
    for number in [1, 2] {
        go(
            &mut rows,
            &mut indexes,
            Step::Note(number, "林小满".to_owned(), Vec::new()),
        );
    }
    go(
        &mut rows,
        &mut indexes,
        Step::Note(3, "咖啡".to_owned(), Vec::new()),
    );
    go(&mut rows, &mut indexes, Step::Forget(1));
    assert!(is_name(&indexes, "林小满"));
    go(&mut rows, &mut indexes, Step::Forget(2));
    assert!(!is_name(&indexes, "林小满"));
    assert!(
        !is_name(&indexes, "去咖啡馆"),
        "or the word for the place would be cut in two"
    );
    go(
        &mut rows,
        &mut indexes,
        Step::Call(vec!["小满满".to_owned()]),
    );
    assert!(is_name(&indexes, "小满满来了"));
    go(&mut rows, &mut indexes, Step::Call(Vec::new()));
    assert!(!is_name(&indexes, "小满满来了"));
}

/// What a check of a memory looks for: a text, a vector or a link that is not what its row makes.
#[test]
fn an_index_that_is_not_what_a_row_makes_differs_from_it() {
    let key = DocKey::Message(message_id(0));
    let said = |text: &str, vector: [f32; 4]| {
        let mut indexes = Indexes::new(4, Segmenter::new());
        put_message(&mut indexes, 0, text, false);
        indexes.vectors.put(key, &vector).unwrap();
        indexes
    };
    let alone = said("雨停了", [1.0, 0.0, 0.0, 0.0]);
    assert_eq!(
        said("雨停了", [1.0, 0.0, 0.0, 0.0]).differs(&alone, key),
        None
    );
    let other_text = said("雪停了", [1.0, 0.0, 0.0, 0.0]);
    assert_eq!(other_text.differs(&alone, key), Some("the word index"));
    let other_vector = said("雨停了", [0.0, 1.0, 0.0, 0.0]);
    assert_eq!(other_vector.differs(&alone, key), Some("the vector index"));
    assert_eq!(
        Indexes::new(4, Segmenter::new()).differs(&alone, key),
        Some("the word index")
    );
    let note = note(1, "林小满", &[]).unwrap();
    let mut indexes = Indexes::new(4, Segmenter::new());
    indexes.put_note(&note, []).unwrap();
    indexes.settle();
    assert!(indexes.has_links_of(&note));
    let mut linked = note.clone();
    linked.mem_links.push(MemoryLink {
        id: LinkId(Uuid::from_u128(7)),
        from: note.id,
        to: NoteId(Uuid::from_u128(2)),
        intensity: 1.0,
        link_type: serde_json::from_value(json!({"Sem": {"verb": "knows", "confidence": 0.5}}))
            .unwrap(),
    });
    assert!(!indexes.has_links_of(&linked));
}
