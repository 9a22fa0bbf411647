//! Tables of phrases, found in one pass over a line.

use std::cmp::Reverse;

use aho_corasick::{AhoCorasick, MatchKind};

use super::normal::Normal;
use crate::text::is_unspaced;

/// A table of phrases that stand for something: written as `|`-separated lists, each list with what it stands for.
#[derive(Debug)]
pub(super) struct Cues<T> {
    automaton: Option<AhoCorasick>,
    meanings: Vec<T>,
}

/// A phrase found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found<T> {
    /// What it stands for.
    pub(super) meaning: T,
    /// Where it begins in the normal form.
    pub(super) start: usize,
    /// Where it ends.
    pub(super) end: usize,
}

impl<T: Copy> Cues<T> {
    /// A table. Phrases of an alphabet match whole words only.
    pub(super) fn new(lists: impl IntoIterator<Item = (T, &'static str)>) -> Self {
        let mut phrases = Vec::new();
        let mut meanings = Vec::new();
        for (meaning, list) in lists {
            for phrase in list
                .split('|')
                .map(str::trim)
                .filter(|phrase| !phrase.is_empty())
            {
                phrases.push(bounded(phrase));
                meanings.push(meaning);
            }
        }
        // The tables are constants of this room; one that the automaton refused would find nothing, and fail its tests.
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .build(&phrases)
            .ok();
        Self {
            automaton,
            meanings,
        }
    }

    /// Every phrase in the text, overlapping ones too, by where it ends.
    pub(super) fn find<'c>(&'c self, normal: &'c Normal) -> impl Iterator<Item = Found<T>> + 'c {
        let found = self
            .automaton
            .iter()
            .flat_map(|automaton| automaton.find_overlapping_iter(&normal.text));
        found.filter_map(|hit| {
            Some(Found {
                meaning: *self.meanings.get(hit.pattern().as_usize())?,
                start: hit.start(),
                end: hit.end(),
            })
        })
    }

    /// The phrase that begins first, of those that begin together the longest; where another begins inside it and goes on
    /// after it, that one: 哪天 in "在哪天" asks, and not 在哪.
    pub(super) fn first(&self, normal: &Normal) -> Option<Found<T>> {
        let first = self
            .find(normal)
            .min_by_key(|found| (found.start, Reverse(found.end)))?;
        let longer = self.find(normal).filter(|found| {
            first.start < found.start && found.start < first.end && found.end > first.end
        });
        Some(
            longer
                .max_by_key(|found| (found.end, Reverse(found.start)))
                .unwrap_or(first),
        )
    }

    /// Whether any phrase of the table stands in the text.
    pub(super) fn any(&self, normal: &Normal) -> bool {
        self.find(normal).next().is_some()
    }
}

/// A phrase with the spaces that keep it from matching inside a longer word.
fn bounded(phrase: &str) -> String {
    let spaced = |c: Option<char>| c.is_some_and(|c| !is_unspaced(c));
    let mut bounded = String::with_capacity(phrase.len() + 2);
    if spaced(phrase.chars().next()) {
        bounded.push(' ');
    }
    bounded.push_str(phrase);
    if spaced(phrase.chars().next_back()) {
        bounded.push(' ');
    }
    bounded
}
