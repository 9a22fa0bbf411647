//! What a character answers depends on what it remembers, never on what of that happens to be at hand.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::Path;
use std::sync::{Arc, LazyLock};

use proptest::prelude::*;
use proptest::sample::Index;
use soulmem::eval::data::query_file::QueryFile;
use soulmem::soul::Curves;
use soulmem::soul::mind::{Admission, Mind};
use soulmem::soul::outside::Outside;
use soulmem::store::{Links, NewSoul, NoteWrite, OnExisting, Store, StoreOptions};
use soulmem_embed::LexicalModel;
use soulmem_engine::model::{FixedClock, MemoryNote, SequentialIds};
use soulmem_engine::recall::{Options, Question};
use tempfile::TempDir;

/// The same character several times, and what it is asked.
struct Twins {
    /// Never has a body at hand: everything comes from the disk.
    cold: Mind,
    /// Room for one body, for a few of those that one question needs, and for all.
    others: Vec<Mind>,
    /// The same notes, written last to first.
    reversed: Mind,
    questions: Vec<Question>,
    _folders: [TempDir; 2],
}

fn stored(notes: &[MemoryNote]) -> (TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let outside = Outside::system();
    let options = StoreOptions::new(outside.clock, outside.ids);
    let soul = NewSoul::named("mika".parse().unwrap());
    let store = Store::create(folder.path(), soul, &options).unwrap();
    let write = |note: &MemoryNote| NoteWrite {
        note: note.clone(),
        on_existing: OnExisting::Refuse,
        links: Links::Set,
    };
    let writes: Vec<NoteWrite> = notes.iter().map(write).collect();
    futures::executor::block_on(store.write(move |tx| tx.put_notes(&writes))).unwrap();
    (folder, store)
}

static TWINS: LazyLock<Twins> = LazyLock::new(|| {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/queries/mika.json");
    let file = QueryFile::read(&file).unwrap();
    let clock = FixedClock("2026-01-01T00:00:00Z".parse().unwrap());
    let ids = SequentialIds::new();
    let drafts = file.graph.notes.iter();
    let mut notes: Vec<MemoryNote> = drafts
        .map(|draft| draft.clone().build(&clock, &ids).unwrap())
        .collect();
    let (folder, store) = stored(&notes);
    notes.reverse();
    let (other_folder, other_store) = stored(&notes);
    let model = Arc::new(LexicalModel::new());
    let awake = |store: &Store, capacity| {
        Mind::wake(store.clone(), model.clone(), capacity, Curves::default()).unwrap()
    };
    let asked = file.cases.iter().map(|case| Question {
        queries: case.sub_queries.clone(),
        text: Some(case.description.clone()),
        ..Question::default()
    });
    Twins {
        cold: awake(&store, 0),
        others: [1, 15, 20_000]
            .map(|capacity| awake(&store, capacity))
            .into(),
        reversed: awake(&other_store, 20_000),
        questions: asked.collect(),
        _folders: [folder, other_folder],
    }
});

/// The whole answer, with every number to the last bit and why each hit came up.
fn answer(mind: &Mind, question: &Question) -> String {
    let admission = Admission {
        now: "2026-06-01T00:00:00Z".parse().unwrap(),
        ..Admission::default()
    };
    let options = Options::with_floor(mind.model().floor().into());
    let remembered = mind.recall(question, &options, &admission).unwrap();
    format!("{:?} {:?}", remembered.recalled, remembered.pinned)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn what_is_at_hand_and_the_order_of_writing_change_no_answer(
        asked in prop::collection::vec(any::<Index>(), 1..6)
    ) {
        for asked in asked {
            let question = asked.get(&TWINS.questions);
            let expected = answer(&TWINS.cold, question);
            for mind in TWINS.others.iter().chain([&TWINS.reversed]) {
                prop_assert_eq!(answer(mind, question), expected.clone());
            }
        }
    }
}
