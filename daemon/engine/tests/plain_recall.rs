//! Plain lines: what must come first, and lines that hold next to nothing.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

mod small_memory;

use std::sync::LazyLock;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use proptest::prelude::*;
use proptest::sample::Index;
use small_memory::{Directions, Shelf, WORDS, known, line, lived, options, said};
use soulmem_engine::graph::Scratch;
use soulmem_engine::index::Said;
use soulmem_engine::model::{
    FixedClock, MemoryNote, MessageId, NoteDraft, NoteId, SequentialIds, Source,
};
use soulmem_engine::recall::plain::PlainScore;
use soulmem_engine::recall::plain::channel::{Channel, FusionWeights};
use soulmem_engine::recall::{Indexes, Memory, Options, Recalled, Utterances, recall};
use soulmem_engine::text::{Segmenter, key, sentences};
use uuid::Uuid;

static SEGMENTER: LazyLock<Segmenter> = LazyLock::new(Segmenter::new);
static UTC: TimeZone = TimeZone::UTC;

/// A memory of notes and messages, without vectors.
struct Small {
    indexes: Indexes,
    shelf: Shelf,
    messages: Vec<String>,
}

impl Small {
    fn new() -> Self {
        Self {
            indexes: Indexes::new(WORDS.len(), SEGMENTER.clone()),
            shelf: Shelf::default(),
            messages: Vec::new(),
        }
    }

    fn note(&mut self, body: &str) -> NoteId {
        self.note_of(body, &[])
    }

    fn note_of(&mut self, body: &str, messages: &[MessageId]) -> NoteId {
        let id = NoteId(Uuid::from_u128(1_000 + self.shelf.0.len() as u128));
        let body = serde_json::from_str(body).unwrap();
        let clock = FixedClock(Timestamp::UNIX_EPOCH);
        let draft = NoteDraft::new(body).with_id(id);
        let draft = messages.iter().fold(draft, |draft, id| {
            draft.from_source(Source::Message { id: *id })
        });
        let note: MemoryNote = draft.build(&clock, &SequentialIds::new()).unwrap();
        self.indexes.put_note(&note, []).unwrap();
        self.shelf.0.insert(id, note.into());
        id
    }

    fn message(&mut self, text: &str) -> MessageId {
        self.turn(text, None, None)
    }

    fn turn(&mut self, text: &str, speaker: Option<&str>, talk: Option<&str>) -> MessageId {
        let id = MessageId(Uuid::from_u128(1 + self.messages.len() as u128));
        let message = Said {
            speaker,
            talk,
            zone: &UTC,
            ..said(id, text)
        };
        self.indexes.put_message(&message, None).unwrap();
        self.messages.push(text.to_owned());
        id
    }

    fn ask(&mut self, text: &str, options: &Options) -> Recalled {
        self.indexes.settle();
        let memory = Memory {
            indexes: &self.indexes,
            bodies: &self.shelf,
            embedded: &Directions,
            retention: &|_| 1.0,
            admits: &|_| true,
        };
        recall(&memory, &line(text), options, &mut Scratch::new()).unwrap()
    }

    fn said(&self, id: MessageId) -> &str {
        &self.messages[id.0.as_u128() as usize - 1]
    }
}

/// 0.65 of its score is what is left to a note beside the messages that it was made of.
#[test]
fn a_note_steps_behind_the_talk_that_it_was_made_of_where_that_can_speak() {
    let tea = known("Tea", "She likes jasmine tea in the evening.");
    let score = |made_of_talk: bool, there: bool, utterances: Utterances, asked: &str| {
        let mut small = Small::new();
        let said = small.message("Jasmine tea, please. It is evening, I like it most then.");
        let made_of = [said].into_iter().filter(|_| made_of_talk);
        small.note_of(&tea, &made_of.collect::<Vec<_>>());
        if !there {
            small.indexes.remove_message(said);
        }
        let asked = small.ask(
            asked,
            &Options {
                utterances,
                ..options()
            },
        );
        let hit = &asked.notes[0];
        let steps_behind = made_of_talk && there && utterances == Utterances::Searched;
        assert_eq!(hit.why.behind_talk, steps_behind && hit.score < 1.0);
        hit.score
    };
    let same = |one: f64, other: f64| assert_eq!(one.to_bits(), other.to_bits());
    let line = "jasmine tea?";
    let usual = score(false, true, Utterances::Searched, line);
    let beside = score(true, true, Utterances::Searched, line);
    assert!((beside - 0.65 * usual).abs() < 1e-12, "{beside} of {usual}");
    let alone = score(true, false, Utterances::Searched, line);
    same(alone, score(false, false, Utterances::Searched, line));
    same(score(true, true, Utterances::LeftOut, line), usual);
    let exact = "She likes jasmine tea in the evening.";
    same(score(true, true, Utterances::Searched, exact), 1.0);
}

/// The text that stands first, over notes and messages together.
fn first(small: &Small, recalled: &Recalled) -> Option<String> {
    let note = recalled.notes.first();
    let message = recalled.utterances.first();
    let note_score = note.map_or(f64::NEG_INFINITY, |hit| hit.score);
    match message {
        Some(hit) if hit.score >= note_score => Some(small.said(hit.id).to_owned()),
        _ => note.map(|hit| {
            let texts = hit.note.text_fields();
            let texts: Vec<_> = texts.into_iter().map(|(_, text)| text).collect();
            texts.join("\n")
        }),
    }
}

/// Whether a text is worded so, or a line or sentence of it is.
fn is_worded(text: &str, wording: &str) -> bool {
    let wanted = key(wording);
    let sentences = sentences(text).into_iter().map(|range| &text[range]);
    let mut parts = std::iter::once(text).chain(text.lines()).chain(sentences);
    parts.any(|part| key(part) == wanted)
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-c ]{1,12}",
        "(tea|rain|the|of|I|Ada|lamp)( (tea|rain|the|of|I|Ada|lamp)){0,6}[.?!]?",
        "[雨灯茶我的了河]{1,8}[。？]?",
        "(😀|🌧|🍵){1,3}",
        "\\PC{1,20}",
    ]
}

proptest! {
    #[test]
    fn what_is_worded_exactly_so_comes_first(
        messages in prop::collection::vec(text(), 1..12),
        notes in prop::collection::vec(text(), 0..6),
        picked in any::<Index>(),
    ) {
        let mut small = Small::new();
        for text in &messages {
            small.message(text);
        }
        for text in &notes {
            small.note(&serde_json::json!({"Semantic": {
                "content": "a thing", "aliases": [], "concept_type": "Entity", "description": text,
            }}).to_string());
        }
        let all: Vec<&String> = messages.iter().chain(&notes).collect();
        let wording = picked.get(&all).as_str();
        prop_assume!(!key(wording).is_empty());
        let recalled = small.ask(wording, &options());
        let first = first(&small, &recalled);
        prop_assert!(first.as_deref().is_some_and(|first| is_worded(first, wording)), "{first:?}");
    }

    #[test]
    fn what_was_made_of_a_talk_changes_nothing_of_how_its_turns_rank(
        turns in prop::collection::vec(text(), 1..12),
        made in prop::collection::vec(text(), 1..12),
        asked in text(),
    ) {
        prop_assume!(!asked.trim().is_empty());
        let mut small = Small::new();
        for (at, text) in turns.iter().enumerate() {
            small.turn(text, Some(["Ada", "Wei"][at % 2]), Some("one"));
        }
        let before = small.ask(&asked, &options());
        for text in made.iter().filter(|text| !text.trim().is_empty()) {
            let body = serde_json::json!({"Situation": {"SpecificSituation": {
                "narrative": text, "time_span": "2025-05-01T20:00:00Z",
            }}});
            small.note(&body.to_string());
        }
        prop_assert_eq!(small.ask(&asked, &options()).utterances, before.utterances);
    }

    #[test]
    fn no_line_is_too_odd(messages in prop::collection::vec(text(), 0..6), asked in "\\PC{1,60}") {
        prop_assume!(!asked.trim().is_empty());
        let mut small = Small::new();
        for text in &messages {
            small.turn(text, Some("Ada"), Some("one"));
        }
        let recalled = small.ask(&asked, &options());
        prop_assert!(recalled.understood.is_some());
        prop_assert!(recalled.utterances.is_sorted_by(|a, b| a.score >= b.score));
        for hit in &recalled.utterances {
            prop_assert!((0.0..=1.0).contains(&hit.score));
            prop_assert!(hit.channels.named().all(|(_, value)| value.is_finite()));
        }
    }
}

fn talk() -> Small {
    let mut small = Small::new();
    for text in [
        "我们去河边喝茶",
        "灯坏了",
        "昨天下雨",
        "The lamp is broken 😀",
    ] {
        small.message(text);
    }
    small
}

#[test]
fn one_and_two_characters_are_enough() {
    let mut small = talk();
    for (asked, found) in [
        ("茶", "我们去河边喝茶"),
        ("灯", "灯坏了"),
        ("下雨", "昨天下雨"),
        ("河边", "我们去河边喝茶"),
    ] {
        let recalled = small.ask(asked, &options());
        assert_eq!(first(&small, &recalled).unwrap(), found, "{asked}");
    }
}

#[test]
fn function_words_alone_find_what_holds_them() {
    let mut small = talk();
    let recalled = small.ask("is the", &Options::with_floor(0.0));
    assert_eq!(first(&small, &recalled).unwrap(), "The lamp is broken 😀");
    let recalled = small.ask("我们", &Options::with_floor(0.0));
    assert_eq!(first(&small, &recalled).unwrap(), "我们去河边喝茶");
}

#[test]
fn an_emoji_finds_its_like() {
    let mut small = talk();
    let recalled = small.ask("😀", &options());
    assert_eq!(first(&small, &recalled).unwrap(), "The lamp is broken 😀");
    assert!(small.ask("🛶", &options()).utterances.is_empty());
}

#[test]
fn a_line_of_ten_thousand_characters_is_answered() {
    let mut small = talk();
    let asked = "雨灯茶河".repeat(2_500);
    assert!(small.ask(&asked, &options()).understood.is_some());
}

#[test]
fn asking_for_more_changes_nothing_of_what_comes_first() {
    let mut small = Small::new();
    for number in 0..300 {
        let lamp = if number % 7 == 0 { " by the lamp" } else { "" };
        small.message(&format!("boat {number} lies here{lamp}"));
    }
    let ask = |small: &mut Small, limit| {
        let options = Options {
            limit,
            ..Options::with_floor(0.0)
        };
        small.ask("the boat with a lamp", &options).utterances
    };
    let few = ask(&mut small, 10);
    let many = ask(&mut small, 400);
    assert_eq!(few.len(), 10);
    assert_eq!(few[..], many[..10]);
}

#[test]
fn what_answers_a_question_that_fits_is_told_from_what_follows_it_anywhere() {
    let mut small = Small::new();
    small.turn("Where is the lamp?", Some("Ada"), Some("monday"));
    let answer = small.turn("Behind the green door", Some("Bo"), Some("monday"));
    small.turn("The lamp is old", Some("Ada"), Some("tuesday"));
    let follows = small.turn("So is the red door", Some("Bo"), Some("tuesday"));
    let recalled = small.ask("lamp", &Options::with_floor(0.0));
    let answers = |id| {
        let hit = recalled.utterances.iter().find(|hit| hit.id == id);
        hit.unwrap().channels.get(Channel::Answers)
    };
    assert!(answers(answer) > 0.0);
    assert!(answers(follows).abs() < 1e-12);
}

#[test]
fn behind_the_first_five_what_stands_around_a_turn_counts_less() {
    let mut small = Small::new();
    for talk in 0..12 {
        for turn in 0..5 {
            let lamp = if (talk * turn) % 4 == 1 { " lamp" } else { "" };
            let text = format!("about {talk}{lamp} and thing {turn}");
            small.turn(&text, Some("Ada"), Some(&talk.to_string()));
        }
    }
    let options = Options {
        limit: 60,
        ..Options::with_floor(0.0)
    };
    let hits = small.ask("lamp thing", &options).utterances;
    let weights = FusionWeights::default().turn;
    let sum = |hit: &PlainScore<MessageId>| weights.sum(&hit.channels);
    let around = |hit: &PlainScore<MessageId>| {
        let of = |weight, channel| weight * hit.channels.get(channel);
        of(weights.before, Channel::Before)
            + of(weights.after, Channel::After)
            + of(weights.talk, Channel::Talk)
            + of(weights.talk_words, Channel::TalkWords)
    };
    let (head, rest) = hits.split_at(5);
    assert!(rest.len() > 20);
    assert!(head.is_sorted_by(|a, b| sum(a) >= sum(b)));
    assert!(rest.iter().all(|hit| sum(hit) <= sum(&head[4])));
    let own = |hit| sum(hit) - 0.2 * around(hit);
    assert!(rest.is_sorted_by(|a, b| own(a) >= own(b) - 1e-9));
}

#[test]
fn a_general_word_finds_what_falls_under_it() {
    for (held, other, asked) in [
        (
            "We took in a puppy",
            "The boat is red",
            "Which pets are there?",
        ),
        (
            "She plays the violin",
            "It rained a lot",
            "Any instruments?",
        ),
        ("我们养了一只兔子", "那条船是红的", "有什么宠物？"),
        ("她会拉小提琴", "雨下得很大", "会什么乐器？"),
        ("The movie was long", "It rained a lot", "films"),
        ("昨天见了我母亲", "雨下得很大", "妈妈"),
    ] {
        let mut small = Small::new();
        small.message(other);
        small.message(held);
        let recalled = small.ask(asked, &Options::with_floor(0.0));
        assert_eq!(first(&small, &recalled).unwrap(), held, "{asked}");
    }
    // Not the other way: who asks for a rabbit is not told of pets.
    let mut small = Small::new();
    small.message("All pets are welcome");
    let hits = small.ask("rabbit", &Options::with_floor(0.0)).utterances;
    assert!(
        hits.iter()
            .all(|hit| hit.channels.get(Channel::Share) < 1e-9)
    );
}

#[test]
fn what_is_asked_for_is_told_from_what_else_has_the_words() {
    // What is asked, what tells it, and what has the same words and does not.
    for (asked, tells, does_not) in [
        (
            "Where is the lamp?",
            "The lamp is at the museum",
            "The lamp is green",
        ),
        (
            "Who has the lamp?",
            "My sister has the lamp",
            "The lamp is green",
        ),
        (
            "Which lamp is your favorite?",
            "I love that lamp",
            "The lamp is green",
        ),
        ("灯在哪里？", "灯在图书馆", "灯是绿的"),
        ("灯是谁的？", "灯是我姐姐的", "灯是绿的"),
        ("你最喜欢什么灯？", "我喜欢那盏灯", "灯是绿的"),
    ] {
        let mut small = Small::new();
        let told = small.message(tells);
        small.message(does_not);
        let recalled = small.ask(asked, &Options::with_floor(0.0));
        for hit in recalled.utterances {
            let expected = if hit.id == told { 1.0 } else { 0.0 };
            let kind = hit.channels.get(Channel::TellsKind);
            assert!(
                (kind - expected).abs() < 1e-12,
                "{asked}: {}",
                small.said(hit.id)
            );
        }
    }
}

#[test]
fn who_is_named_and_speaks_of_themselves_is_told_from_who_speaks_of_others() {
    let mut small = Small::new();
    let own = small.turn("I have a boat", Some("Ada"), Some("one"));
    let of_others = small.turn("The boat is red", Some("Ada"), Some("one"));
    let other = small.turn("I like your boat", Some("Bo"), Some("one"));
    let recalled = small.ask("Does Ada have a boat?", &Options::with_floor(0.0));
    let of_self = |id| {
        let hit = recalled.utterances.iter().find(|hit| hit.id == id);
        hit.unwrap().channels.get(Channel::OfSelf) > 0.5
    };
    assert_eq!([own, of_others, other].map(of_self), [true, false, false]);
}

#[test]
fn what_stands_next_to_a_hit_comes_before_what_stands_nowhere() {
    let mut small = Small::new();
    let asked = small.turn("Where is the lamp?", Some("Ada"), Some("monday"));
    let answer = small.turn("Behind the green door", Some("Bo"), Some("monday"));
    for text in ["Two old boats", "The song was long", "Stones are heavy"] {
        small.turn(text, Some("Bo"), Some("tuesday"));
    }
    let recalled = small.ask("lamp", &Options::with_floor(0.0));
    let order: Vec<MessageId> = recalled.utterances.iter().map(|hit| hit.id).collect();
    assert!(
        order[..2].contains(&asked) && order[..2].contains(&answer),
        "{order:?}"
    );
    let told = recalled.utterances.iter().find(|hit| hit.id == answer);
    assert!(told.unwrap().channels.get(Channel::Before) > 0.0);
}

#[test]
fn the_name_in_a_question_is_who_speaks_and_not_who_is_called() {
    let mut small = Small::new();
    let called = small.turn("Ada, the boat is new", Some("Bo"), Some("one"));
    let spoke = small.turn("My boat is new", Some("Ada"), Some("two"));
    let recalled = small.ask("Ada boat", &Options::with_floor(0.0));
    let order: Vec<MessageId> = recalled.utterances.iter().map(|hit| hit.id).collect();
    assert_eq!(order, [spoke, called]);
}

#[test]
fn of_several_questions_each_is_answered() {
    let mut small = Small::new();
    let wanted = [
        small.message("The kettle holds two litres"),
        small.message("The harbour closes at noon"),
    ];
    for number in 0..12 {
        small.message(&format!(
            "Number {number} is a kettle of another harbour's kind"
        ));
    }
    let recalled = small.ask(
        "How many litres does it hold? When is it that the place closes?",
        &Options::with_floor(0.0),
    );
    let mut order: Vec<MessageId> = recalled.utterances[..2].iter().map(|hit| hit.id).collect();
    order.sort_unstable();
    assert_eq!(order, wanted);
}

#[test]
fn what_answers_one_question_of_several_is_as_relevant_as_to_that_question_alone() {
    let mut small = Small::new();
    let wanted = small.message("The harbour closes at noon");
    small.message("The kettle holds two litres");
    let mut words = |text: &str| {
        let recalled = small.ask(text, &Options::with_floor(0.0));
        let hit = recalled.utterances.iter().find(|hit| hit.id == wanted);
        hit.unwrap().words
    };
    let alone = words("When is it that the harbour closes?");
    let beside = words(
        "When is it that the harbour closes? Which of the grey horses was it that ate the neighbour's apples?",
    );
    assert!(alone > 0.3, "{alone}");
    assert_eq!(beside.to_bits(), alone.to_bits());
}

#[test]
fn a_note_is_reached_over_what_another_mentions() {
    let mut small = Small::new();
    let film = small.note(&known(
        "Green Harbour",
        "A film that was directed by Ada Marlow.",
    ));
    let director = small.note(&known("Ada Marlow", "She was born in Holm."));
    for number in 0..8 {
        small.note(&known(
            &format!("Film {number}"),
            "A film that was directed by somebody.",
        ));
    }
    let recalled = small.ask(
        "Where was the director of Green Harbour born?",
        &Options::with_floor(0.0),
    );
    let order: Vec<NoteId> = recalled.notes.iter().map(|hit| hit.note.id).collect();
    assert_eq!(order[..2], [film, director]);
}

#[test]
fn a_situation_is_found_by_its_words() {
    let mut small = Small::new();
    let flood = small.note(&lived("evening flood tea house"));
    small.note(&lived("grandmother song lamp"));
    let recalled = small.ask("the flood", &options());
    assert_eq!(recalled.notes[0].note.id, flood);
}
