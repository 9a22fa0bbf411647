//! What a plain line asks for.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::ZonedDateTime;

use crate::index::{Collection, KindWeights, NameId, SpeakerId, TermId, WordQuery, fingerprint};
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

/// Questions in one line that are answered each for itself; in longer ones all is one.
const MAX_PARTS: usize = 4;

/// A line, understood against one memory.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Its words, all of them.
    pub words: WordQuery,
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
        Self {
            words: WordQuery::from_text(&memory.indexes.segmenter, text),
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

impl Sentences<'_> {
    fn weighed(&self, memory: &Memory<'_>, line: &str, names: &BTreeSet<String>) -> Part {
        let kinds = KindWeights::default();
        let segmenter = &memory.indexes.segmenter;
        let mut terms: Vec<(String, f64)> = Vec::new();
        let mut kindred: BTreeMap<String, f64> = BTreeMap::new();
        let beside = self.beside.iter().map(|sentence| (*sentence, BESIDE));
        for (sentence, share) in std::iter::once((self.asked, 1.0)).chain(beside) {
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
        kindred.retain(|term, _| !terms.iter().any(|(known, _)| known == term));
        let all = || terms.iter().cloned().chain(kindred.clone());
        let content = WordQuery::new(all().filter(|(term, _)| !names.contains(term)));
        let filled = |query: WordQuery| {
            if query.is_empty() {
                WordQuery::from_text(segmenter, line)
            } else {
                query
            }
        };
        Part {
            line: WordQuery::from_text(segmenter, self.asked),
            words: filled(WordQuery::new(all())),
            content: filled(content),
            telling: WordQuery::new(terms.into_iter().filter(|(term, _)| !names.contains(term))),
            vector: memory.embedded.query(self.asked),
        }
    }
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
