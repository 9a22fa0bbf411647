//! What an answer may depend on: the notes, the links and the question. Not on what happens to be in working memory, nor
//! on the order in which things were written.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

mod small_memory;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use proptest::prelude::*;
use proptest::sample::Index;
use small_memory::{DOWN, Directions, SEM, Shelf, UP, WORDS, habit, known, lived, place, vector};
use soulmem_engine::graph::Scratch;
use soulmem_engine::graph::activation::{Consolidation, WorkingMemory};
use soulmem_engine::model::{
    FixedClock, LinkDraft, MemoryNote, MessageId, NoteDraft, NoteId, NoteKind, SequentialIds,
};
use soulmem_engine::recall::{
    Bodies, Indexes, Memory, Options, Question, SourceError, recall, searched_texts,
};
use soulmem_engine::text::Segmenter;
use uuid::Uuid;

/// Reads its dictionary once.
static SEGMENTER: LazyLock<Segmenter> = LazyLock::new(Segmenter::new);

/// Bodies that come from the disk into a bounded working memory, and leave it again.
struct Bounded<'a> {
    disk: &'a Shelf,
    working: RefCell<WorkingMemory>,
}

impl Bodies for Bounded<'_> {
    fn notes(&self, ids: &[NoteId]) -> Result<Vec<Option<Arc<MemoryNote>>>, SourceError> {
        let mut working = self.working.borrow_mut();
        let body = |id: &NoteId| {
            working.activate(*id).or_else(|| {
                let note = Arc::clone(self.disk.0.get(id)?);
                working.put(Arc::clone(&note), Consolidation::Done);
                Some(note)
            })
        };
        Ok(ids.iter().map(body).collect())
    }
}

/// Everything that a memory is made from.
#[derive(Clone, Debug)]
struct Written {
    notes: Vec<MemoryNote>,
    messages: Vec<String>,
    questions: Vec<Question>,
}

fn words(range: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    let word = prop::sample::select(WORDS.as_slice());
    prop::collection::vec(word, range).prop_map(|words| words.join(" "))
}

fn body() -> impl Strategy<Value = String> {
    prop_oneof![
        (words(1..3), words(0..4)).prop_map(|(content, description)| known(&content, &description)),
        words(1..6).prop_map(|narrative| lived(&narrative)),
        words(1..3).prop_map(|name| place(&name)),
        words(1..3).prop_map(|content| habit(&content)),
    ]
}

fn question() -> impl Strategy<Value = Question> {
    let query = prop_oneof![
        words(1..4).prop_map(|name| {
            format!(r#"{{"variant": {{"Semantic": [{{"concept_identifier": "{name}"}}]}}}}"#)
        }),
        words(1..4).prop_map(|told| {
            format!(r#"{{"variant": {{"Situation": [{{"narrative": "{told}"}}]}}}}"#)
        }),
    ];
    let queries = prop::collection::vec(query, 0..3);
    (queries, words(1..4)).prop_map(|(queries, text)| Question {
        queries: queries
            .iter()
            .map(|query| serde_json::from_str(query).unwrap())
            .collect(),
        text: Some(text),
        ..Question::default()
    })
}

fn written() -> impl Strategy<Value = Written> {
    let links = prop::collection::vec((any::<Index>(), 0.05f64..2.0, 0.0f64..=1.0), 0..4);
    (
        prop::collection::vec((body(), links), 2..24),
        prop::collection::vec(words(1..5), 0..6),
        prop::collection::vec(question(), 1..6),
    )
        .prop_map(|(notes, messages, questions)| Written {
            notes: built(&notes),
            messages,
            questions,
        })
}

type Link = (Index, f64, f64);

fn built(notes: &[(String, Vec<Link>)]) -> Vec<MemoryNote> {
    let clock = FixedClock("2026-01-01T00:00:00Z".parse().unwrap());
    let (ids, kinds): (Vec<NoteId>, Vec<NoteKind>) = notes
        .iter()
        .enumerate()
        .map(|(place, (body, _))| {
            let draft = NoteDraft::new(serde_json::from_str(body).unwrap());
            let note = draft.build(&clock, &SequentialIds::new()).unwrap();
            (NoteId(Uuid::from_u128(place as u128 + 1)), note.kind())
        })
        .unzip();
    let source = SequentialIds::new();
    let note = |(place, (body, links)): (usize, &(String, Vec<Link>))| {
        let mut draft = NoteDraft::new(serde_json::from_str(body).unwrap()).with_id(ids[place]);
        for (to, intensity, confidence) in links {
            let to = to.index(ids.len());
            if to != place {
                let kind = link_type(kinds[place], kinds[to], *confidence);
                let link = LinkDraft::new(ids[to], serde_json::from_str(&kind).unwrap());
                draft = draft.linked(link.with_intensity(*intensity));
            }
        }
        draft.build(&clock, &source).unwrap()
    };
    notes.iter().enumerate().map(note).collect()
}

fn link_type(from: NoteKind, to: NoteKind, confidence: f64) -> String {
    match (from, to) {
        (NoteKind::AbstractSituation, NoteKind::SpecificSituation) => DOWN.to_owned(),
        (NoteKind::SpecificSituation, NoteKind::AbstractSituation) => UP.to_owned(),
        (NoteKind::SpecificSituation | NoteKind::AbstractSituation, NoteKind::Procedure) => {
            small_memory::trigger(confidence)
        }
        _ => SEM.replace("0.9", &confidence.to_string()),
    }
}

fn shelf(notes: &[MemoryNote]) -> Shelf {
    let notes = notes.iter();
    Shelf(
        notes
            .map(|note| (note.id, Arc::new(note.clone())))
            .collect::<BTreeMap<_, _>>(),
    )
}

fn put(indexes: &mut Indexes, note: &MemoryNote) {
    let texts = searched_texts(note);
    let vectors = texts
        .iter()
        .map(|(field, place, text)| (*field, *place, vector(text)));
    indexes.put_note(note, vectors).unwrap();
}

fn indexed<'a>(
    notes: impl IntoIterator<Item = &'a MemoryNote>,
    messages: impl IntoIterator<Item = (usize, &'a String)>,
) -> Indexes {
    let mut indexes = Indexes::new(WORDS.len(), SEGMENTER.clone());
    for note in notes {
        put(&mut indexes, note);
    }
    for (place, text) in messages {
        let id = MessageId(Uuid::from_u128(place as u128 + 1));
        let vector = vector(text);
        indexes
            .put_message(&small_memory::said(id, text), Some(&vector))
            .unwrap();
    }
    indexes.settle();
    indexes
}

/// The whole answer, with every number to the last bit and why each hit came up.
fn answer(
    indexes: &Indexes,
    bodies: &dyn Bodies,
    question: &Question,
    scratch: &mut Scratch,
) -> String {
    let memory = Memory {
        indexes,
        bodies,
        embedded: &Directions,
        retention: &|_| 1.0,
        admits: &|_| true,
    };
    let recalled = recall(&memory, question, &Options::with_floor(0.2), scratch).unwrap();
    format!("{recalled:?}")
}

proptest! {
    #[test]
    fn what_is_in_working_memory_changes_no_answer(written in written()) {
        let disk = shelf(&written.notes);
        let indexes = indexed(&written.notes, written.messages.iter().enumerate());
        // None fits; one; a few, so that each question turns out what the one before brought in; all.
        for capacity in [0, 1, 5, 1_000] {
            let bodies = Bounded { disk: &disk, working: RefCell::new(WorkingMemory::new(capacity)) };
            let mut scratch = Scratch::new();
            for question in written.questions.iter().chain(&written.questions) {
                let cold = answer(&indexes, &disk, question, &mut Scratch::new());
                prop_assert_eq!(answer(&indexes, &bodies, question, &mut scratch), cold);
            }
        }
    }

    #[test]
    fn the_order_of_writing_changes_no_answer(
        (written, order, gone) in written().prop_flat_map(|written| {
            let order: Vec<usize> = (0..written.notes.len()).collect();
            (Just(written), Just(order).prop_shuffle(), any::<Index>())
        })
    ) {
        let disk = shelf(&written.notes);
        let indexes = indexed(&written.notes, written.messages.iter().enumerate());
        let shuffled = order.iter().map(|place| &written.notes[*place]);
        let mut other = indexed(shuffled, written.messages.iter().enumerate().rev());
        for question in &written.questions {
            prop_assert_eq!(
                answer(&other, &disk, question, &mut Scratch::new()),
                answer(&indexes, &disk, question, &mut Scratch::new())
            );
        }
        // Taken out and put in again, with the links to it that ended with it.
        let gone = &written.notes[gone.index(written.notes.len())];
        other.remove_note(gone.id);
        put(&mut other, gone);
        for note in written.notes.iter().filter(|note| note.mem_links.iter().any(|link| link.to == gone.id)) {
            put(&mut other, note);
        }
        other.settle();
        for question in &written.questions {
            prop_assert_eq!(
                answer(&other, &disk, question, &mut Scratch::new()),
                answer(&indexes, &disk, question, &mut Scratch::new())
            );
        }
    }
}
