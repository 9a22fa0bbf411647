//! Indexes that were kept in a file answer as those made anew from the rows, to the last bit, or are not used at all.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use soulmem::eval::data::query_file::QueryFile;
use soulmem::soul::Curves;
use soulmem::soul::mind::{Admission, Mind};
use soulmem::soul::outside::Outside;
use soulmem::soul::pool::Pool;
use soulmem::store::{
    Erase, Links, NewMessage, NewSoul, NoteWrite, OnExisting, Store, StoreOptions,
};
use soulmem_embed::{EmbedError, EmbeddingModel, LexicalModel, ModelIdentity};
use soulmem_engine::model::{FixedClock, MemoryNote, MessageId, NoteId, SequentialIds};
use soulmem_engine::recall::{Options, Question};
use soulmem_proto::ops::push::Role;
use tokio::runtime::Runtime;
use uuid::Uuid;

/// The notes of a character, and what it is asked.
struct Character {
    notes: Vec<MemoryNote>,
    questions: Vec<Question>,
}

static MIKA: LazyLock<Character> = LazyLock::new(|| {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/queries/mika.json");
    let file = QueryFile::read(&file).unwrap();
    let clock = FixedClock("2026-01-01T00:00:00Z".parse().unwrap());
    let ids = SequentialIds::new();
    let drafts = file.graph.notes.iter();
    let notes = drafts.map(|draft| draft.clone().build(&clock, &ids).unwrap());
    let asked = file.cases.iter().step_by(4).map(|case| Question {
        queries: case.sub_queries.clone(),
        text: Some(case.description.clone()),
        ..Question::default()
    });
    Character {
        notes: notes.collect(),
        questions: asked.collect(),
    }
});

/// The built-in model, counting what it has to embed of what is remembered.
#[derive(Default)]
struct Counting {
    model: LexicalModel,
    passages: AtomicUsize,
    dear: bool,
}

impl EmbeddingModel for Counting {
    fn identity(&self) -> ModelIdentity {
        self.model.identity()
    }

    fn dimension(&self) -> usize {
        self.model.dimension()
    }

    fn token_limit(&self) -> usize {
        self.model.token_limit()
    }

    fn floor(&self) -> f32 {
        self.model.floor()
    }

    fn is_dear(&self) -> bool {
        self.dear
    }

    fn embed_queries(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.model.embed_queries(texts)
    }

    fn embed_passages(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.passages.fetch_add(texts.len(), Ordering::Relaxed);
        self.model.embed_passages(texts)
    }
}

fn options() -> StoreOptions {
    let outside = Outside::system();
    StoreOptions::new(outside.clock, outside.ids)
}

fn create(folder: &Path) -> Store {
    Store::create(folder, NewSoul::named("mika".parse().unwrap()), &options()).unwrap()
}

/// Opens the indexes, and says how many texts had to be embedded for that.
fn wake(store: &Store) -> (Arc<Mind>, usize) {
    wake_with(store, Counting::default())
}

/// The same with a model that is dear.
fn wake_dear(store: &Store) -> (Arc<Mind>, usize) {
    let dear = Counting {
        dear: true,
        ..Counting::default()
    };
    wake_with(store, dear)
}

fn wake_with(store: &Store, model: Counting) -> (Arc<Mind>, usize) {
    let model = Arc::new(model);
    let mind = Mind::wake(
        store.clone(),
        Arc::clone(&model) as _,
        20_000,
        Curves::default(),
    )
    .unwrap();
    (Arc::new(mind), model.passages.load(Ordering::Relaxed))
}

/// The same indexes made of the rows alone.
fn fresh(store: &Store) -> Arc<Mind> {
    let aside = store.index_file().with_extension("aside");
    let moved = fs::rename(store.index_file(), &aside).is_ok();
    let (mind, embedded) = wake(store);
    assert!(embedded > 0);
    if moved {
        fs::rename(&aside, store.index_file()).unwrap();
    }
    mind
}

/// Closes as the daemon does.
fn close(mind: &Mind, store: &Store) {
    mind.keep().unwrap();
    store.close();
    mind.closed();
}

/// Every answer, with every number to the last bit and why each hit came up.
fn answers(mind: &Mind) -> Vec<String> {
    let admission = Admission {
        now: "2026-06-01T00:00:00Z".parse().unwrap(),
        ..Admission::default()
    };
    let options = Options::with_floor(mind.model().floor().into());
    let answer = |question| {
        let remembered = mind.recall(question, &options, &admission).unwrap();
        format!("{:?} {:?}", remembered.recalled, remembered.pinned)
    };
    MIKA.questions.iter().map(answer).collect()
}

fn write(note: &MemoryNote) -> NoteWrite {
    NoteWrite {
        note: note.clone(),
        on_existing: OnExisting::Replace,
        links: Links::Set,
    }
}

fn put(store: &Store, notes: &[MemoryNote]) {
    let writes: Vec<NoteWrite> = notes.iter().map(write).collect();
    store.write(move |tx| tx.put_notes(&writes)).wait().unwrap();
}

fn message(number: u128, text: &str) -> NewMessage {
    NewMessage {
        id: MessageId(Uuid::from_u128(number)),
        role: Role::User,
        name: Some("Mika".to_owned()),
        text: text.to_owned(),
        at: "2026-05-01T12:00:00Z".parse().unwrap(),
        tz: None,
        session: None,
        source: None,
        tag: None,
    }
}

fn push(store: &Store, number: u128, text: &str) {
    let messages = [message(number, text)];
    store.write(move |tx| tx.push(&messages)).wait().unwrap();
}

/// What happens to a memory.
#[derive(Debug, Clone)]
enum Step {
    Notes(usize, usize),
    Delete(usize),
    Say(usize),
    Keep,
    Kill,
    Close,
}

fn step() -> impl Strategy<Value = Step> {
    let notes = MIKA.notes.len();
    prop_oneof![
        3 => (0..notes, 1..30_usize).prop_map(|(first, count)| Step::Notes(first, count)),
        2 => (0..notes).prop_map(Step::Delete),
        2 => (0..notes).prop_map(Step::Say),
        2 => Just(Step::Keep),
        1 => Just(Step::Kill),
        1 => Just(Step::Close),
    ]
}

struct Life {
    folder: tempfile::TempDir,
    store: Store,
    mind: Arc<Mind>,
    pool: Pool,
    said: u128,
}

impl Life {
    fn begin() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = create(folder.path());
        let (mind, _) = wake(&store);
        Self {
            folder,
            store,
            mind,
            pool: Pool::new(1),
            said: 0,
        }
    }

    fn go_through(&mut self, step: &Step, runtime: &Runtime) {
        match step {
            Step::Notes(first, count) => {
                let notes: Vec<_> = MIKA
                    .notes
                    .iter()
                    .skip(*first)
                    .take(*count)
                    .cloned()
                    .collect();
                put(&self.store, &notes);
            }
            Step::Delete(place) => {
                let ids = [MIKA.notes[*place].id];
                let deleted = self.store.write(move |tx| tx.delete_notes(&ids));
                deleted.wait().unwrap();
            }
            Step::Say(place) => {
                self.said += 1;
                let texts = MIKA.notes[*place].text_fields();
                push(&self.store, self.said, &texts[texts.len() - 1].1);
            }
            Step::Keep => self.mind.keep().unwrap(),
            Step::Kill => self.open(),
            Step::Close => {
                close(&self.mind, &self.store);
                self.open();
            }
        }
        runtime.block_on(self.mind.follow(&self.pool)).unwrap();
    }

    fn open(&mut self) {
        self.store.close();
        self.store = Store::open(self.folder.path(), &options()).unwrap();
        self.mind = wake(&self.store).0;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn what_was_kept_answers_as_what_is_made_anew(steps in prop::collection::vec(step(), 1..14)) {
        let runtime = Runtime::new().unwrap();
        let mut life = Life::begin();
        for step in &steps {
            life.go_through(step, &runtime);
        }
        let expected = answers(&life.mind);
        prop_assert_eq!(life.mind.differences().unwrap(), Vec::<String>::new());
        close(&life.mind, &life.store);
        life.store = Store::open(life.folder.path(), &options()).unwrap();
        let (kept, embedded) = wake(&life.store);
        prop_assert_eq!(embedded, 0);
        prop_assert_eq!(answers(&kept), expected.clone());
        if !MIKA.notes.is_empty() && kept.sizes().unwrap().documents > 0 {
            prop_assert_eq!(answers(&fresh(&life.store)), expected);
        }
    }
}

/// A memory with all notes and a message, kept and closed in order.
fn closed() -> (tempfile::TempDir, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let store = create(folder.path());
    put(&store, &MIKA.notes);
    push(&store, 1, "the kettle sang all morning");
    let (mind, _) = wake(&store);
    let expected = answers(&mind);
    close(&mind, &store);
    (folder, expected)
}

fn opened(folder: &Path) -> Store {
    Store::open(folder, &options()).unwrap()
}

#[test]
fn a_memory_that_was_closed_in_order_opens_without_embedding_anything() {
    let (folder, expected) = closed();
    let store = opened(folder.path());
    let (mind, embedded) = wake(&store);
    assert_eq!(embedded, 0);
    assert_eq!(answers(&mind), expected);
    drop((mind, store));
    // As after a kill: the file reaches less far than the journal.
    let store = opened(folder.path());
    push(&store, 2, "and then it boiled over");
    store.close();
    let (mind, embedded) = wake(&opened(folder.path()));
    assert_eq!(embedded, 1, "only what is new");
    assert_eq!(mind.sizes().unwrap().documents, MIKA.notes.len() as u64 + 2);
}

#[test]
fn a_check_compares_the_file_with_the_rows() {
    let (folder, _) = closed();
    let store = opened(folder.path());
    let (mind, _) = wake(&store);
    assert_eq!(mind.differences().unwrap(), Vec::<String>::new());
    let mut damaged = fs::read(store.index_file()).unwrap();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    fs::write(store.index_file(), damaged).unwrap();
    assert_eq!(mind.differences().unwrap(), ["memory.index: it is damaged"]);
}

#[test]
fn a_database_that_was_touched_after_closing_is_read_anew() {
    let (folder, _) = closed();
    let file = folder.path().join("memory.db");
    let database = rusqlite::Connection::open(file).unwrap();
    let touch = "INSERT INTO aside (at, origin, reason) VALUES (0, 'elsewhere', 'a test')";
    database.execute(touch, []).unwrap();
    drop(database);
    let (_, embedded) = wake(&opened(folder.path()));
    assert!(embedded > 0);
}

#[test]
fn a_damaged_file_is_never_believed() {
    let (folder, expected) = closed();
    let file = opened(folder.path()).index_file();
    let whole = fs::read(&file).unwrap();
    for part in 0..24 {
        let mut damaged = whole.clone();
        let place = (whole.len() - 1) * part / 23;
        damaged[place] ^= 1 << (part % 8);
        fs::write(&file, damaged).unwrap();
        let (mind, embedded) = wake(&opened(folder.path()));
        assert!(embedded > 0, "byte {place} of {}", whole.len());
        if part % 8 == 0 {
            assert_eq!(answers(&mind), expected);
        }
    }
    for length in [0, 1, 100, whole.len() / 2, whole.len() - 1] {
        fs::write(&file, &whole[..length]).unwrap();
        let (_, embedded) = wake(&opened(folder.path()));
        assert!(embedded > 0, "{length} of {} bytes", whole.len());
    }
}

/// Two memories with one past and one length, which went different ways.
#[test]
fn the_file_of_another_history_is_not_used() {
    let (folder, _) = closed();
    let other = tempfile::tempdir().unwrap();
    for name in ["memory.db", "memory.mark", "memory.index"] {
        fs::copy(folder.path().join(name), other.path().join(name)).unwrap();
    }
    let kept = |folder: &Path, text: &str| {
        let store = opened(folder);
        push(&store, 7, text);
        let (mind, _) = wake(&store);
        mind.keep().unwrap();
        store.index_file()
    };
    let one = kept(folder.path(), "it went left");
    let two = kept(other.path(), "it went right");
    fs::copy(one, two).unwrap();
    let (_, embedded) = wake(&opened(other.path()));
    assert!(embedded > 1);
}

#[test]
fn erasing_takes_the_file_along() {
    let (folder, _) = closed();
    let store = opened(folder.path());
    assert!(store.index_file().exists());
    let erase = Erase {
        notes: vec![MIKA.notes[0].id],
        messages: Vec::new(),
    };
    store.erase(&erase, &mut |_| ()).unwrap();
    assert!(!store.index_file().exists());
    let (mind, embedded) = wake(&store);
    assert!(embedded > 0);
    let erased: NoteId = MIKA.notes[0].id;
    assert!(
        !answers(&mind)
            .iter()
            .any(|answer| answer.contains(&format!("id: {erased:?}")))
    );
}

/// Everything written and followed with a dear model, and closed without its indexes, as after a kill.
fn written_dearly() -> (tempfile::TempDir, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let store = create(folder.path());
    let (mind, embedded) = wake_dear(&store);
    assert_eq!(embedded, 0);
    put(&store, &MIKA.notes);
    push(&store, 1, "the kettle sang all morning");
    follow(&mind);
    let expected = answers(&mind);
    store.close();
    assert!(!store.index_file().exists());
    (folder, expected)
}

fn follow(mind: &Arc<Mind>) {
    let runtime = Runtime::new().unwrap();
    runtime.block_on(mind.follow(&Pool::new(1))).unwrap();
}

#[test]
fn vectors_of_a_dear_model_are_read_back_and_never_made_twice() {
    let (folder, expected) = written_dearly();
    let store = opened(folder.path());
    let (mind, embedded) = wake_dear(&store);
    assert_eq!(embedded, 0);
    assert_eq!(answers(&mind), expected);
    assert!(store.check(&mut |_| ()).unwrap().is_healthy());
    // With another text its vectors are others.
    let mut changed = MIKA.notes[0].clone();
    changed.tags.push("elsewhere".to_owned());
    put(&store, std::slice::from_ref(&changed));
    follow(&mind);
    store.close();
    drop(mind);
    let (mind, embedded) = wake_dear(&opened(folder.path()));
    assert_eq!(embedded, 0, "those of the change were kept too");
    drop(mind);
    // Written by a program that was killed before it made them, or that has another model.
    let store = opened(folder.path());
    push(&store, 2, "and then it boiled over");
    store.close();
    let (mind, embedded) = wake_dear(&opened(folder.path()));
    assert_eq!(embedded, 1);
    drop(mind);
    assert_eq!(wake_dear(&opened(folder.path())).1, 0);
}

#[test]
fn vectors_go_with_their_texts() {
    let (folder, _) = written_dearly();
    let store = opened(folder.path());
    let erased = MIKA.notes[0].id;
    let erase = Erase {
        notes: vec![erased],
        messages: vec![MessageId(Uuid::from_u128(1))],
    };
    store.erase(&erase, &mut |_| ()).unwrap();
    let counted = store.read(|view| {
        let (mut of_it, mut of_messages) = (0, 0);
        for model in view.vector_models()? {
            view.for_each_note_vector(&model, |vector| {
                of_it += usize::from(vector.note == erased);
                Ok(())
            })?;
            view.for_each_message_vector(&model, |_| {
                of_messages += 1;
                Ok(())
            })?;
        }
        Ok((of_it, of_messages))
    });
    assert_eq!(counted.unwrap(), (0, 0));
}

#[test]
fn a_damaged_vector_is_made_anew_and_told_of_by_a_check() {
    let (folder, expected) = written_dearly();
    let database = rusqlite::Connection::open(folder.path().join("memory.db")).unwrap();
    let damage = "UPDATE note_vector SET vector = zeroblob(length(vector)) WHERE row = 1";
    database.execute(damage, []).unwrap();
    drop(database);
    let store = opened(folder.path());
    let (mind, embedded) = wake_dear(&store);
    assert!(embedded > 0);
    assert_eq!(answers(&mind), expected);
    let report = store.check(&mut |_| ()).unwrap();
    assert!(
        report
            .findings
            .iter()
            .any(|found| found.what.contains("note_vector"))
    );
}
