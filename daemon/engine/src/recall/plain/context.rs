//! What stands around a candidate in the same talk is probably meant too.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use crate::index::{DocKey, Passage, TalkId};
use crate::recall::memory::Memory;

use super::candidates::REACH;
use super::channel::Channel;
use super::evidence::{Counts, Row, Terms, Weighted, standardise};

/// What stands two turns before counts so much of what stands one before.
const SECOND_BEFORE: f64 = 0.57;
/// The same for what stands after.
const SECOND_AFTER: f64 = 0.5;
/// Turns of one talk whose words are counted, at most.
const TALK_TURNS: usize = 400;

/// Lets the talk say what it has to. `own` are the sums of what the texts themselves say, row by row.
pub(super) fn weigh(
    memory: &Memory<'_>,
    terms: &Terms,
    content: &[&Weighted],
    rows: &mut [Row],
    own: &[f64],
) {
    let passages = &memory.indexes.passages;
    let sums: HashMap<DocKey, f64> = rows
        .iter()
        .map(|row| row.key)
        .zip(own.iter().copied())
        .collect();
    let questions: HashMap<DocKey, f64> = rows
        .iter()
        .filter(|row| row.channels.get(Channel::Asks) > 0.0)
        .map(|row| (row.key, row.channels.get(Channel::Words).max(0.0)))
        .collect();
    // What is no candidate has nothing to say for itself: no better than the least of them.
    let least = own.iter().copied().fold(0.0, f64::min);
    let turn_of = |key: &DocKey| passages.get(key).and_then(|passage| passage.turn);
    let mut best: BTreeMap<TalkId, f64> = BTreeMap::new();
    for (row, sum) in rows.iter().zip(own) {
        if let Some(turn) = turn_of(&row.key) {
            let best = best.entry(turn.talk).or_insert(f64::NEG_INFINITY);
            *best = best.max(*sum);
        }
    }
    let words: BTreeMap<TalkId, f64> = talk_words(memory, terms, content, best.keys().copied());
    for row in rows.iter_mut() {
        let Some(turn) = turn_of(&row.key) else {
            continue;
        };
        let beside = |distance: i64| {
            let there = passages.beside(turn, distance)?;
            Some(sums.get(&there).copied().unwrap_or(least))
        };
        let around = |first: i64, second: f64| {
            let near = beside(first).unwrap_or(0.0);
            let far = beside(first * REACH).unwrap_or(0.0);
            near + second * far
        };
        row.channels.set(Channel::Before, around(-1, SECOND_BEFORE));
        row.channels.set(Channel::After, around(1, SECOND_AFTER));
        let asked = passages.beside(turn, -1);
        let asked = asked.and_then(|before| questions.get(&before).copied());
        row.channels
            .set(Channel::Answers, asked.unwrap_or_default());
        row.channels
            .set(Channel::Talk, best.get(&turn.talk).copied().unwrap_or(0.0));
        row.channels.set(
            Channel::TalkWords,
            words.get(&turn.talk).copied().unwrap_or(0.0),
        );
    }
    standardise(rows, Channel::Talk);
    standardise(rows, Channel::TalkWords);
}

/// BM25 of each talk as one text, against the talks among the candidates.
fn talk_words(
    memory: &Memory<'_>,
    terms: &Terms,
    content: &[&Weighted],
    talks: impl Iterator<Item = TalkId>,
) -> BTreeMap<TalkId, f64> {
    let passages = &memory.indexes.passages;
    let counted: BTreeMap<TalkId, (Counts, f64)> = talks
        .map(|talk| {
            let turns: Vec<&Passage> = passages
                .talk(talk)
                .take(TALK_TURNS)
                .filter_map(|key| passages.get(&key))
                .collect();
            let length = turns.iter().map(|turn| f64::from(turn.length)).sum();
            let held = turns.iter().flat_map(|turn| turn.terms.iter());
            let counts = terms.count(held.map(|held| (held.term, u32::from(held.count))));
            (talk, (counts, length))
        })
        .collect();
    let lengths = counted.values().map(|(_, length)| length);
    let mean = lengths.sum::<f64>() / counted.len().max(1) as f64;
    let best = |counts: &Counts, length: f64| {
        let scores = content.iter().map(|part| part.score(counts, length, mean));
        scores.fold(0.0, f64::max)
    };
    counted
        .iter()
        .map(|(talk, (counts, length))| (*talk, best(counts, *length)))
        .collect()
}
