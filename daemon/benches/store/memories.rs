//! Memories of any size: notes made up from their number, and a model whose vectors are made up from the text.
//!
//! Three notes in ten are something known by a name of two words, seven are experiences of thirty words at one of some places
//! with one of some people; each has one vector, and four links, two of three of them to where many lead.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};
use soulmem::soul::Curves;
use soulmem::soul::mind::Mind;
use soulmem::store::{Links, NewSoul, NoteWrite, OnExisting, Store};
use soulmem_embed::{EmbedError, EmbeddingModel, ModelIdentity, Pooling};
use soulmem_engine::graph::activation::DEFAULT_CAPACITY;
use soulmem_engine::model::{FixedClock, IdSource, LinkDraft, MemoryNote, NoteDraft, NoteId};
use uuid::Uuid;
use xxhash_rust::xxh3::xxh3_64;

use crate::corpus::{Numbers, Vocabulary};
use crate::options;

/// Notes that are written in one transaction.
const BATCH: u64 = 1_000;
/// Links from each note.
const LINKS: usize = 4;
/// Names of places and people: few, as in a life.
const NAMES: usize = 400;

/// What notes are made of.
pub struct Corpus(Vocabulary);

impl Corpus {
    pub fn new() -> Self {
        Self(Vocabulary::new(&mut Numbers(1)))
    }

    /// The note of a number, which may lead to any of lower numbers.
    pub fn note(&self, number: u64) -> MemoryNote {
        let mut numbers = Numbers(number.wrapping_mul(0x9E37_79B9));
        let body = serde_json::from_value(self.body(number, &mut numbers)).unwrap();
        let mut draft = NoteDraft::new(body).with_id(id(number));
        for _ in 0..LINKS {
            // The lower a number, the more lead to it.
            let to = match numbers.below(3) {
                0 => numbers.below(number.max(1) as usize),
                _ => numbers.rank(number.max(1) as usize + 1),
            } as u64;
            if to != number {
                let link = json!({"Sem": {"verb": "喜欢", "confidence": numbers.share()}});
                draft = draft.linked(LinkDraft::new(
                    id(to),
                    serde_json::from_value(link).unwrap(),
                ));
            }
        }
        let clock = FixedClock("2026-01-01T00:00:00Z".parse().unwrap());
        let ids = LinkIds(AtomicU64::new(number * LINKS as u64));
        draft.build(&clock, &ids).unwrap()
    }

    fn body(&self, number: u64, numbers: &mut Numbers) -> Value {
        if number % 10 < 3 {
            return json!({"Semantic": {
                "content": self.0.text(2, numbers), "aliases": [], "concept_type": "Entity", "description": ""
            }});
        }
        let mut name = |length| {
            let named = numbers.below(NAMES) as u64;
            self.0.text(length, &mut Numbers(named))
        };
        let (place, who) = (name(2), name(1));
        json!({"Situation": {"SpecificSituation": {
            "time_span": "2025-05-01T20:00:00Z",
            "context": {"location": {"name": place}, "participants": [{"name": who, "role": "朋友"}]},
            "narrative": self.0.text(30, numbers)
        }}})
    }

    /// The text of a note as it is searched.
    pub fn text(&self, number: u64) -> String {
        let note = self.note(number);
        let texts: Vec<_> = note
            .text_fields()
            .into_iter()
            .map(|(_, text)| text)
            .collect();
        texts.join("\n")
    }

    /// What is asked: five words.
    pub fn questions(&self, count: usize) -> Vec<String> {
        let mut numbers = Numbers(77);
        (0..count).map(|_| self.0.text(5, &mut numbers)).collect()
    }
}

/// Ids of the links of one note.
struct LinkIds(AtomicU64);

impl IdSource for LinkIds {
    fn next_uuid(&self) -> Uuid {
        Uuid::from_u64_pair(2, self.0.fetch_add(1, Ordering::Relaxed))
    }
}

fn id(number: u64) -> NoteId {
    NoteId(Uuid::from_u64_pair(1, number))
}

/// Vectors of any dimension with independent components, from a hash of the text.
pub struct MadeUp {
    dimension: usize,
}

impl MadeUp {
    pub fn new(dimension: usize) -> Self {
        Self { dimension }
    }
}

impl EmbeddingModel for MadeUp {
    fn identity(&self) -> ModelIdentity {
        ModelIdentity {
            name: "made up".to_owned(),
            digest: self.dimension.to_string(),
            pooling: Pooling::Mean,
        }
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    fn token_limit(&self) -> usize {
        512
    }

    fn floor(&self) -> f32 {
        0.35
    }

    fn is_dear(&self) -> bool {
        true
    }

    fn embed_queries(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.embed_passages(texts)
    }

    fn embed_passages(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let vector = |text: &&str| Numbers(xxh3_64(text.as_bytes())).vector(self.dimension);
        Ok(texts.iter().map(vector).collect())
    }
}

/// Writes the notes of these numbers to a memory, which is made.
pub fn write(folder: &Path, first: u64, end: u64) {
    let about = NewSoul::named("bench".parse().unwrap());
    let store = Store::create(folder, about, &options()).unwrap();
    put(&store, first, end);
    store.close();
}

/// Writes the notes of these numbers to a memory that is open.
pub fn put(store: &Store, first: u64, end: u64) {
    let corpus = Corpus::new();
    for from in (first..end).step_by(BATCH as usize) {
        let write = |number| NoteWrite {
            note: corpus.note(number),
            on_existing: OnExisting::Refuse,
            links: Links::Set,
        };
        let notes: Vec<NoteWrite> = (from..end.min(from + BATCH)).map(write).collect();
        store.write(move |tx| tx.put_notes(&notes)).wait().unwrap();
    }
}

/// Opens a memory as the daemon does, up to where it can be recalled from.
pub fn open(folder: &Path, dimension: usize) -> (Store, Mind) {
    let store = Store::open(folder, &options()).unwrap();
    let model = Arc::new(MadeUp::new(dimension));
    let mind = Mind::wake(store.clone(), model, DEFAULT_CAPACITY, Curves::default()).unwrap();
    (store, mind)
}
