//! The indexes of one character, and what of each note and message goes into them.

mod compare;
mod cutting;
mod dictionary;
mod packed;

use std::borrow::Cow;
use std::collections::BTreeSet;

use hashbrown::HashMap;

use self::dictionary::{Dictionary, declared_by};

use crate::graph::{GraphError, MemoryGraph};
use crate::index::{
    DocKey, Entities, Interval, NameIndex, Passages, Postings, Said, VectorError, VectorIndex,
};
use crate::model::{Field, MemoryNote, MemoryType, MessageId, NoteId, NoteKind, SituationMemory};
use crate::pack_fields;
use crate::text::Segmenter;

/// A vector of one text of a note: its field, its place among the texts of that field, from 0, and the vector.
pub type TextVector = (Field, u16, Vec<f32>);

/// Everything of one character that is searched, derived from its notes and messages and always in step with them.
#[derive(Debug)]
pub struct Indexes {
    /// Texts by their words.
    pub words: Postings<DocKey>,
    /// Texts taken apart.
    pub passages: Passages,
    /// Names, and the notes that they link.
    pub entities: Entities,
    /// Texts by their vectors.
    pub vectors: VectorIndex<DocKey>,
    /// Notes by their names.
    pub names: NameIndex<NoteId>,
    /// What cuts texts into words, the names of the character among them.
    pub segmenter: Segmenter,
    dictionary: Dictionary,
    /// Which note calls up which.
    pub graph: MemoryGraph,
    /// What must be taken out when a note goes.
    held: HashMap<NoteId, Held>,
    /// Notes whose texts are to be cut, with their times.
    uncut_notes: HashMap<NoteId, Interval>,
    /// Messages that are cut otherwise now.
    uncut_messages: BTreeSet<MessageId>,
}

#[derive(Debug, Default)]
struct Held {
    vectors: Vec<DocKey>,
    names: Vec<String>,
    /// Names that are words because of it.
    words: Vec<String>,
}

pack_fields!(Held {
    vectors,
    names,
    words
});

/// Why a note could not be indexed.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// One of its links is not valid.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// One of its vectors does not fit.
    #[error(transparent)]
    Vector(#[from] VectorError),
}

impl Indexes {
    /// Empty ones, for vectors of this dimension.
    pub fn new(dimension: usize, segmenter: Segmenter) -> Self {
        Self {
            words: Postings::new(),
            passages: Passages::default(),
            entities: Entities::default(),
            vectors: VectorIndex::new(dimension),
            names: NameIndex::new(),
            segmenter,
            dictionary: Dictionary::default(),
            graph: MemoryGraph::new(),
            held: HashMap::new(),
            uncut_notes: HashMap::new(),
            uncut_messages: BTreeSet::new(),
        }
    }

    /// Adds a note with the links that start from it, or replaces it. `vectors` are those of its [`searched_texts`]. It is
    /// found by its words once it is [settled](Self::settle) what they are.
    pub fn put_note(
        &mut self,
        note: &MemoryNote,
        vectors: impl IntoIterator<Item = TextVector>,
    ) -> Result<(), IndexError> {
        self.graph.put_note(note)?;
        self.forget_texts(note.id);
        let mut held = Held::default();
        for (field, place, vector) in vectors {
            let key = DocKey::NoteText(note.id, field, place);
            self.vectors.put(key, &vector)?;
            held.vectors.push(key);
        }
        for name in names(note) {
            if self.names.insert(&name, note.id) {
                held.names.push(name.into_owned());
            }
        }
        held.words = declared_by(note);
        self.dictionary.declare(&held.words);
        self.held.insert(note.id, held);
        let texts: Vec<Cow<'_, str>> = note
            .text_fields()
            .into_iter()
            .map(|(_, text)| text)
            .collect();
        self.entities.put(note, &texts.join("\n"));
        self.uncut_notes.insert(note.id, told(note));
        Ok(())
    }

    /// Takes a note and every link at it out. Answers whether it was there.
    pub fn remove_note(&mut self, id: NoteId) -> bool {
        self.entities.remove(id);
        self.forget_texts(id);
        self.graph.remove_note(id).is_some()
    }

    /// Adds a message, or replaces it. Without a vector it is found by its words alone.
    pub fn put_message(
        &mut self,
        said: &Said<'_>,
        vector: Option<&[f32]>,
    ) -> Result<(), VectorError> {
        let key = DocKey::Message(said.id);
        match vector {
            Some(vector) => self.vectors.put(key, vector)?,
            None => {
                self.vectors.remove(&key);
            }
        }
        self.uncut_messages.remove(&said.id);
        self.cut_message(said);
        Ok(())
    }

    /// Takes a message out. Answers whether it was there.
    pub fn remove_message(&mut self, id: MessageId) -> bool {
        let key = DocKey::Message(id);
        self.uncut_messages.remove(&id);
        self.vectors.remove(&key);
        self.passages.remove(&key);
        self.words.remove(&key)
    }

    /// Leaves no trace of what was taken out. Takes about as long as adding all the texts, without cutting them.
    pub fn compact(&mut self) {
        self.words.compact();
        self.passages.compact();
        self.entities.compact();
        self.names.compact();
        self.segmenter.compact();
    }

    /// Under which keys the vectors of a note or message are.
    pub(super) fn vector_keys<'a>(&'a self, key: &'a DocKey) -> &'a [DocKey] {
        let held = key.note().and_then(|id| self.held.get(&id));
        match key {
            DocKey::Message(_) => std::slice::from_ref(key),
            _ => held.map_or(&[], |held| &held.vectors),
        }
    }

    fn forget_texts(&mut self, id: NoteId) {
        self.uncut_notes.remove(&id);
        self.words.remove(&DocKey::Note(id));
        self.passages.remove(&DocKey::Note(id));
        let held = self.held.remove(&id).unwrap_or_default();
        for key in held.vectors {
            self.vectors.remove(&key);
        }
        for name in held.names {
            self.names.remove(&name, &id);
        }
        self.dictionary.withdraw(&held.words);
    }
}

/// The texts of a note that vectors are searched by: what it is about. A person's role or the air of a place is compared
/// once the note is a candidate, but does not make it one; with them the index would be several times as large.
pub fn searched_texts(note: &MemoryNote) -> Vec<(Field, u16, Cow<'_, str>)> {
    let pattern = note.kind() == NoteKind::AbstractSituation;
    let searched = |field: Field| match field {
        Field::Content
        | Field::Alias
        | Field::Description
        | Field::Narrative
        | Field::ActionContent => true,
        Field::Tag => false,
        _ => pattern,
    };
    let mut places: HashMap<Field, u16> = HashMap::new();
    let mut texts = Vec::new();
    for (field, text) in note.text_fields() {
        let place = places.entry(field).or_default();
        if searched(field) {
            texts.push((field, *place, text));
        }
        *place = place.saturating_add(1);
    }
    texts
}

/// When a note was, from its first to its last moment.
pub fn told(note: &MemoryNote) -> Interval {
    match &note.mem_type {
        MemoryType::Situation(SituationMemory::SpecificSituation(lived)) => {
            Interval::new(lived.time_span.start(), lived.time_span.end())
        }
        _ => Interval::instant(note.valid_from),
    }
}

/// What a note is called: the content and aliases of something known, the texts of an abstract situation.
fn names(note: &MemoryNote) -> Vec<Cow<'_, str>> {
    let kind = note.kind();
    let is_name = |field: Field| match kind {
        NoteKind::Semantic => matches!(field, Field::Content | Field::Alias),
        NoteKind::AbstractSituation => field != Field::Tag,
        NoteKind::SpecificSituation | NoteKind::Procedure => false,
    };
    note.text_fields()
        .into_iter()
        .filter(|(field, _)| is_name(*field))
        .map(|(_, text)| text)
        .collect()
}
