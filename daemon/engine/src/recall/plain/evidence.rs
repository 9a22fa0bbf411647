//! What each channel says of each candidate.

use std::collections::BTreeSet;

use hashbrown::HashMap;

use crate::index::{Bm25, DocKey, NameId, Passage, TermId, WordQuery, dot};
use crate::model::NoteId;
use crate::recall::memory::Memory;
use crate::text::time_fit;

use super::asked::{Asked, numbered};
use super::candidates::{Candidates, SEEDS};
use super::channel::{Channel, Channels, FusionWeights, Group, Kind};
use super::entity_walk::{self, Sources};
use super::{context, keywords, kind_of};

/// What the words count for the absolute relevance. A word that is there is better evidence than a vector that is near.
const WORDS: f64 = 0.6;
/// What the vector counts there.
const VECTOR: f64 = 0.4;
/// Notes that fit best and that the walk over entities starts from.
const WALK_NOTES: usize = 20;
/// Notes that it leads to beyond the other candidates.
const LED_TO: usize = 100;
/// With this share of a walk, something is reached by it.
pub(super) const REACHED: f64 = 1e-3;
/// A share of it under this tells nothing.
const LEAST_SHARE: f64 = 1e-7;
/// A clause is about so much shorter than a text.
const CLAUSE_SHARE: f64 = 0.5;

/// A candidate.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) key: DocKey,
    pub(super) kind: Kind,
    /// Whether the line, or a line or sentence of the candidate, is worded exactly like it.
    pub(super) exact: bool,
    /// Share of the question's words, weighted by their rarity, that it answers.
    pub(super) words: f64,
    /// Cosine of its nearest text.
    pub(super) vector: f64,
    pub(super) channels: Channels,
    /// Whether a walk from what fits led to it.
    pub(super) reached: bool,
    /// Logarithm of how long it is.
    length: f64,
    parts: Vec<PartScores>,
}

impl Row {
    /// From 0 to 1, the same for all questions.
    pub(super) fn relevance(&self) -> f64 {
        WORDS * self.words + VECTOR * self.vector
    }
}

/// All candidates, by key.
pub(super) struct Evidence {
    pub(super) rows: Vec<Row>,
}

impl Evidence {
    pub(super) fn weigh(
        memory: &Memory<'_>,
        asked: &Asked,
        weights: &FusionWeights,
        candidates: &Candidates,
    ) -> Self {
        let scorer = Scorer::new(memory, asked, weights);
        let row = |key: &DocKey| scorer.row(*key);
        let mut rows: Vec<Row> = candidates.keys.iter().filter_map(row).collect();
        standardise_texts(&mut rows);
        let best = best(&rows, weights);
        let reached = entities(memory, asked, &rows, weights);
        let beyond = Candidates::beyond(memory, &best);
        let new = beyond.difference(&candidates.keys);
        rows.extend(new.filter_map(row));
        let known: BTreeSet<DocKey> = rows.iter().map(|row| row.key).collect();
        let led = led_to(memory, &reached);
        rows.extend(led.difference(&known).filter_map(row));
        rows.sort_by_key(|row| row.key);
        standardise_texts(&mut rows);
        let own: Vec<f64> = rows
            .iter()
            .map(|row| weights.base.sum(&row.channels))
            .collect();
        for row in rows.iter_mut().filter(|row| row.kind.is_note()) {
            let share = row.key.note().and_then(|id| reached.get(&id));
            let share = share.copied().unwrap_or_default().max(LEAST_SHARE);
            row.reached |= share >= REACHED;
            row.channels.set(Channel::EntityWalk, share.ln());
            row.channels
                .set(Channel::Entities, named_by(memory, asked, row.key));
        }
        standardise(&mut rows, Channel::EntityWalk);
        let content: Vec<&Weighted> = scorer.parts.iter().map(|part| &part.content).collect();
        context::weigh(memory, &scorer.terms, &content, &mut rows, &own);
        if rows.iter().any(|row| weights.of(row.kind).keywords != 0.0) {
            keywords::weigh(memory, &mut rows, &own, SEEDS);
        }
        Self { rows }
    }
}

/// The walk over entities from the line's names and from the notes that fit best by themselves.
fn entities(
    memory: &Memory<'_>,
    asked: &Asked,
    rows: &[Row],
    weights: &FusionWeights,
) -> HashMap<NoteId, f64> {
    let fit = |row: &Row| weights.base.sum(&row.channels);
    let mut notes: Vec<(NoteId, f64)> = rows
        .iter()
        .filter_map(|row| Some((row.key.note()?, fit(row))))
        .filter(|(_, fit)| *fit > 0.0)
        .collect();
    notes.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    notes.truncate(WALK_NOTES);
    let sources = Sources {
        names: asked.entities.clone(),
        notes,
    };
    entity_walk::walk(&memory.indexes.entities, &sources)
}

/// The notes that the walk was at the most.
fn led_to(memory: &Memory<'_>, reached: &HashMap<NoteId, f64>) -> BTreeSet<DocKey> {
    let mut order: Vec<(NoteId, f64)> = reached.iter().map(|(id, share)| (*id, *share)).collect();
    let larger = |a: &(NoteId, f64), b: &(NoteId, f64)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    let admitted = |of: &[(NoteId, f64)]| {
        let admitted = of.iter().filter(|(id, _)| memory.admits_note(*id));
        admitted.copied().collect::<Vec<_>>()
    };
    // Nearly all are admitted, so that the first of them need not be looked for among all.
    let mut best = Vec::new();
    if order.len() > 2 * LED_TO {
        order.select_nth_unstable_by(2 * LED_TO, larger);
        best = admitted(&order[..2 * LED_TO]);
    }
    if best.len() < LED_TO {
        best = admitted(&order);
    }
    if best.len() > LED_TO {
        best.select_nth_unstable_by(LED_TO, larger);
        best.truncate(LED_TO);
    }
    best.into_iter().map(|(id, _)| DocKey::Note(id)).collect()
}

/// 1 for a note that is about something that the line names, a half for one that mentions it.
fn named_by(memory: &Memory<'_>, asked: &Asked, key: DocKey) -> f64 {
    let entities = &memory.indexes.entities;
    let Some(id) = key.note() else {
        return 0.0;
    };
    let (about, mentions) = entities.names_of(id);
    let of = |names: &[NameId]| asked.entities.iter().any(|name| names.contains(name));
    if of(about) {
        1.0
    } else if of(mentions) {
        0.5
    } else {
        0.0
    }
}

/// The keys, best first by what the texts themselves say.
fn best(rows: &[Row], weights: &FusionWeights) -> Vec<DocKey> {
    let mut sums: Vec<(f64, DocKey)> = rows
        .iter()
        .map(|row| (weights.base.sum(&row.channels), row.key))
        .collect();
    sums.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    sums.into_iter().map(|(_, key)| key).collect()
}

/// What each question of the line finds in a text: its words, its best clause, its vector.
type PartScores = [f64; 3];

/// Counts the channels of the texts themselves that have no unit in standard deviations over these rows, and of several
/// questions takes the one that a text answers best.
fn standardise_texts(rows: &mut [Row]) {
    for row in &mut *rows {
        row.channels.set(Channel::Length, row.length);
    }
    standardise(rows, Channel::Length);
    let parts = rows.first().map_or(0, |row| row.parts.len());
    for (at, channel) in [Channel::Words, Channel::Clause, Channel::Vector]
        .into_iter()
        .enumerate()
    {
        let mut best = vec![f64::NEG_INFINITY; rows.len()];
        for part in 0..parts {
            for row in &mut *rows {
                row.channels.set(channel, row.parts[part][at]);
            }
            standardise(rows, channel);
            for (best, row) in best.iter_mut().zip(&*rows) {
                *best = best.max(row.channels.get(channel));
            }
        }
        for (row, best) in rows.iter_mut().zip(best) {
            row.channels.set(channel, best);
        }
    }
}

/// Counts a channel in standard deviations from its mean, over each group of candidates.
pub(super) fn standardise(rows: &mut [Row], channel: Channel) {
    for group in Group::ALL {
        let of_kind = |row: &&Row| row.kind.group() == group;
        let values = || {
            rows.iter()
                .filter(of_kind)
                .map(|row| row.channels.get(channel))
        };
        let count = values().count().max(1) as f64;
        let mean = values().sum::<f64>() / count;
        let variance = values().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
        let deviation = variance.sqrt();
        for row in rows.iter_mut().filter(|row| row.kind.group() == group) {
            let value = row.channels.get(channel) - mean;
            let value = if deviation > 1e-9 {
                value / deviation
            } else {
                0.0
            };
            row.channels.set(channel, value);
        }
    }
}

/// What scores single texts.
struct Scorer<'a> {
    memory: &'a Memory<'a>,
    asked: &'a Asked,
    weights: &'a FusionWeights,
    terms: Terms,
    /// All words of the line, and what a text would score that had every one as often as counts.
    line: Weighted,
    full: f64,
    parts: Vec<PartScorer<'a>>,
    mean_length: f64,
}

struct PartScorer<'a> {
    words: Weighted,
    content: Weighted,
    vector: Option<&'a [f32]>,
}

/// The terms of all that is asked, each with its place: they are looked up once for all.
pub(super) struct Terms {
    places: HashMap<TermId, usize>,
    /// A bit for each term, by its number modulo their count. Most terms of a text are asked for by nobody, and the bit says
    /// so sooner than the map.
    marks: [u64; MARKS / 64],
}

/// How many bits there are: a hundred times the terms of a line.
const MARKS: usize = 4096;

/// How often a text holds each of the [`Terms`], in their order.
pub(super) type Counts = Vec<u32>;

impl Default for Terms {
    fn default() -> Self {
        Self {
            places: HashMap::new(),
            marks: [0; MARKS / 64],
        }
    }
}

impl Terms {
    /// Takes in the terms of a query. Those that no text holds are left out.
    fn weighted(&mut self, memory: &Memory<'_>, query: &WordQuery) -> Weighted {
        let mut weights = Vec::new();
        for (term, weight) in numbered(memory, query) {
            let next = self.places.len();
            let place = *self.places.entry(term).or_insert(next);
            let (word, bit) = Self::mark(term);
            self.marks[word] |= bit;
            weights.push((place, weight));
        }
        Weighted { weights }
    }

    pub(super) fn count(&self, terms: impl Iterator<Item = (TermId, u32)>) -> Counts {
        let mut counts = vec![0; self.places.len()];
        for (term, count) in terms {
            let (word, bit) = Self::mark(term);
            if self.marks[word] & bit == 0 {
                continue;
            }
            if let Some(place) = self.places.get(&term) {
                counts[*place] += count;
            }
        }
        counts
    }

    /// In which word a term has its bit, and the bit.
    fn mark(term: TermId) -> (usize, u64) {
        let place = term as usize % MARKS;
        (place / 64, 1 << (place % 64))
    }
}

/// A query: places of terms, with weight times rarity, in the order of their texts.
pub(super) struct Weighted {
    weights: Vec<(usize, f64)>,
}

impl Weighted {
    /// BM25. The sum goes over the terms in the order of their texts, so it is the same to the bit for the same texts.
    pub(super) fn score(&self, counts: &Counts, length: f64, mean: f64) -> f64 {
        let Bm25 { k1, b } = Bm25::default();
        let norm = k1 * (1.0 - b + b * length / mean.max(1.0));
        let gain = |count: u32| f64::from(count) * (k1 + 1.0) / (f64::from(count) + norm);
        let held = self
            .weights
            .iter()
            .map(|(place, weight)| (counts[*place], weight));
        held.filter(|(count, _)| *count > 0)
            .map(|(count, weight)| weight * gain(count))
            .sum()
    }
}

/// What a text would score that had every term as often as counts, those that no text holds too.
fn full(memory: &Memory<'_>, query: &WordQuery) -> f64 {
    let passages = &memory.indexes.passages;
    let rarity = |term: &str| {
        let frequency = passages.term(term).map_or(0, |id| passages.frequency(id));
        Bm25::idf(passages.len(), frequency)
    };
    query
        .terms()
        .map(|(term, weight)| weight * rarity(term))
        .sum()
}

impl<'a> Scorer<'a> {
    fn new(memory: &'a Memory<'a>, asked: &'a Asked, weights: &'a FusionWeights) -> Self {
        let mut terms = Terms::default();
        let line = terms.weighted(memory, &asked.words);
        let mut parts = Vec::new();
        for part in &asked.parts {
            parts.push(PartScorer {
                words: terms.weighted(memory, &part.words),
                content: terms.weighted(memory, &part.content),
                vector: part.vector.as_deref(),
            });
        }
        Self {
            memory,
            asked,
            weights,
            terms,
            line,
            full: full(memory, &asked.words),
            parts,
            mean_length: memory.indexes.passages.mean_length(),
        }
    }

    fn row(&self, key: DocKey) -> Option<Row> {
        let passage = self.memory.indexes.passages.get(&key)?;
        let kind = kind_of(self.memory, &key);
        let counts = passage.terms.iter();
        let counts = self
            .terms
            .count(counts.map(|held| (held.term, u32::from(held.count))));
        let length = f64::from(passage.length);
        let line = self.line.score(&counts, length, self.mean_length);
        let parts = self.parts(passage, key, kind, &counts);
        let mut channels = Channels::default();
        self.cues(passage, &mut channels);
        Some(Row {
            key,
            kind,
            exact: self
                .asked
                .fingerprint
                .is_some_and(|line| passage.is_worded(line)),
            words: if self.full > 0.0 {
                (line / self.full).min(1.0)
            } else {
                0.0
            },
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
        channels.set(
            Channel::TellsTime,
            mark(self.asked.understanding.asks_for_time() && passage.cues.tells_time),
        );
        let told = || std::iter::once(&passage.told).chain(&passage.speaks_of);
        let times = self.asked.understanding.times.iter();
        let fits = times.flat_map(|time| told().map(|told| time_fit(*told, &time.readings)));
        channels.set(Channel::Time, fits.fold(0.0, f64::max));
    }
}
