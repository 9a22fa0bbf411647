//! The names of one character as a dictionary: longest match, extended in place.

use hashbrown::HashMap;

use super::folded::{Folded, key};
use super::script::Class;
use super::stop::is_stop_word;

/// Names longer than this (in folded characters) are sentences and are left to the base dictionary. The bound also
/// keeps matching linear in the text.
const MAX_NAME_CHARS: usize = 64;

const ROOT: u32 = 0;

/// A name found in a text: the units `start..end` and the node that spells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NameSpan {
    pub(super) start: usize,
    pub(super) end: usize,
    node: u32,
}

/// A trie over folded characters. Removing a name leaves its nodes: names come back, and a walk that ends in
/// nothing costs nothing.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    edges: HashMap<(u32, char), u32>,
    nodes: u32,
    ends: HashMap<u32, Box<str>>,
}

impl Names {
    /// Adds a name; whether the dictionary changed (see [`super::Segmenter::add_name`]).
    pub(super) fn add(&mut self, name: &str) -> bool {
        let key = key(name);
        if !is_usable(&key) {
            return false;
        }
        let mut node = ROOT;
        for c in key.chars() {
            let next = self.nodes + 1;
            node = *self.edges.entry((node, c)).or_insert(next);
            self.nodes = self.nodes.max(node);
        }
        self.ends.insert(node, key.into_boxed_str()).is_none()
    }

    /// Removes a name; whether it was there.
    pub(super) fn remove(&mut self, name: &str) -> bool {
        let node = key(name)
            .chars()
            .try_fold(ROOT, |node, c| self.edges.get(&(node, c)).copied());
        node.is_some_and(|node| self.ends.remove(&node).is_some())
    }

    /// Whether the name is in the dictionary.
    pub(super) fn contains(&self, name: &str) -> bool {
        let node = key(name)
            .chars()
            .try_fold(ROOT, |node, c| self.edges.get(&(node, c)).copied());
        node.is_some_and(|node| self.ends.contains_key(&node))
    }

    /// The folded names, in order.
    pub(super) fn all(&self) -> Vec<String> {
        let mut all: Vec<String> = self.ends.values().map(|name| (**name).to_owned()).collect();
        all.sort_unstable();
        all
    }

    /// The folded text of the name in `span`.
    pub(super) fn text(&self, span: NameSpan) -> &str {
        self.ends.get(&span.node).map_or("", |key| key)
    }

    /// The names in a text, leftmost longest, none overlapping another.
    pub(super) fn find(&self, folded: &Folded, original: &str) -> Vec<NameSpan> {
        let mut spans = Vec::new();
        let mut at = 0;
        while !self.ends.is_empty() && at < folded.units.len() {
            let found = self.longest_at(folded, original, at);
            at = found.map_or(at + 1, |span| span.end);
            spans.extend(found);
        }
        spans
    }

    fn longest_at(&self, folded: &Folded, original: &str, start: usize) -> Option<NameSpan> {
        if inside_word(folded, start) {
            return None;
        }
        let mut longest = None;
        let mut node = ROOT;
        let mut at = start;
        while let Some((next, end)) = self.step(folded, node, at) {
            (node, at) = (next, end);
            if self.ends.contains_key(&node) && !inside_word(folded, at) {
                let span = NameSpan { start, end, node };
                longest = self
                    .is_meant(folded, original, span)
                    .then_some(span)
                    .or(longest);
            }
        }
        longest
    }

    /// Follows the unit at `at` (a run of white space as one space) from `node`: the node reached and the unit after.
    fn step(&self, folded: &Folded, node: u32, at: usize) -> Option<(u32, usize)> {
        if folded.class(at) == Class::Space {
            let next = self.edges.get(&(node, ' ')).copied()?;
            // Bounded, so that a mebibyte of spaces after a name is not walked again from every name before it.
            let end = folded.run_end(at, |class| class == Class::Space);
            return Some((next, end.min(at + MAX_NAME_CHARS)));
        }
        let unit = folded.units.get(at)?;
        let mut chars = folded.text[unit.start..unit.end].chars();
        let next = chars.try_fold(node, |node, c| self.edges.get(&(node, c)).copied())?;
        Some((next, at + 1))
    }

    /// A name that is also an English function word (Will, May) is one only when it is written as a name.
    fn is_meant(&self, folded: &Folded, original: &str, span: NameSpan) -> bool {
        if !is_stop_word(self.text(span)) {
            return true;
        }
        let written = original.get(folded.source(span.start..span.end));
        written
            .and_then(|text| text.chars().next())
            .is_none_or(char::is_uppercase)
    }
}

impl<'n> FromIterator<&'n String> for Names {
    fn from_iter<I: IntoIterator<Item = &'n String>>(all: I) -> Self {
        let mut names = Self::default();
        for name in all {
            names.add(name);
        }
        names
    }
}

/// Whether units `at - 1` and `at` belong to one word of a spaced script: a name neither begins nor ends there. An apostrophe
/// between letters joins them (O'Brien is no Brien), but for the possessive `'s`.
fn inside_word(folded: &Folded, at: usize) -> bool {
    let joins = |at: usize| folded.class(at).is_spaced();
    let apostrophe = |at: usize| folded.slice(at..at + 1) == "'";
    match at.checked_sub(1) {
        Some(before) if joins(before) && joins(at) => {
            let digit = |at: usize| folded.class(at) == Class::Digit;
            digit(before) == digit(at)
        }
        Some(before) if joins(before) && apostrophe(at) => {
            let goes_on = |at: usize| joins(at) || (apostrophe(at) && joins(at + 1));
            let possessive = folded.slice(at + 1..at + 2) == "s" && !goes_on(at + 2);
            joins(at + 1) && !possessive
        }
        Some(before) if apostrophe(before) && joins(at) => before.checked_sub(1).is_some_and(joins),
        _ => false,
    }
}

/// Long enough to be told from ordinary text, short enough to be a name.
fn is_usable(key: &str) -> bool {
    let classes = || key.chars().map(Class::of);
    let letters = classes()
        .filter(|class| class.is_spaced() || class.is_unspaced())
        .count();
    let symbols = classes().filter(|class| *class == Class::Symbol).count();
    (letters >= 2 || symbols >= 1) && key.chars().count() <= MAX_NAME_CHARS
}
