//! Everything of a character that is searched, in step with what is on the disk.

use std::collections::{BTreeSet, HashMap};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use soulmem_engine::index::{DocKey, Said};
use soulmem_engine::model::{LinkId, MemoryLink, MessageId, NoteId};
use soulmem_engine::pack::Pack;
use soulmem_engine::recall::{IndexError, Indexes, TextVector};
use soulmem_engine::text::Segmenter;

use super::facts::{Admission, NoteFacts};
use super::fading::{Fading, Traces};
use crate::soul::forgetting::Curves;
use crate::store::{Message, Seq, StoredNote, Uses};

/// The indexes, and what decides whether something may come up.
#[derive(Debug)]
pub struct Resident {
    indexes: Indexes,
    notes: HashMap<NoteId, NoteFacts>,
    said: HashMap<MessageId, Timestamp>,
    pinned: BTreeSet<NoteId>,
    fading: Fading,
    through: Seq,
}

/// Something that changed, ready to be put in: nothing more is read or embedded for it.
#[derive(Debug)]
pub enum Change {
    /// A note is new or not what it was.
    Note(Box<StoredNote>, Vec<TextVector>),
    /// What a note says is as it was, but something else about it is not.
    NoteFacts(Box<StoredNote>),
    /// A note is no more.
    NoteGone(NoteId),
    /// A link is new or not what it was.
    Link(MemoryLink),
    /// A link is no more.
    LinkGone(LinkId),
    /// A message is new. Without a vector it is found by its words alone.
    Message(Box<Heard>, Option<Vec<f32>>),
    /// A message is no more.
    MessageGone(MessageId),
}

/// A message, and when it was taken in.
#[derive(Debug)]
pub struct Heard {
    /// The message.
    pub message: Message,
    /// When it was taken in, which may be long after it was said.
    pub taken_in_at: Timestamp,
}

/// What of everything is not in the indexes, packed together.
type Facts = (
    HashMap<NoteId, NoteFacts>,
    (HashMap<MessageId, Timestamp>, (BTreeSet<NoteId>, Traces)),
);

impl Resident {
    /// What is not in the indexes, packed.
    pub fn packed_facts(&self) -> Vec<u8> {
        let Self {
            indexes: _,
            notes,
            said,
            pinned,
            fading,
            through: _,
        } = self;
        let mut packed = Vec::new();
        notes.pack(&mut packed);
        said.pack(&mut packed);
        pinned.pack(&mut packed);
        fading.traces(&self.indexes.graph).pack(&mut packed);
        packed
    }

    /// Reads that back.
    pub fn unpack_facts(mut packed: &[u8]) -> Option<Facts> {
        let facts = Facts::unpack(&mut packed)?;
        packed.is_empty().then_some(facts)
    }

    /// Everything together, up to a place in the sequence of writing.
    pub fn from_parts(indexes: Indexes, facts: Facts, through: Seq) -> Self {
        let (notes, (said, (pinned, traces))) = facts;
        Self {
            fading: Fading::from_traces(traces, &indexes.graph),
            indexes,
            notes,
            said,
            pinned,
            through,
        }
    }

    /// An empty one, for vectors of this dimension, whose memories fade by these curves.
    pub fn new(dimension: usize, curves: Curves) -> Self {
        Self {
            indexes: Indexes::new(dimension, Segmenter::new()),
            notes: HashMap::new(),
            said: HashMap::new(),
            pinned: BTreeSet::new(),
            fading: Fading::new(curves),
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
        key.message().is_some_and(|id| {
            let said = self.said.get(&id);
            let worded =
                || admission.includes_faded_words() || self.fading.is_worded(id, admission.now);
            said.is_some_and(|at| admission.of_message(*at)) && worded()
        })
    }

    /// Lets everything fade by these curves.
    pub fn fade_by(&mut self, curves: Curves) {
        self.fading.fade_by(curves);
    }

    /// How far everything has faded.
    pub fn fading(&self) -> &Fading {
        &self.fading
    }

    /// Counts recalls of a note.
    pub fn rehearse_note(&mut self, id: NoteId, uses: Uses) {
        if let Some(index) = self.indexes.graph.index_of(id) {
            self.fading.rehearse_note(index, uses);
        }
    }

    /// Counts recalls of a message.
    pub fn rehearse_message(&mut self, id: MessageId, uses: Uses) {
        self.fading.rehearse_message(id, uses);
    }

    /// Puts a change in.
    pub fn apply(&mut self, change: Change) -> Result<(), IndexError> {
        match change {
            Change::Note(stored, vectors) => self.put_note(&stored, vectors),
            Change::NoteFacts(stored) => {
                self.put_facts(&stored);
                Ok(())
            }
            Change::NoteGone(id) => {
                if let Some(index) = self.indexes.graph.index_of(id) {
                    self.fading.remove_note(index);
                }
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
            Change::Message(heard, vector) => {
                let Heard {
                    message,
                    taken_in_at,
                } = *heard;
                self.said.insert(message.id, message.at);
                self.fading.put_message(message.id, message.at, taken_in_at);
                // One that is not known any more was known when the message came in.
                let zone = message
                    .tz
                    .as_deref()
                    .and_then(|name| TimeZone::get(name).ok());
                let zone = zone.unwrap_or(TimeZone::UTC);
                let said = Said {
                    id: message.id,
                    text: &message.text,
                    speaker: message.name.as_deref(),
                    at: message.at,
                    zone: &zone,
                    talk: message.session.as_deref(),
                };
                Ok(self.indexes.put_message(&said, vector.as_deref())?)
            }
            Change::MessageGone(id) => {
                self.said.remove(&id);
                self.fading.remove_message(id);
                self.indexes.remove_message(id);
                Ok(())
            }
        }
    }

    /// Notes that everything up to this place is in.
    pub fn reached(&mut self, seq: Seq) {
        self.through = self.through.max(seq);
        self.indexes.settle();
    }

    fn put_note(
        &mut self,
        stored: &StoredNote,
        vectors: Vec<TextVector>,
    ) -> Result<(), IndexError> {
        self.indexes.put_note(&stored.note, vectors)?;
        self.put_facts(stored);
        Ok(())
    }

    fn put_facts(&mut self, stored: &StoredNote) {
        let note = &stored.note;
        if let Some(index) = self.indexes.graph.index_of(note.id) {
            self.fading.put_note(index, note);
        }
        self.notes.insert(note.id, NoteFacts::of(stored));
        if note.affect.pinned {
            self.pinned.insert(note.id);
        } else {
            self.pinned.remove(&note.id);
        }
    }
}
