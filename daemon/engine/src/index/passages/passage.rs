//! One text, taken apart.

use hashbrown::HashMap;
use xxhash_rust::xxh3::xxh3_64;

use super::super::Interval;
use super::SpeakerId;
use super::cues::Cues;
use super::talks::Turn;
use super::vocabulary::{TermId, Vocabulary};
use crate::pack_fields;
use crate::text::{Segmenter, TokenKind, key, sentences};

/// How often a text holds a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TermCount {
    /// Which term.
    pub term: TermId,
    /// How often.
    pub count: u16,
    /// Whether it says what the text is about: it is no function word and no single character.
    pub telling: bool,
}

/// A part of a text that says one thing.
#[derive(Clone, Debug)]
pub struct Clause {
    /// Its terms, each once, in the order of their first occurrence.
    pub terms: Vec<TermId>,
    /// How many of them count towards its length.
    pub length: u32,
}

/// A text as recall sees it.
#[derive(Clone, Debug)]
pub struct Passage {
    /// Its terms in the order of their first occurrence: the same for the same text, whatever else there is.
    pub terms: Vec<TermCount>,
    /// How many of its tokens count.
    pub length: u32,
    /// Its clauses, where it has more than one.
    pub clauses: Vec<Clause>,
    /// What kind of text it is.
    pub cues: Cues,
    /// When it was said, or what time it tells of.
    pub told: Interval,
    /// The times that it speaks of.
    pub speaks_of: Vec<Interval>,
    /// Who said it.
    pub speaker: Option<SpeakerId>,
    /// Where in which talk.
    pub turn: Option<Turn>,
    /// The [`fingerprint`]s of the text and of each of its lines and sentences, ascending.
    wordings: Vec<u64>,
}

pack_fields!(TermCount {
    term,
    count,
    telling
});

pack_fields!(Clause { terms, length });

pack_fields!(Passage {
    terms,
    length,
    clauses,
    cues,
    told,
    speaks_of,
    speaker,
    turn,
    wordings
});

/// The same for two texts that differ in nothing but case, width, accents and spaces; nearly always different for others.
/// `None` for a text that shows nothing.
pub fn fingerprint(text: &str) -> Option<u64> {
    let key = key(text);
    (!key.is_empty()).then(|| xxh3_64(key.as_bytes()))
}

impl Passage {
    pub(super) fn new(
        vocabulary: &mut Vocabulary,
        segmenter: &Segmenter,
        text: &str,
        told: Interval,
    ) -> Self {
        let clauses: Vec<Cut> = clauses(text)
            .into_iter()
            .map(|clause| Cut::new(vocabulary, segmenter, clause))
            .collect();
        let whole = Cut::new(vocabulary, segmenter, text);
        let several = clauses.len() > 1;
        Self {
            terms: whole.terms,
            length: whole.length,
            clauses: clauses
                .into_iter()
                .filter(|clause| several && clause.length > 0)
                .map(Clause::from)
                .collect(),
            cues: Cues::of(text),
            told,
            speaks_of: Vec::new(),
            speaker: None,
            turn: None,
            wordings: wordings(text),
        }
    }

    /// Gives its terms other numbers.
    pub(super) fn renumber(&mut self, number: impl Fn(TermId) -> TermId) {
        for held in &mut self.terms {
            held.term = number(held.term);
        }
        for term in self.clauses.iter_mut().flat_map(|clause| &mut clause.terms) {
            *term = number(*term);
        }
    }

    pub(super) fn wordings(&self) -> &[u64] {
        &self.wordings
    }

    /// Whether the text, a line or a sentence of it has this [`fingerprint`].
    pub fn is_worded(&self, fingerprint: u64) -> bool {
        self.wordings.binary_search(&fingerprint).is_ok()
    }
}

/// Terms of a stretch of text.
struct Cut {
    terms: Vec<TermCount>,
    length: u32,
}

impl Cut {
    fn new(vocabulary: &mut Vocabulary, segmenter: &Segmenter, text: &str) -> Self {
        let mut terms: Vec<TermCount> = Vec::new();
        let mut places: HashMap<TermId, usize> = HashMap::new();
        let mut length = 0;
        segmenter.for_each_token(text, |token| {
            let term = vocabulary.intern(token.text);
            length += u32::from(token.kind.counts());
            let telling = !matches!(token.kind, TokenKind::Stop | TokenKind::Char);
            let place = *places.entry(term).or_insert_with(|| {
                terms.push(TermCount {
                    term,
                    count: 0,
                    telling,
                });
                terms.len() - 1
            });
            let known = &mut terms[place];
            known.count = known.count.saturating_add(1);
            known.telling |= telling;
        });
        Self { terms, length }
    }
}

impl From<Cut> for Clause {
    fn from(cut: Cut) -> Self {
        Self {
            terms: cut.terms.iter().map(|count| count.term).collect(),
            length: cut.length,
        }
    }
}

/// Sentences, and in scripts that put no spaces between words, what stands between commas: there a sentence often says
/// several things one after the other.
fn clauses(text: &str) -> Vec<&str> {
    let sentences = sentences(text);
    let sentences = sentences.into_iter().filter_map(|range| text.get(range));
    sentences
        .flat_map(|sentence| sentence.split(['，', '；', '、', ';']))
        .filter(|clause| !clause.trim().is_empty())
        .collect()
}

fn wordings(text: &str) -> Vec<u64> {
    let lines = text.lines();
    let sentences = sentences(text);
    let sentences = sentences.into_iter().filter_map(|range| text.get(range));
    let mut wordings: Vec<u64> = std::iter::once(text)
        .chain(lines)
        .chain(sentences)
        .filter_map(fingerprint)
        .collect();
    wordings.sort_unstable();
    wordings.dedup();
    wordings
}
