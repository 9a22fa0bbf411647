//! What single texts say for themselves.

use super::terms::full;
use super::{Counts, Row, Terms, Weighted};
use crate::index::{Collection, Cues, DocKey, Passage, WordQuery, dot};
use crate::recall::memory::Memory;
use crate::recall::plain::asked::Asked;
use crate::recall::plain::channel::{Channel, Channels, FusionWeights, Kind};
use crate::recall::plain::kind_of;
use crate::text::{Intent, Understanding, time_fit};

/// A clause is about so much shorter than a text.
const CLAUSE_SHARE: f64 = 0.5;

/// What each question of the line finds in a text: its words, its best clause, its vector, the share of its words.
pub(super) type PartScores = [f64; 4];

/// What scores single texts.
pub(super) struct Scorer<'a> {
    memory: &'a Memory<'a>,
    asked: &'a Asked,
    weights: &'a FusionWeights,
    pub(super) terms: Terms,
    /// The line, and each of its questions where it has several.
    lines: Vec<Whole>,
    pub(super) parts: Vec<PartScorer<'a>>,
    mean_length: f64,
}

/// All words of a line, and what a text would score that had every one as often as counts.
struct Whole {
    words: Weighted,
    full: f64,
}

impl Whole {
    fn new(memory: &Memory<'_>, terms: &mut Terms, query: &WordQuery) -> Self {
        Self {
            words: terms.weighted(memory, query),
            full: full(memory, query, terms.collection()),
        }
    }

    /// The share of it that a text answers.
    fn share(&self, counts: &Counts, length: f64, mean: f64) -> f64 {
        if self.full > 0.0 {
            (self.words.score(counts, length, mean) / self.full).min(1.0)
        } else {
            0.0
        }
    }
}

pub(super) struct PartScorer<'a> {
    words: Weighted,
    pub(super) content: Weighted,
    telling: Weighted,
    vector: Option<&'a [f32]>,
}

impl<'a> Scorer<'a> {
    pub(super) fn new(
        memory: &'a Memory<'a>,
        asked: &'a Asked,
        weights: &'a FusionWeights,
        collection: Collection,
    ) -> Self {
        let mut terms = Terms::of(collection);
        let mut lines = vec![Whole::new(memory, &mut terms, &asked.words)];
        if asked.parts.len() > 1 {
            let parts = asked.parts.iter();
            lines.extend(parts.map(|part| Whole::new(memory, &mut terms, &part.line)));
        }
        let mut parts = Vec::new();
        for part in &asked.parts {
            parts.push(PartScorer {
                words: terms.weighted(memory, &part.words),
                content: terms.weighted(memory, &part.content),
                telling: terms.weighted(memory, &part.telling),
                vector: part.vector.as_deref(),
            });
        }
        Self {
            memory,
            asked,
            weights,
            terms,
            lines,
            parts,
            mean_length: memory.indexes.passages.mean_length(collection),
        }
    }

    pub(super) fn row(&self, key: DocKey) -> Option<Row> {
        let passage = self.memory.indexes.passages.get(&key)?;
        let kind = kind_of(self.memory, &key);
        let counts = passage.terms.iter();
        let counts = self
            .terms
            .count(counts.map(|held| (held.term, u32::from(held.count))));
        let length = f64::from(passage.length);
        let shares = self
            .lines
            .iter()
            .map(|line| line.share(&counts, length, self.mean_length));
        let parts = self.parts(passage, key, kind, &counts);
        let mut channels = Channels::default();
        let share = parts.iter().map(|part| part[3]).fold(0.0, f64::max);
        channels.set(Channel::Share, share);
        self.cues(passage, &mut channels);
        Some(Row {
            key,
            kind,
            exact: self
                .asked
                .fingerprint
                .is_some_and(|line| passage.is_worded(line)),
            words: shares.fold(0.0, f64::max),
            vector: parts.iter().map(|part| part[2]).fold(0.0, f64::max),
            channels,
            reached: false,
            length: f64::from(passage.cues.chars).ln_1p(),
            parts,
        })
    }

    /// What each question finds.
    fn parts(
        &self,
        passage: &Passage,
        key: DocKey,
        kind: Kind,
        counts: &Counts,
    ) -> Vec<PartScores> {
        let indexes = self.memory.indexes;
        let keys = indexes.vector_keys(&key);
        let vectors = || keys.iter().filter_map(|key| indexes.vectors.get(key));
        let wanted = self.weights.wants_clauses(kind);
        let clauses: Vec<(Counts, f64)> = passage
            .clauses
            .iter()
            .filter(|_| wanted)
            .map(|clause| {
                let terms = clause.terms.iter().map(|term| (*term, 1));
                (self.terms.count(terms), f64::from(clause.length))
            })
            .collect();
        let mean = self.mean_length;
        let score = |part: &PartScorer<'_>| {
            let asked = if kind.is_note() {
                &part.words
            } else {
                &part.content
            };
            let words = asked.score(counts, f64::from(passage.length), mean);
            let clause = clauses
                .iter()
                .map(|(counts, length)| asked.score(counts, *length, mean * CLAUSE_SHARE));
            let cosine = |line: &[f32]| {
                let cosines = vectors().map(|vector| f64::from(dot(line, vector)));
                cosines.fold(0.0, f64::max).min(1.0)
            };
            [
                words,
                clause.fold(words, f64::max),
                part.vector.map_or(0.0, cosine),
                part.telling.share(counts),
            ]
        };
        self.parts.iter().map(score).collect()
    }

    fn cues(&self, passage: &Passage, channels: &mut Channels) {
        let mark = |is: bool| f64::from(u8::from(is));
        let speaks = passage.speaker.is_some() && passage.speaker == self.asked.speaker();
        channels.set(Channel::Speaker, mark(speaks));
        channels.set(Channel::Asks, mark(passage.cues.asks));
        channels.set(Channel::Own, mark(passage.cues.own));
        channels.set(Channel::OfSelf, mark(speaks && passage.cues.own));
        channels.set(
            Channel::TellsTime,
            mark(self.asked.understanding.asks_for_time() && passage.cues.tells_time),
        );
        channels.set(
            Channel::TellsKind,
            mark(tells_kind(&self.asked.understanding, &passage.cues)),
        );
        let told = || std::iter::once(&passage.told).chain(&passage.speaks_of);
        let times = self.asked.understanding.times.iter();
        let fits = times.flat_map(|time| told().map(|told| time_fit(*told, &time.readings)));
        channels.set(Channel::Time, fits.fold(0.0, f64::max));
    }
}

/// Whether a text tells the kind of thing that the line asks for.
fn tells_kind(asked: &Understanding, cues: &Cues) -> bool {
    (asked.asks_for_person() && cues.tells_person)
        || (asked.asks_for_place() && cues.tells_place)
        || (asked.intent() == Intent::Preference && cues.tells_liking)
}
