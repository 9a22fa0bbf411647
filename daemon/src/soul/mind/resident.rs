//! Everything of a character that is searched, in step with what is on the disk.

use std::collections::BTreeSet;

use hashbrown::{HashMap, HashSet};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use soulmem_engine::index::{DocKey, Said};
use soulmem_engine::model::{MessageId, NoteId};
use soulmem_engine::pack::Pack;
use soulmem_engine::recall::{IndexError, Indexes, TextVector};
use soulmem_engine::text::Segmenter;

use super::change::{Change, Heard};
use super::facts::{Admission, NoteFacts};
use super::fading::{Fading, Traces};
use crate::soul::forgetting::Curves;
use crate::store::{Message, Seq, StoredNote, Uses};

/// The indexes, and what decides whether something may come up.
#[derive(Debug)]
pub struct Resident {
    indexes: Indexes,
    notes: HashMap<NoteId, NoteFacts>,
    /// Those of the notes of which something may speak against coming up. They are few, so that one is found sooner than its facts.
    passing: HashSet<NoteId>,
    said: HashMap<MessageId, Timestamp>,
    pinned: BTreeSet<NoteId>,
    fading: Fading,
    through: Seq,
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
            passing: _,
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
        let passing = notes.iter().filter(|(_, facts)| facts.are_passing());
        Self {
            passing: passing.map(|(id, _)| *id).collect(),
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
            passing: HashSet::new(),
            said: HashMap::new(),
            pinned: BTreeSet::new(),
            fading: Fading::new(curves),
            through: 0,
        }
    }

    /// An empty one that cuts texts as another does.
    pub fn beside(other: &Self, dimension: usize, curves: Curves) -> Self {
        Self {
            indexes: Indexes::new(dimension, other.indexes.segmenter.clone()),
            ..Self::new(dimension, curves)
        }
    }

    /// What of a note or message is otherwise here than in one that was made of it alone.
    pub fn differs(&self, alone: &Self, key: DocKey) -> Option<&'static str> {
        let facts = match key {
            DocKey::Note(id) | DocKey::NoteText(id, ..) => {
                self.notes.get(&id) == alone.notes.get(&id)
                    && self.pinned.contains(&id) == alone.pinned.contains(&id)
            }
            DocKey::Message(id) => self.said.get(&id) == alone.said.get(&id),
        };
        if !facts {
            return Some("what decides whether it comes up");
        }
        if self.indexes.is_uncut(key) {
            return None;
        }
        self.indexes.differs(&alone.indexes, key)
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

    /// Whether a note or message that is searched may come up.
    pub fn admits(&self, admission: &Admission, key: DocKey) -> bool {
        if let Some(id) = key.note() {
            if admission.asks_for_any_time() && !self.passing.contains(&id) {
                return true;
            }
            let facts = self.notes.get(&id);
            return facts.is_some_and(|facts| admission.of_note(facts));
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
                self.passing.remove(&id);
                self.pinned.remove(&id);
                Ok(())
            }
            Change::Called(names) => {
                self.call(names);
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
                let zone = zone_of(&message);
                let said = said(&message, &zone);
                Ok(self.indexes.put_message(&said, vector.as_deref())?)
            }
            Change::MessageRecalled(id, uses) => {
                self.rehearse_message(id, uses);
                Ok(())
            }
            Change::MessageGone(id) => {
                self.said.remove(&id);
                self.fading.remove_message(id);
                self.indexes.remove_message(id);
                Ok(())
            }
        }
    }

    /// Says what the character itself is called.
    pub fn call(&mut self, names: impl IntoIterator<Item = String>) {
        self.indexes.call(names);
    }

    /// Brings up to date what follows from several notes together.
    pub fn settle(&mut self) {
        self.indexes.settle();
    }

    /// At most so many messages that hold a name which came or went since they were cut into words.
    pub fn uncut(&self, limit: usize) -> Vec<MessageId> {
        self.indexes.uncut(limit)
    }

    /// Cuts a message into words again.
    pub fn cut_again(&mut self, message: &Message) {
        let zone = zone_of(message);
        self.indexes.cut_again(&said(message, &zone));
    }

    /// Notes that a message need not be cut again, because it is no more.
    pub fn forget_uncut(&mut self, id: MessageId) {
        self.indexes.remove_message(id);
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
        let facts = NoteFacts::of(stored);
        if facts.are_passing() {
            self.passing.insert(note.id);
        } else {
            self.passing.remove(&note.id);
        }
        self.notes.insert(note.id, facts);
        if note.affect.pinned {
            self.pinned.insert(note.id);
        } else {
            self.pinned.remove(&note.id);
        }
    }
}

/// One that is not known any more was known when the message came in.
fn zone_of(message: &Message) -> TimeZone {
    let zone = message.tz.as_deref();
    let zone = zone.and_then(|name| TimeZone::get(name).ok());
    zone.unwrap_or(TimeZone::UTC)
}

fn said<'a>(message: &'a Message, zone: &'a TimeZone) -> Said<'a> {
    Said {
        id: message.id,
        text: &message.text,
        speaker: message.name.as_deref(),
        at: message.at,
        zone,
        talk: message.session.as_deref(),
    }
}
