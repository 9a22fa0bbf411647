//! A small memory with vectors that a reader can check: each text is the set of its words, each word a direction of its
//! own, so that the cosine of two texts is `shared / √(words · words)`.

#![allow(dead_code, reason = "each test program uses its own part")]

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use soulmem_engine::graph::Scratch;
use soulmem_engine::index::{DocKey, Said};
use soulmem_engine::model::{
    Field, FixedClock, IdSource, LinkDraft, LinkId, MemoryNote, MessageId, NoteDraft, NoteId,
    SequentialIds,
};
use soulmem_engine::recall::similarity::{Vector, Vectors};
use soulmem_engine::recall::{
    Bodies, Indexes, Memory, Options, Question, RecallError, Recalled, SourceError, recall,
    searched_texts,
};
use soulmem_engine::text::Segmenter;

/// Every word of the tests, each a direction.
pub const WORDS: [&str; 16] = [
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

pub fn vector(text: &str) -> Vec<f32> {
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

pub struct Directions;

impl Vectors for Directions {
    fn query(&self, text: &str) -> Option<Arc<[f32]>> {
        Some(vector(text).into())
    }

    fn passage(&self, _: NoteId, _: Field, text: &str) -> Option<Vector<'_>> {
        Some(Vector::Shared(vector(text).into()))
    }
}

#[derive(Default)]
pub struct Shelf(pub BTreeMap<NoteId, Arc<MemoryNote>>);

impl Bodies for Shelf {
    fn notes(&self, ids: &[NoteId]) -> Result<Vec<Option<Arc<MemoryNote>>>, SourceError> {
        Ok(ids.iter().map(|id| self.0.get(id).cloned()).collect())
    }
}

/// A memory of named notes.
pub struct Character {
    pub ids: BTreeMap<&'static str, NoteId>,
    pub shelf: Shelf,
    pub indexes: Indexes,
}

impl Character {
    /// `notes`: name and body; `links`: from, to and link type.
    pub fn new(notes: &[(&'static str, String)], links: &[(&str, &str, &str)]) -> Self {
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

    pub fn put(&mut self, note: MemoryNote) {
        let vectors = searched_texts(&note);
        let vectors = vectors
            .iter()
            .map(|(field, place, text)| (*field, *place, vector(text)));
        self.indexes.put_note(&note, vectors).unwrap();
        self.indexes.settle();
        self.shelf.0.insert(note.id, Arc::new(note));
    }

    pub fn ask(&self, question: &Question, options: &Options) -> Result<Recalled, RecallError> {
        self.ask_where(question, options, &|_| true)
    }

    pub fn ask_where(
        &self,
        question: &Question,
        options: &Options,
        admits: &dyn Fn(DocKey) -> bool,
    ) -> Result<Recalled, RecallError> {
        let memory = Memory {
            admits,
            ..self.memory()
        };
        recall(&memory, question, options, &mut Scratch::new())
    }

    pub fn memory(&self) -> Memory<'_> {
        Memory {
            indexes: &self.indexes,
            bodies: &self.shelf,
            embedded: &Directions,
            retention: &|_| 1.0,
            admits: &|_| true,
        }
    }

    /// The only link from one note to another.
    pub fn link(&self, from: &str, to: &str) -> LinkId {
        let links = &self.shelf.0[&self.ids[from]].mem_links;
        let to = self.ids[to];
        links.iter().find(|link| link.to == to).unwrap().id
    }

    pub fn names(&self, recalled: &Recalled) -> Vec<&str> {
        recalled
            .notes
            .iter()
            .map(|hit| self.name(hit.note.id))
            .collect()
    }

    pub fn actions(&self, recalled: &Recalled) -> Vec<&str> {
        recalled
            .actions
            .iter()
            .map(|action| self.name(action.note.id))
            .collect()
    }

    pub fn name(&self, id: NoteId) -> &str {
        self.ids.iter().find(|(_, known)| **known == id).unwrap().0
    }
}

pub fn known(content: &str, description: &str) -> String {
    format!(
        r#"{{"Semantic": {{"content": "{content}", "aliases": [], "concept_type": "Entity", "description": "{description}"}}}}"#
    )
}

pub fn lived(narrative: &str) -> String {
    format!(
        r#"{{"Situation": {{"SpecificSituation": {{"narrative": "{narrative}", "time_span": "2025-05-01T20:00:00Z"}}}}}}"#
    )
}

pub fn place(name: &str) -> String {
    format!(r#"{{"Situation": {{"AbstractSituation": {{"Location": {{"name": "{name}"}}}}}}}}"#)
}

pub fn habit(content: &str) -> String {
    format!(r#"{{"Procedure": {{"action": {{"content": "{content}", "action_type": "Think"}}}}}}"#)
}

pub const SEM: &str = r#"{"Sem": {"verb": "related", "confidence": 0.9}}"#;
pub const UP: &str = r#"{"Situation": {"SpecificToAbstract": {}}}"#;
pub const DOWN: &str = r#"{"Situation": {"AbstractToSpecific": {}}}"#;

pub fn trigger(prob: f64) -> String {
    format!(r#"{{"Proc": {{"TrigToAction": {{"prob": {prob}}}}}}}"#)
}

pub fn situation(json: &str) -> Question {
    query(&format!(r#"{{"variant": {{"Situation": [{json}]}}}}"#))
}

pub fn query(json: &str) -> Question {
    Question {
        queries: vec![serde_json::from_str(json).unwrap()],
        ..Question::default()
    }
}

pub fn line(text: &str) -> Question {
    Question {
        text: Some(text.to_owned()),
        ..Question::default()
    }
}

pub fn options() -> Options {
    Options::with_floor(0.35)
}

static UTC: TimeZone = TimeZone::UTC;

/// Something said by nobody in particular, outside of any talk, at the beginning of 1970.
pub fn said(id: MessageId, text: &str) -> Said<'_> {
    Said {
        id,
        text,
        speaker: None,
        at: Timestamp::UNIX_EPOCH,
        zone: &UTC,
        talk: None,
    }
}
