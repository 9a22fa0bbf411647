//! What recall weighs of every text beside its postings and its vector: its terms in order, its clauses, who said it,
//! when, and what stands next to it in the same talk.
//!
//! The postings answer which texts hold a term; this answers which terms a text holds. So a few hundred candidates are
//! scored in full, clause by clause, without reading one list to its end.

mod collection;
mod cues;
mod passage;
mod talks;
mod vocabulary;

use std::collections::BTreeSet;

use hashbrown::HashMap;
use jiff::Timestamp;
use jiff::tz::TimeZone;

pub use collection::Collection;
pub use cues::Cues;
pub use passage::{Clause, Passage, TermCount, fingerprint};
pub use talks::{TalkId, Turn};
pub use vocabulary::TermId;

use self::talks::Talks;
use self::vocabulary::Vocabulary;
use super::{Bm25, DocKey, Interval};
use crate::model::MessageId;
use crate::pack_fields;
use crate::text::{Segmenter, key, time_expressions};

/// Something said.
#[derive(Clone, Copy, Debug)]
pub struct Said<'a> {
    /// Which message.
    pub id: MessageId,
    /// What was said.
    pub text: &'a str,
    /// Name of who said it, where it is known.
    pub speaker: Option<&'a str>,
    /// When.
    pub at: Timestamp,
    /// In which zone it was said.
    pub zone: &'a TimeZone,
    /// Which talk it belongs to, where it does to one.
    pub talk: Option<&'a str>,
}

/// One of those who take part in talks.
pub type SpeakerId = u32;

/// Every text that is searched, as [`Passage`].
#[derive(Debug, Default)]
pub struct Passages {
    texts: HashMap<DocKey, Passage>,
    vocabulary: Vocabulary,
    talks: Talks,
    /// By fingerprint of a text, a line or a sentence: where it stands.
    wordings: HashMap<u64, BTreeSet<DocKey>>,
    /// By the [`key`] of a name: its number, and how many messages that speaker has.
    speakers: HashMap<String, (SpeakerId, usize)>,
    notes: Size,
    said: Size,
}

/// How large a collection is.
#[derive(Debug, Default)]
struct Size {
    texts: usize,
    /// Counted terms of all of them.
    length: u64,
}

pack_fields!(Size { texts, length });

pack_fields!(Passages {
    texts,
    vocabulary,
    talks,
    wordings,
    speakers,
    notes,
    said
});

impl Passages {
    /// How many texts there are.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// A text.
    pub fn get(&self, key: &DocKey) -> Option<&Passage> {
        self.texts.get(key)
    }

    /// How many texts a collection has.
    pub fn count(&self, collection: Collection) -> usize {
        self.size(collection).texts
    }

    /// The texts of which the whole, a line or a sentence has this [`fingerprint`], in order.
    pub fn worded(&self, fingerprint: u64) -> impl Iterator<Item = DocKey> + '_ {
        self.wordings
            .get(&fingerprint)
            .into_iter()
            .flatten()
            .copied()
    }

    /// Mean number of counted terms of a text of a collection; 1 where none has any.
    pub fn mean_length(&self, collection: Collection) -> f64 {
        let size = self.size(collection);
        size.length.max(1) as f64 / size.texts.max(1) as f64
    }

    /// The number of a term, where any text holds it.
    pub fn term(&self, term: &str) -> Option<TermId> {
        self.vocabulary.get(term)
    }

    /// A term by its number.
    pub fn term_text(&self, term: TermId) -> &str {
        self.vocabulary.text(term)
    }

    /// In how many texts of a collection a term stands.
    pub fn frequency(&self, term: TermId, collection: Collection) -> usize {
        self.vocabulary.frequency(term, collection)
    }

    /// How rare a term is in a collection, as [`Bm25`] counts it; one that none of its texts holds is as rare as can be.
    pub fn rarity(&self, term: Option<TermId>, collection: Collection) -> f64 {
        let frequency = term.map_or(0, |term| self.frequency(term, collection));
        Bm25::idf(self.count(collection), frequency)
    }

    /// Those who take part in talks: the keys of their names, in order.
    pub fn speakers(&self) -> Vec<(&str, SpeakerId)> {
        let there = self.speakers.iter().filter(|(_, (_, said))| *said > 0);
        let mut speakers: Vec<_> = there.map(|(name, (id, _))| (&**name, *id)).collect();
        speakers.sort_unstable();
        speakers
    }

    /// What stands at a distance from a turn in the same talk: before it where `distance` is negative.
    pub fn beside(&self, turn: Turn, distance: i64) -> Option<DocKey> {
        self.talks.beside(turn, distance)
    }

    /// Everything said in a talk, in order.
    pub fn talk(&self, talk: TalkId) -> impl Iterator<Item = DocKey> + '_ {
        self.talks.all(talk)
    }

    /// Adds the text of a note, in place of what it was.
    pub fn put_note(&mut self, key: DocKey, segmenter: &Segmenter, text: &str, told: Interval) {
        self.remove(&key);
        let passage = Passage::new(&mut self.vocabulary, segmenter, text, told);
        self.insert(key, passage);
    }

    /// Adds something said, in place of what it was.
    pub fn put_said(&mut self, segmenter: &Segmenter, said: &Said<'_>) {
        let key = DocKey::Message(said.id);
        let before = self.get(&key).and_then(|passage| passage.turn);
        self.remove(&key);
        let told = Interval::instant(said.at);
        let mut passage = Passage::new(&mut self.vocabulary, segmenter, said.text, told);
        passage.speaks_of = times_in(said);
        passage.speaker = said.speaker.and_then(|name| self.speaker(name));
        passage.turn = said
            .talk
            .map(|talk| self.talks.put(talk, said.at, key, before));
        self.insert(key, passage);
    }

    /// Takes a text out. Answers whether it was there.
    pub fn remove(&mut self, key: &DocKey) -> bool {
        let Some(passage) = self.texts.remove(key) else {
            return false;
        };
        let collection = Collection::of(key);
        let size = self.size_mut(collection);
        size.length -= u64::from(passage.length);
        size.texts -= 1;
        for count in &passage.terms {
            self.vocabulary.lower(count.term, collection);
        }
        for wording in passage.wordings() {
            if let Some(there) = self.wordings.get_mut(wording) {
                there.remove(key);
                if there.is_empty() {
                    self.wordings.remove(wording);
                }
            }
        }
        if let Some(turn) = passage.turn {
            self.talks.remove(turn, *key);
        }
        if let Some(id) = passage.speaker {
            let spoke = self.speakers.values_mut().find(|(known, _)| *known == id);
            if let Some((_, said)) = spoke {
                *said -= 1;
            }
        }
        true
    }

    /// Leaves no trace of texts that were taken out.
    pub fn compact(&mut self) {
        let (vocabulary, numbers) = self.vocabulary.compacted();
        for passage in self.texts.values_mut() {
            passage.renumber(|term| numbers.get(term as usize).copied().unwrap_or_default());
        }
        self.vocabulary = vocabulary;
        self.talks.compact();
        self.speakers.retain(|_, (_, said)| *said > 0);
    }

    fn insert(&mut self, key: DocKey, passage: Passage) {
        let collection = Collection::of(&key);
        let size = self.size_mut(collection);
        size.length += u64::from(passage.length);
        size.texts += 1;
        for count in &passage.terms {
            self.vocabulary.raise(count.term, collection);
        }
        for wording in passage.wordings() {
            self.wordings.entry(*wording).or_default().insert(key);
        }
        self.texts.insert(key, passage);
    }

    fn size(&self, collection: Collection) -> &Size {
        match collection {
            Collection::Notes => &self.notes,
            Collection::Said => &self.said,
        }
    }

    fn size_mut(&mut self, collection: Collection) -> &mut Size {
        match collection {
            Collection::Notes => &mut self.notes,
            Collection::Said => &mut self.said,
        }
    }

    fn speaker(&mut self, name: &str) -> Option<SpeakerId> {
        let name = key(name);
        if name.is_empty() {
            return None;
        }
        let numbers = self.speakers.values().map(|(id, _)| *id + 1);
        let next = numbers.max().unwrap_or_default();
        let (id, said) = self.speakers.entry(name).or_insert((next, 0));
        *said += 1;
        Some(*id)
    }
}

/// Times that a text tells of beside the time it was said, at most.
const MAX_TIMES: usize = 4;

/// The times that something said speaks of: what is most likely meant by each expression.
fn times_in(said: &Said<'_>) -> Vec<Interval> {
    let at = said.at.to_zoned_datetime(said.zone.clone());
    let expressions = time_expressions(said.text, &at).into_iter();
    let meant =
        expressions.filter_map(|expression| expression.readings.first().map(|it| it.interval));
    meant.take(MAX_TIMES).collect()
}
