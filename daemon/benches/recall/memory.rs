//! The memory that is recalled from: on a disk, in SQLite, through the daemon's own resident memory with its usual bounds.
//!
//! Six notes in ten are concepts with a description, three are experiences with a place, people and a feeling, one in twenty is
//! a pattern and one in twenty a way of acting; texts are those of `corpus`. Each note has 8 to 10 links, two in three of them
//! to where many lead.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use soulmem::soul::Curves;
use soulmem::soul::mind::Mind;
use soulmem::soul::outside::Outside;
use soulmem::store::{Links, NewSoul, NoteWrite, OnExisting, Store, StoreOptions};
use soulmem_embed::LexicalModel;
use soulmem_engine::graph::activation::DEFAULT_CAPACITY;
use soulmem_engine::model::{
    FixedClock, LinkDraft, MemoryNote, NoteDraft, NoteId, NoteKind, SequentialIds,
};
use tempfile::TempDir;
use uuid::Uuid;

use crate::corpus::{Numbers, Vocabulary};

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

pub fn notes(count: usize) -> Vec<MemoryNote> {
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
pub fn awake(notes: &[MemoryNote]) -> (TempDir, Mind) {
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
