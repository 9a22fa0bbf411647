//! A whole structured recall as a request costs it inside the process: candidates, similarity, walk, actions, merge and the
//! paths that explain each hit; bodies and vectors at hand as they happen to be. Beside it the brute force that it replaces:
//! every note scored with the same scorer, all bodies and all vectors in memory, without a walk.
//!
//! The memory is on a disk, in SQLite, and is recalled from through the daemon's own resident memory with its usual bounds. Six
//! notes in ten are concepts with a description, three are experiences with a place, people and a feeling, one in twenty is a
//! pattern and one in twenty a way of acting; texts are those of `corpus`. Each note has 8 to 10 links, two in three of them to
//! where many lead. Every second question asks for a concept, the others for an experience, each in words of one note.
//!
//! Before criterion's means the percentiles of single questions are printed: asked for the first time, and then again. Before
//! those, how long opening takes: everything made anew from the rows, the indexes kept from before, and as after a kill, with
//! the last thousandth of the notes written since.
//!
//! `SOULMEM_BENCH_NOTES=10000` measures at one size alone.

use std::collections::HashMap;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use serde_json::{Value, json};
use soulmem::soul::Curves;
use soulmem::soul::mind::{Admission, Mind};
use soulmem::soul::outside::Outside;
use soulmem::store::{Links, NewSoul, NoteWrite, OnExisting, Store, StoreOptions};
use soulmem_embed::{EmbeddingModel, LexicalModel};
use soulmem_engine::graph::activation::DEFAULT_CAPACITY;
use soulmem_engine::model::{
    Field, FixedClock, LinkDraft, MemoryNote, NoteDraft, NoteId, NoteKind, SequentialIds,
};
use soulmem_engine::recall::similarity::{Scorer, Vectors};
use soulmem_engine::recall::weights::BlendWeights;
use soulmem_engine::recall::{Options, Question};
use tempfile::TempDir;
use uuid::Uuid;

use crate::corpus::{Numbers, Vocabulary, resident_mib};

#[path = "../engine/benches/corpus/mod.rs"]
mod corpus;

const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
const QUESTIONS: usize = 400;
const BATCH: usize = 2_000;

/// Names of places and people: few, as in a life.
const NAMES: usize = 400;

fn kind_of(place: usize) -> NoteKind {
    match place % 20 {
        0..12 => NoteKind::Semantic,
        12..18 => NoteKind::SpecificSituation,
        18 => NoteKind::AbstractSituation,
        _ => NoteKind::Procedure,
    }
}

fn body(kind: NoteKind, words: &Vocabulary, numbers: &mut Numbers) -> Value {
    let mut name = |length| words.text(length, &mut Numbers(numbers.below(NAMES) as u64));
    match kind {
        NoteKind::AbstractSituation => {
            json!({"Situation": {"AbstractSituation": {"Location": {"name": name(2)}}}})
        }
        NoteKind::Semantic => json!({"Semantic": {
            "content": words.text(2, numbers), "aliases": [], "concept_type": "Entity",
            "description": words.text(20, numbers)
        }}),
        NoteKind::SpecificSituation => json!({"Situation": {"SpecificSituation": {
            "time_span": "2025-05-01T20:00:00Z",
            "context": {
                "location": {"name": name(2)},
                "participants": [{"name": name(1), "role": name(1)}],
                "emotions": [{"name": name(1), "intensity": 0.5}]
            },
            "narrative": words.text(30, numbers)
        }}}),
        NoteKind::Procedure => json!({"Procedure": {
            "action": {"content": words.text(6, numbers), "action_type": "Think"}
        }}),
    }
}

fn link_type(from: NoteKind, to: NoteKind, numbers: &mut Numbers) -> Value {
    let share = numbers.share();
    match (from, to) {
        (NoteKind::AbstractSituation, NoteKind::SpecificSituation) => {
            json!({"Situation": {"AbstractToSpecific": {}}})
        }
        (NoteKind::SpecificSituation, NoteKind::AbstractSituation) => {
            json!({"Situation": {"SpecificToAbstract": {}}})
        }
        (NoteKind::SpecificSituation | NoteKind::AbstractSituation, NoteKind::Procedure) => {
            json!({"Proc": {"TrigToAction": {"prob": share}}})
        }
        _ => json!({"Sem": {"verb": "related", "confidence": share}}),
    }
}

fn notes(count: usize) -> Vec<MemoryNote> {
    let mut numbers = Numbers(count as u64);
    let words = Vocabulary::new(&mut numbers);
    let ids = SequentialIds::new();
    let clock = FixedClock("2026-01-01T00:00:00Z".parse().expect("a time"));
    let id = |place: usize| NoteId(Uuid::from_u128(place as u128 + 1));
    let mut targets: Vec<usize> = Vec::new();
    let mut note = |place: usize| {
        let kind = kind_of(place);
        let body = serde_json::from_value(body(kind, &words, &mut numbers)).expect("a body");
        let mut draft = NoteDraft::new(body).with_id(id(place));
        for _ in 0..8 + numbers.below(3) {
            let liked = !targets.is_empty() && numbers.below(3) < 2;
            let to = if liked {
                targets[numbers.below(targets.len())]
            } else {
                numbers.below(count)
            };
            if to != place {
                targets.push(to);
                let link = link_type(kind, kind_of(to), &mut numbers);
                let link = serde_json::from_value(link).expect("a link type");
                draft = draft.linked(LinkDraft::new(id(to), link));
            }
        }
        draft.build(&clock, &ids).expect("a valid note")
    };
    (0..count).map(&mut note).collect()
}

/// What is asked: in some of the words of a note, with a word beside.
fn questions(notes: &[MemoryNote]) -> Vec<Question> {
    let mut numbers = Numbers(77);
    let mut query = |number: usize| loop {
        let note = &notes[numbers.below(notes.len())];
        let texts = note.text_fields();
        let text = |wanted: Field| {
            let found = texts.iter().find(|(field, _)| *field == wanted);
            let text: String = found.iter().flat_map(|(_, text)| text.chars()).collect();
            text
        };
        let part = |text: String| text.chars().take(16).collect::<String>();
        let variant = match (note.kind(), number % 2) {
            (NoteKind::Semantic, 0) => json!({"Semantic": [{
                "concept_identifier": text(Field::Content), "description": part(text(Field::Description))
            }]}),
            (NoteKind::SpecificSituation, 1) => json!({"Situation": [{
                "narrative": part(text(Field::Narrative)),
                "location": {"name": text(Field::LocationName)},
                "participants": [{"name": text(Field::ParticipantName)}]
            }]}),
            _ => continue,
        };
        return serde_json::from_value(json!({"variant": variant})).expect("a query");
    };
    (0..QUESTIONS)
        .map(|number| Question {
            queries: vec![query(number)],
            ..Question::default()
        })
        .collect()
}

fn options() -> StoreOptions {
    let outside = Outside::system();
    StoreOptions::new(outside.clock, outside.ids)
}

fn write(store: &Store, notes: &[MemoryNote]) {
    for batch in notes.chunks(BATCH) {
        let write = |note: &MemoryNote| NoteWrite {
            note: note.clone(),
            on_existing: OnExisting::Refuse,
            links: Links::Set,
        };
        let writes: Vec<NoteWrite> = batch.iter().map(write).collect();
        let written = store.write(move |tx| tx.put_notes(&writes));
        futures::executor::block_on(written).expect("notes that are written");
    }
}

/// Opens a memory as the daemon does, up to where it can be recalled from.
fn open(folder: &Path) -> (Store, Mind) {
    let store = Store::open(folder, &options()).expect("a memory that opens");
    let model = Arc::new(LexicalModel::new());
    let mind = Mind::wake(store.clone(), model, DEFAULT_CAPACITY, Curves::default())
        .expect("a memory that is read");
    (store, mind)
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let value = work();
    (value, start.elapsed())
}

fn mebibytes(file: &Path) -> u64 {
    std::fs::metadata(file).map_or(0, |found| found.len() >> 20)
}

/// A memory of these notes, open. Prints how long opening it takes in the three ways.
fn awake(notes: &[MemoryNote]) -> (TempDir, Mind) {
    let folder = tempfile::tempdir().expect("a folder");
    let soul = NewSoul::named("bench".parse().expect("a name"));
    let store = Store::create(folder.path(), soul, &options()).expect("a new memory");
    let (before, since) = notes.split_at(notes.len() - notes.len() / 1_000);
    write(&store, before);
    store.close();
    let ((store, mind), anew) = timed(|| open(folder.path()));
    let ((), keeping) = timed(|| mind.keep().expect("indexes that are kept"));
    let sizes = [store.database_file(), store.index_file()].map(|file| mebibytes(&file));
    store.close();
    mind.closed();
    drop((store, mind));
    let ((store, mind), kept) = timed(|| open(folder.path()));
    drop(mind);
    write(&store, since);
    store.close();
    drop(store);
    let ((_, mind), killed) = timed(|| open(folder.path()));
    println!(
        "{} notes: opened anew in {anew:.0?}, with kept indexes in {kept:.0?}, after a kill in {killed:.0?}; \
         keeping took {keeping:.0?}; database {} MiB, indexes {} MiB",
        notes.len(),
        sizes[0],
        sizes[1],
    );
    (folder, mind)
}

/// Every vector at hand.
struct AtHand {
    model: LexicalModel,
    passages: HashMap<String, Arc<[f32]>>,
}

impl AtHand {
    fn new(notes: &[MemoryNote]) -> Self {
        let model = LexicalModel::new();
        let mut passages = HashMap::new();
        for (_, text) in notes.iter().flat_map(MemoryNote::text_fields) {
            passages
                .entry(text.into_owned())
                .or_insert_with_key(|text| {
                    let made = model.embed_passages(&[text]).expect("a vector");
                    made.concat().into()
                });
        }
        Self { model, passages }
    }
}

/// The vectors of one question.
struct Asked<'a> {
    at_hand: &'a AtHand,
    texts: HashMap<String, Arc<[f32]>>,
}

impl Vectors for Asked<'_> {
    fn query(&self, text: &str) -> Option<Arc<[f32]>> {
        self.texts.get(text).cloned()
    }

    fn passage(&self, _: NoteId, _: Field, text: &str) -> Option<Arc<[f32]>> {
        self.at_hand.passages.get(text).cloned()
    }
}

/// The ten best by scoring every note.
fn brute_force(question: &Question, notes: &[MemoryNote], at_hand: &AtHand) -> Vec<(f64, NoteId)> {
    let query = &question.queries[0];
    let texts = query.texts();
    let made = at_hand.model.embed_queries(&texts).expect("vectors");
    let texts = texts.into_iter().map(str::to_owned);
    let asked = Asked {
        at_hand,
        texts: texts.zip(made.into_iter().map(Into::into)).collect(),
    };
    let weights = BlendWeights::default();
    let scorer = Scorer::new(&weights, &asked);
    let mut ranked: Vec<(f64, NoteId)> = notes
        .iter()
        .map(|note| (scorer.score(query, note).score, note.id))
        .collect();
    ranked.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    ranked.truncate(10);
    ranked
}

fn print_percentiles(size: usize, mut ask: impl FnMut(&Question), questions: &[Question]) {
    let mut times: Vec<Duration> = questions
        .iter()
        .map(|question| {
            let start = Instant::now();
            ask(question);
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    let percentile = |share: usize| times[(times.len() - 1) * share / 100];
    println!(
        "{size} notes, {} questions: p50 {:?}, p90 {:?}, p99 {:?}, {:.0} MiB resident",
        times.len(),
        percentile(50),
        percentile(90),
        percentile(99),
        resident_mib()
    );
}

fn recalls(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("recall");
    group.sample_size(10);
    let only = std::env::var("SOULMEM_BENCH_NOTES").ok();
    for size in SIZES {
        if only.as_ref().is_some_and(|only| *only != size.to_string()) {
            continue;
        }
        let notes = notes(size);
        let questions = questions(&notes);
        let (_folder, mind) = awake(&notes);
        let options = Options::with_floor(mind.model().floor().into());
        let admission = Admission::default();
        let ask = |question: &Question| {
            let found = mind.recall(question, &options, &admission);
            black_box(found.expect("a recall").recalled);
        };
        print_percentiles(size, ask, &questions);
        print_percentiles(size, ask, &questions);
        let mut next = questions.iter().cycle();
        group.bench_function(BenchmarkId::new("whole", size), |bencher| {
            bencher.iter(|| next.next().map(ask));
        });
        let at_hand = AtHand::new(&notes);
        let mut next = questions.iter().cycle();
        group.bench_function(BenchmarkId::new("every note scored", size), |bencher| {
            bencher.iter(|| {
                let question = next.next()?;
                Some(black_box(brute_force(question, &notes, &at_hand)))
            });
        });
    }
    group.finish();
}

criterion_group!(benches, recalls);
criterion_main!(benches);
