//! Everything of a character that is searched, in step with what is on the disk.

use std::collections::{BTreeSet, HashMap};

use jiff::Timestamp;
use soulmem_engine::index::DocKey;
use soulmem_engine::model::{LinkId, MemoryLink, MessageId, NoteId};
use soulmem_engine::pack::Pack;
use soulmem_engine::recall::{IndexError, Indexes, TextVector};
use soulmem_engine::text::Segmenter;

use super::facts::{Admission, NoteFacts};
use crate::store::{Message, Seq, StoredNote};

/// The indexes, and what decides whether something may come up.
#[derive(Debug)]
pub struct Resident {
    indexes: Indexes,
    notes: HashMap<NoteId, NoteFacts>,
    said: HashMap<MessageId, Timestamp>,
    pinned: BTreeSet<NoteId>,
    through: Seq,
}

/// Something that changed, ready to be put in: nothing more is read or embedded for it.
#[derive(Debug)]
pub enum Change {
    /// A note is new or not what it was.
    Note(Box<StoredNote>, Vec<TextVector>),
    /// A note is no more.
    NoteGone(NoteId),
    /// A link is new or not what it was.
    Link(MemoryLink),
    /// A link is no more.
    LinkGone(LinkId),
    /// A message is new. Without a vector it is found by its words alone.
    Message(Box<Message>, Option<Vec<f32>>),
    /// A message is no more.
    MessageGone(MessageId),
}

/// What of everything is not in the indexes, packed together.
type Facts = (
    HashMap<NoteId, NoteFacts>,
    (HashMap<MessageId, Timestamp>, BTreeSet<NoteId>),
);

impl Resident {
    /// What is not in the indexes, packed.
    pub fn packed_facts(&self) -> Vec<u8> {
        let Self {
            indexes: _,
            notes,
            said,
            pinned,
            through: _,
        } = self;
        let mut packed = Vec::new();
        notes.pack(&mut packed);
        said.pack(&mut packed);
        pinned.pack(&mut packed);
        packed
    }

    /// Reads that back.
    pub fn unpack_facts(mut packed: &[u8]) -> Option<Facts> {
        let facts = Facts::unpack(&mut packed)?;
        packed.is_empty().then_some(facts)
    }

    /// Everything together, up to a place in the sequence of writing.
    pub fn from_parts(indexes: Indexes, facts: Facts, through: Seq) -> Self {
        let (notes, (said, pinned)) = facts;
        Self {
            indexes,
            notes,
            said,
            pinned,
            through,
        }
    }

    /// An empty one, for vectors of this dimension.
    pub fn new(dimension: usize) -> Self {
        Self {
            indexes: Indexes::new(dimension, Segmenter::new()),
            notes: HashMap::new(),
            said: HashMap::new(),
            pinned: BTreeSet::new(),
            through: 0,
        }
    }

    /// What is searched.
    pub fn indexes(&self) -> &Indexes {
        &self.indexes
    }

    /// The place in the sequence of writing up to which everything is in.
    pub fn through(&self) -> Seq {
        self.through
    }

    /// The notes that are always shown.
    pub fn pinned(&self) -> impl Iterator<Item = NoteId> {
        self.pinned.iter().copied()
    }

    /// Whether a note or message may come up.
    pub fn admits(&self, admission: &Admission, key: DocKey) -> bool {
        if let Some(id) = key.note() {
            return self
                .notes
                .get(&id)
                .is_some_and(|facts| admission.of_note(facts));
        }
        let said = key.message().and_then(|id| self.said.get(&id));
        said.is_some_and(|at| admission.of_message(*at))
    }

    /// Puts a change in.
    pub fn apply(&mut self, change: Change) -> Result<(), IndexError> {
        match change {
            Change::Note(stored, vectors) => self.put_note(&stored, vectors),
            Change::NoteGone(id) => {
                self.indexes.remove_note(id);
                self.notes.remove(&id);
                self.pinned.remove(&id);
                Ok(())
            }
            Change::Link(link) => Ok(self.indexes.graph.put_link(&link).map(|_| ())?),
            Change::LinkGone(id) => {
                self.indexes.graph.remove_link(id);
                Ok(())
            }
            Change::Message(message, vector) => {
                self.said.insert(message.id, message.at);
                Ok(self
                    .indexes
                    .put_message(message.id, &message.text, vector.as_deref())?)
            }
            Change::MessageGone(id) => {
                self.said.remove(&id);
                self.indexes.remove_message(id);
                Ok(())
            }
        }
    }

    /// Notes that everything up to this place is in.
    pub fn reached(&mut self, seq: Seq) {
        self.through = self.through.max(seq);
    }

    fn put_note(
        &mut self,
        stored: &StoredNote,
        vectors: Vec<TextVector>,
    ) -> Result<(), IndexError> {
        let note = &stored.note;
        self.indexes.put_note(note, vectors)?;
        self.notes.insert(note.id, NoteFacts::of(stored));
        if note.affect.pinned {
            self.pinned.insert(note.id);
        } else {
            self.pinned.remove(&note.id);
        }
        Ok(())
    }
}
