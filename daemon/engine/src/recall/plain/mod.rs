//! A plain line against notes and messages: many channels on one scale, summed.
//!
//! Notes and messages are weighed apart: how rare a word is, what a channel says of the others, where walks lead. What was made
//! of a talk repeats it, and would otherwise change what fits best in it.
//!
//! Every channel says of each candidate how much speaks for it; those that have no natural unit are counted in standard
//! deviations over the candidates of the question. Their weighted sum ranks. What each is worth depends on what the
//! memory holds, not on whose it is: turns of talks, things said outside of talks, and notes have weights of their own.
//!
//! The sum only compares candidates of one question. A floor needs something that means the same for all questions, so
//! the best candidate keeps its absolute relevance (share of the line's words, and cosine), and the others get the less
//! of it the further they are behind.
//!
//! - [`asked`]: what a line asks for.
//! - [`channel`]: the channels, and their weights.
//! - `candidates`: what is looked at.
//! - `evidence`: what each channel says.
//! - `keywords`: the walk over shared words.
//! - `entity_walk`: the walk over entities.
//! - `context`: what stands around a candidate.

pub mod asked;
pub mod channel;

mod candidates;
mod context;
mod entity_walk;
mod evidence;
mod keywords;

use std::collections::BTreeSet;

use crate::index::{Collection, DocKey, VectorError};
use crate::model::{MessageId, NoteId, NoteKind};
use crate::recall::memory::Memory;
use crate::recall::pipeline::Options;

use self::asked::Asked;
use self::candidates::{Candidates, REACH};
use self::channel::{Channels, FusionWeights, Group, Kind};
use self::evidence::{Evidence, Row};

/// How far behind the best a candidate must be, in the unit of the sum, to have half of its score.
const HALF_BEHIND: f64 = 8.0;

/// So many of the first are ranked by all that speaks for them.
const HEAD: usize = 5;

/// Behind them what stands around a text counts so much: the talk that fits best has had its say, and what answers by its own
/// words in another talk has more to add than one more of its neighbours.
const BEHIND: f64 = 0.8;

/// The score of what is worded exactly like the line.
pub(super) const EXACT: f64 = 1.0;

/// What only resembles the line stays under it.
const NEARLY: f64 = 0.999;

/// A text with how it fits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlainScore<K> {
    /// The note or message.
    pub id: K,
    /// How well it fits; comparable from one question to the next as far as the floor goes.
    pub score: f64,
    /// Share of the question's words, weighted by their rarity, that it answers.
    pub words: f64,
    /// Cosine of its nearest text.
    pub vector: f64,
    /// What each channel says.
    pub channels: Channels,
}

/// What a line brought up, best first.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Notes.
    pub notes: Vec<PlainScore<NoteId>>,
    /// Messages.
    pub messages: Vec<PlainScore<MessageId>>,
}

/// The best notes and messages for a line, at most `limit` of each. The floor is the caller's.
pub fn find(memory: &Memory<'_>, asked: &Asked, options: &Options) -> Result<Found, VectorError> {
    let (weights, limit) = (&options.fusion, options.limit);
    let mut evidence = Evidence::default();
    for collection in Collection::BOTH {
        let candidates = Candidates::gather(memory, asked, collection, limit)?;
        let weighed = Evidence::weigh(memory, asked, weights, &candidates);
        evidence.rows.extend(weighed.rows);
    }
    let answering: BTreeSet<DocKey> = evidence
        .rows
        .iter()
        .filter(|row| row.relevance() >= options.floor)
        .map(|row| row.key)
        .collect();
    evidence
        .rows
        .retain(|row| is_supported(memory, row, &answering));
    let mut found = Found::default();
    for group in Group::ALL {
        for hit in ranked(&evidence, weights, group, limit) {
            found.notes.extend(with_id(&hit, DocKey::note));
            found.messages.extend(with_id(&hit, DocKey::message));
        }
    }
    // Stable: what is worth the same stays in the order of its group.
    found.notes.sort_by(|a, b| b.score.total_cmp(&a.score));
    found.notes.truncate(limit);
    Ok(found)
}

/// Whether anything speaks for a candidate but that nothing better is there: it answers by itself, a walk led to it, or
/// it stands beside what answers.
fn is_supported(memory: &Memory<'_>, row: &Row, answering: &BTreeSet<DocKey>) -> bool {
    let passages = &memory.indexes.passages;
    let turn = passages.get(&row.key).and_then(|passage| passage.turn);
    let beside = || {
        let mut around = (-REACH..=REACH).filter_map(|distance| passages.beside(turn?, distance));
        around.any(|key| answering.contains(&key))
    };
    row.exact || row.reached || answering.contains(&row.key) || beside()
}

fn with_id<K>(
    hit: &PlainScore<DocKey>,
    id_of: impl Fn(DocKey) -> Option<K>,
) -> Option<PlainScore<K>> {
    Some(PlainScore {
        id: id_of(hit.id)?,
        score: hit.score,
        words: hit.words,
        vector: hit.vector,
        channels: hit.channels,
    })
}

/// A candidate on its way to its place.
struct Placed<'e> {
    row: &'e Row,
    /// All that speaks for it.
    sum: f64,
    /// The part of it that what stands around it has.
    around: f64,
}

/// One group of candidates, ordered by what is worded exactly so, then by the sum.
fn ranked(
    evidence: &Evidence,
    weights: &FusionWeights,
    group: Group,
    limit: usize,
) -> Vec<PlainScore<DocKey>> {
    let of_group = evidence.rows.iter().filter(|row| row.kind.group() == group);
    let mut placed: Vec<Placed<'_>> = of_group
        .map(|row| Placed {
            row,
            sum: weights.of(row.kind).sum(&row.channels),
            around: weights.of(row.kind).around(&row.channels),
        })
        .collect();
    let relevance = placed.iter().map(|it| it.row.relevance());
    let relevance = relevance.fold(0.0, f64::max).min(NEARLY);
    let best = placed.iter().map(|it| it.sum);
    let best = best.fold(f64::NEG_INFINITY, f64::max);
    in_order(&mut placed, |it| it.sum);
    let head = placed.len().min(HEAD);
    in_order(&mut placed[head..], |it| {
        it.sum - (1.0 - BEHIND) * it.around
    });
    placed.truncate(limit);
    let mut last: f64 = 1.0;
    let scored = placed.into_iter().map(|Placed { row, sum, .. }| {
        let share = HALF_BEHIND / (HALF_BEHIND + (best - sum).max(0.0));
        let score = if row.exact { EXACT } else { relevance * share };
        last = last.min(score);
        PlainScore {
            id: row.key,
            score: last,
            words: row.words,
            vector: row.vector,
            channels: row.channels,
        }
    });
    scored.collect()
}

fn in_order(placed: &mut [Placed<'_>], worth: impl Fn(&Placed<'_>) -> f64) {
    placed.sort_by(|a, b| {
        let exact = b.row.exact.cmp(&a.row.exact);
        exact
            .then(worth(b).total_cmp(&worth(a)))
            .then(a.row.key.cmp(&b.row.key))
    });
}

/// What a text is to the weights.
fn kind_of(memory: &Memory<'_>, key: &DocKey) -> Kind {
    let graph = &memory.indexes.graph;
    let passage = memory.indexes.passages.get(key);
    match key.note() {
        Some(id) => {
            let node = graph.index_of(id).and_then(|index| graph.note(index));
            match node.map(|node| node.kind) {
                Some(NoteKind::Semantic) => Kind::Known,
                _ => Kind::Lived,
            }
        }
        None if passage.is_some_and(|passage| passage.turn.is_some()) => Kind::Turn,
        None => Kind::Said,
    }
}
