//! The indexes of one character, and what of each note and message goes into them.

use std::borrow::Cow;

use hashbrown::HashMap;

use crate::graph::{GraphError, MemoryGraph};
use crate::index::{
    DocKey, Entities, Interval, NameIndex, Passages, Postings, Said, VectorError, VectorIndex,
};
use crate::model::{Field, MemoryNote, MemoryType, MessageId, NoteId, NoteKind, SituationMemory};
use crate::pack::Pack;
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
    /// What cuts texts into words.
    pub segmenter: Segmenter,
    /// Which note calls up which.
    pub graph: MemoryGraph,
    /// What must be taken out when a note goes.
    held: HashMap<NoteId, Held>,
}

#[derive(Debug, Default)]
struct Held {
    vectors: Vec<DocKey>,
    names: Vec<String>,
}

pack_fields!(Held { vectors, names });

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
            graph: MemoryGraph::new(),
            held: HashMap::new(),
        }
    }

    /// Adds a note with the links that start from it, or replaces it. `vectors` are those of its [`searched_texts`].
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
        self.held.insert(note.id, held);
        let texts: Vec<Cow<'_, str>> = note
            .text_fields()
            .into_iter()
            .map(|(_, text)| text)
            .collect();
        let (key, text) = (DocKey::Note(note.id), texts.join("\n"));
        self.words.put_text(key, &self.segmenter, &text);
        self.entities.put(note, &text);
        self.passages
            .put_note(key, &self.segmenter, &text, told(note));
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
        self.words.put_text(key, &self.segmenter, said.text);
        self.passages.put_said(&self.segmenter, said);
        Ok(())
    }

    /// Brings up to date what follows from several notes together. To be called after a batch of changes; until then the
    /// links over names are those of before.
    pub fn settle(&mut self) {
        self.entities.settle();
    }

    /// Takes a message out. Answers whether it was there.
    pub fn remove_message(&mut self, id: MessageId) -> bool {
        let key = DocKey::Message(id);
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
    }

    /// The packed parts, all but the vectors: each can be read back apart from the others.
    pub fn packed_parts(&self) -> [Vec<u8>; 5] {
        let Self {
            words,
            passages,
            entities,
            vectors: _,
            names,
            segmenter,
            graph,
            held,
        } = self;
        let mut parts = [const { Vec::new() }; 5];
        words.pack(&mut parts[0]);
        graph.pack(&mut parts[1]);
        names.pack(&mut parts[2]);
        segmenter.pack(&mut parts[3]);
        held.pack(&mut parts[3]);
        passages.pack(&mut parts[4]);
        entities.pack(&mut parts[4]);
        parts
    }

    /// Reads the packed parts back, two at a time; the vectors are still to be added.
    pub fn from_parts(dimension: usize, parts: &[Vec<u8>; 5]) -> Option<Self> {
        let [words, graph, names, rest, texts] = parts.each_ref().map(Vec::as_slice);
        let (words, others) = std::thread::scope(|scope| {
            let words = scope.spawn(|| whole::<Postings<DocKey>>(words));
            let others = whole::<MemoryGraph>(graph).zip(whole::<NameIndex<NoteId>>(names));
            Some((words.join().ok()??, others?))
        })?;
        let (graph, names) = others;
        let (passages, entities) = whole::<(Passages, Entities)>(texts)?;
        let (segmenter, held) = whole::<(Segmenter, HashMap<NoteId, Held>)>(rest)?;
        Some(Self {
            words,
            passages,
            entities,
            vectors: VectorIndex::new(dimension),
            names,
            segmenter,
            graph,
            held,
        })
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
        self.words.remove(&DocKey::Note(id));
        self.passages.remove(&DocKey::Note(id));
        let held = self.held.remove(&id).unwrap_or_default();
        for key in held.vectors {
            self.vectors.remove(&key);
        }
        for name in held.names {
            self.names.remove(&name, &id);
        }
    }
}

/// A packed form with nothing after it.
fn whole<T: Pack>(mut packed: &[u8]) -> Option<T> {
    let value = T::unpack(&mut packed)?;
    packed.is_empty().then_some(value)
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
