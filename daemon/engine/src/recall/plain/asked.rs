//! What a plain line asks for.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::ZonedDateTime;

use crate::index::{Collection, KindWeights, NameId, SpeakerId, TermId, WordQuery, fingerprint};
use crate::model::NoteKind;
use crate::recall::indexes::Indexes;
use crate::recall::memory::Memory;
use crate::text::{
    By, Line, Participant, TokenKind, Understanding, instances, sentences, synonyms, understand,
};

/// What is said beside a question weighs this much of what the question itself says.
const BESIDE: f64 = 0.35;

/// Another word for one of the line weighs this much of it.
const SYNONYM: f64 = 0.3;

/// Something that falls under a word of the line.
const INSTANCE: f64 = 0.3;

/// Another name of something that the line names: nearly as good as the one that it uses.
const ALIAS: f64 = 0.8;

/// Notes of one name whose other names are looked for too.
const NAMESAKES: usize = 3;

/// Questions in one line that are answered each for itself; in longer ones all is one.
const MAX_PARTS: usize = 4;

/// A line, understood against one memory.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Its words, all of them.
    pub words: WordQuery,
    /// The same with the other names of what it names.
    pub answered: WordQuery,
    /// Its questions; all of it, where it has none or too many.
    pub parts: Vec<Part>,
    /// Those of the participants that the line names.
    pub named: Vec<SpeakerId>,
    /// What else was understood of the line: its intent, what it asks, the times that it names.
    pub understanding: Understanding,
    /// The known names in the line.
    pub entities: Vec<NameId>,
    /// The line's wording.
    pub fingerprint: Option<u64>,
}

/// One question, with what is said beside it.
#[derive(Clone, Debug)]
pub struct Part {
    /// The question's own words, all of them.
    pub line: WordQuery,
    /// The same with the other names of what it names.
    pub answered: WordQuery,
    /// Its words, those beside it counting less, and what may stand for them still less.
    pub words: WordQuery,
    /// The same without the names of those who take part in talks: who is named is nearly always who speaks or is spoken
    /// to, and a turn that calls somebody by name says nothing of them.
    pub content: WordQuery,
    /// The content without what may stand for its words.
    pub telling: WordQuery,
    /// Its vector.
    pub vector: Option<Arc<[f32]>>,
}

impl Asked {
    /// Understands a line that was said at `said`.
    pub fn new(memory: &Memory<'_>, text: &str, said: &ZonedDateTime) -> Self {
        let speakers = memory.indexes.passages.speakers();
        let participants: Vec<Participant> = speakers
            .iter()
            .map(|(name, _)| Participant {
                name: (*name).to_owned(),
                aliases: Vec::new(),
            })
            .collect();
        let line = Line {
            text,
            said,
            participants: &participants,
            speaker: None,
            listener: None,
        };
        let understanding = understand(&line, &memory.indexes.segmenter);
        let places: BTreeSet<usize> = understanding
            .persons
            .iter()
            .filter(|mention| mention.by == By::Name)
            .map(|mention| mention.participant)
            .collect();
        let participating = || places.iter().filter_map(|place| speakers.get(*place));
        let names: BTreeSet<String> = participating()
            .flat_map(|(name, _)| memory.indexes.segmenter.segment(name))
            .map(|token| token.text)
            .collect();
        let parts = parts(text)
            .into_iter()
            .map(|part| part.weighed(memory, text, &names));
        let words = WordQuery::from_text(&memory.indexes.segmenter, text);
        Self {
            answered: with_names(memory, text, &words),
            words,
            parts: parts.collect(),
            named: participating().map(|(_, id)| *id).collect(),
            understanding,
            entities: memory.indexes.entities.names_in(text),
            fingerprint: fingerprint(text),
        }
    }

    /// The one participant that the line names, if it is one.
    pub fn speaker(&self) -> Option<SpeakerId> {
        match self.named.as_slice() {
            [one] => Some(*one),
            _ => None,
        }
    }
}

/// The sentences of one question, and those that stand beside it.
struct Sentences<'t> {
    asked: &'t str,
    beside: Vec<&'t str>,
}

/// The questions of a line, each with the sentences that are none.
fn parts(text: &str) -> Vec<Sentences<'_>> {
    let sentences = sentences(text);
    let sentences: Vec<&str> = sentences
        .into_iter()
        .filter_map(|range| text.get(range))
        .collect();
    let asks = |sentence: &&str| sentence.ends_with(['?', '？']);
    let (asked, beside): (Vec<&str>, Vec<&str>) = sentences.into_iter().partition(asks);
    if asked.is_empty() || asked.len() > MAX_PARTS {
        return vec![Sentences {
            asked: text,
            beside: Vec::new(),
        }];
    }
    let part = |asked| Sentences {
        asked,
        beside: beside.clone(),
    };
    asked.into_iter().map(part).collect()
}

impl<'t> Sentences<'t> {
    /// Each with what it counts.
    fn shares(&self) -> impl Iterator<Item = (&'t str, f64)> {
        let beside = self.beside.iter().map(|sentence| (*sentence, BESIDE));
        std::iter::once((self.asked, 1.0)).chain(beside)
    }

    fn weighed(&self, memory: &Memory<'_>, line: &str, names: &BTreeSet<String>) -> Part {
        let kinds = KindWeights::default();
        let segmenter = &memory.indexes.segmenter;
        let mut terms: Vec<(String, f64)> = Vec::new();
        let mut kindred: BTreeMap<String, f64> = BTreeMap::new();
        for (sentence, share) in self.shares() {
            segmenter.for_each_token(sentence, |token| {
                let weight = share * kinds.of(token.kind);
                terms.push((token.text.to_owned(), weight));
                let others = synonyms(token.text).iter().map(|other| (*other, SYNONYM));
                let under = instances(token.text).iter().map(|other| (*other, INSTANCE));
                for (other, share) in others.chain(under) {
                    for token in segmenter.segment(other) {
                        if token.kind != TokenKind::Char || token.text == other {
                            let known = kindred.entry(token.text).or_default();
                            *known = known.max(share * weight * kinds.of(token.kind));
                        }
                    }
                }
            });
        }
        for (sentence, share) in self.shares() {
            for name in called_otherwise(memory, sentence) {
                for token in segmenter.segment(name) {
                    let known = kindred.entry(token.text).or_default();
                    *known = known.max(share * ALIAS * kinds.of(token.kind));
                }
            }
        }
        kindred
            .retain(|term, weight| *weight > 0.0 && !terms.iter().any(|(known, _)| known == term));
        let all = || terms.iter().cloned().chain(kindred.clone());
        let content = WordQuery::new(all().filter(|(term, _)| !names.contains(term)));
        let filled = |query: WordQuery| {
            if query.is_empty() {
                WordQuery::from_text(segmenter, line)
            } else {
                query
            }
        };
        let own = WordQuery::from_text(segmenter, self.asked);
        Part {
            answered: with_names(memory, self.asked, &own),
            line: own,
            words: filled(WordQuery::new(all())),
            content: filled(content),
            telling: WordQuery::new(terms.into_iter().filter(|(term, _)| !names.contains(term))),
            vector: memory.embedded.query(self.asked),
        }
    }
}

/// The words of the other names, with their weights.
fn names_beside(memory: &Memory<'_>, sentence: &str) -> Vec<(String, f64)> {
    let (kinds, segmenter) = (KindWeights::default(), &memory.indexes.segmenter);
    let names = called_otherwise(memory, sentence).into_iter();
    let tokens = names.flat_map(|name| segmenter.segment(name));
    let weighed = tokens.map(|token| (token.text, ALIAS * kinds.of(token.kind)));
    weighed.filter(|(_, weight)| *weight > 0.0).collect()
}

/// A query with the other names of what its sentence names, but for words that it has already.
fn with_names(memory: &Memory<'_>, sentence: &str, query: &WordQuery) -> WordQuery {
    let own: BTreeMap<&str, f64> = query.terms().collect();
    let mut all: BTreeMap<String, f64> = BTreeMap::new();
    for (term, weight) in names_beside(memory, sentence) {
        if !own.contains_key(&*term) {
            all.insert(term, weight);
        }
    }
    let own = own
        .into_iter()
        .map(|(term, weight)| (term.to_owned(), weight));
    WordQuery::new(all.into_iter().chain(own))
}

/// What else the entities are called that a sentence names: the content and aliases of the notes that make them known. A name
/// that many notes have says which of them is meant as little as their other names would.
fn called_otherwise<'m>(memory: &Memory<'m>, sentence: &str) -> BTreeSet<&'m str> {
    let Indexes {
        entities, graph, ..
    } = memory.indexes;
    let names = entities.names_in(sentence);
    let owners = names
        .iter()
        .map(|name| entities.holding_numbers(*name).0)
        .filter(|owners| owners.len() <= NAMESAKES);
    let known = owners.flatten().filter(|number| {
        let index = entities
            .numbered(**number)
            .and_then(|id| graph.index_of(id));
        let node = index.and_then(|index| graph.note(index));
        node.is_some_and(|node| node.kind == NoteKind::Semantic)
    });
    let all = known.flat_map(|number| entities.names_at(*number).0);
    all.filter(|name| !names.contains(name))
        .map(|name| entities.name(*name))
        .collect()
}

/// Terms of a query as numbers, with the weight of each in the question, and its rarity in a collection. Terms that none of
/// its texts holds are left out.
pub(super) fn numbered(
    memory: &Memory<'_>,
    query: &WordQuery,
    collection: Collection,
) -> Vec<(TermId, f64, f64)> {
    let passages = &memory.indexes.passages;
    let terms = query.terms().filter_map(|(term, weight)| {
        let id = passages.term(term)?;
        let held = passages.frequency(id, collection) > 0;
        held.then(|| (id, weight, passages.rarity(Some(id), collection)))
    });
    terms.collect()
}
