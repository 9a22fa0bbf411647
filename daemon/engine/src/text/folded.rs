//! The folded form of a text, with the way back to the original bytes.

use std::ops::Range;

use caseless::Caseless;
use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

use super::script::{Class, drops_marks, is_emoji, is_ignorable, is_mark};

/// A grapheme cluster's folded form is cut here: the longest real one (the ligature U+FDFA) has 18 characters, and
/// a letter under a mebibyte of marks must not become a term of a mebibyte.
const MAX_FOLDED_CHARS: usize = 32;

/// One folded character (with the marks that stay on it) and the grapheme cluster it came from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unit {
    /// First byte in the folded text.
    pub(super) start: usize,
    /// Byte after the last in the folded text.
    pub(super) end: usize,
    source_start: usize,
    source_end: usize,
    /// The rule it is cut by.
    pub(super) class: Class,
}

/// A text folded: NFKC, full case folding, accents of Latin and Greek off, invisible characters out.
#[derive(Debug, Default)]
pub(super) struct Folded {
    /// The folded text.
    pub(super) text: String,
    /// Its characters, in order, without gaps.
    pub(super) units: Vec<Unit>,
}

impl Folded {
    /// Folds `text`, grapheme cluster by grapheme cluster, so that every folded character knows its original bytes.
    pub(super) fn new(text: &str) -> Self {
        let mut folded = Self {
            text: String::with_capacity(text.len()),
            units: Vec::with_capacity(text.len() / 2),
        };
        for (start, grapheme) in text.grapheme_indices(true) {
            folded.push_grapheme(grapheme, start..start + grapheme.len());
        }
        folded
    }

    /// The folded text of the units `range`.
    pub(super) fn slice(&self, range: Range<usize>) -> &str {
        match self.units.get(range) {
            Some([first, .., last]) => &self.text[first.start..last.end],
            Some([only]) => &self.text[only.start..only.end],
            _ => "",
        }
    }

    /// The original bytes of the units `range`.
    pub(super) fn source(&self, range: Range<usize>) -> Range<usize> {
        match self.units.get(range) {
            Some([first, .., last]) => first.source_start..last.source_end,
            Some([only]) => only.source_start..only.source_end,
            _ => 0..0,
        }
    }

    /// The class of unit `index`, or `Gap` past either end.
    pub(super) fn class(&self, index: usize) -> Class {
        self.units.get(index).map_or(Class::Gap, |unit| unit.class)
    }

    /// The index after the last of the units from `from` on whose class satisfies `accepts`.
    pub(super) fn run_end(&self, from: usize, accepts: impl Fn(Class) -> bool) -> usize {
        self.units[from..]
            .iter()
            .position(|unit| !accepts(unit.class))
            .map_or(self.units.len(), |n| from + n)
    }

    fn push_grapheme(&mut self, grapheme: &str, source: Range<usize>) {
        let mut chars = grapheme.chars();
        match (chars.next(), chars.next()) {
            (Some(c), None) if c.is_ascii() => self.push_unit(c.to_ascii_lowercase(), &source),
            (Some(c), None) if folds_to_itself(c) => self.push_unit(c, &source),
            _ if is_emoji(grapheme) => self.push_emoji(grapheme, &source),
            _ => self.push_folded(grapheme, &source),
        }
    }

    fn push_unit(&mut self, c: char, source: &Range<usize>) {
        let start = self.text.len();
        self.text.push(c);
        self.units.push(Unit {
            start,
            end: self.text.len(),
            source_start: source.start,
            source_end: source.end,
            class: Class::of(c),
        });
    }

    /// An emoji stays whole; only the selectors that choose its colour or its ink are dropped.
    fn push_emoji(&mut self, grapheme: &str, source: &Range<usize>) {
        let start = self.text.len();
        let visible = grapheme
            .chars()
            .filter(|c| !matches!(c, '\u{FE0E}' | '\u{FE0F}'));
        self.text.extend(visible.take(MAX_FOLDED_CHARS));
        self.units.push(Unit {
            start,
            end: self.text.len(),
            source_start: source.start,
            source_end: source.end,
            class: Class::Symbol,
        });
    }

    fn push_folded(&mut self, grapheme: &str, source: &Range<usize>) {
        let first_unit = self.units.len();
        let mut dropping = false;
        for c in casefold(grapheme).take(MAX_FOLDED_CHARS) {
            if !is_mark(c) {
                dropping = drops_marks(c);
                self.push_unit(if is_apostrophe(c) { '\'' } else { c }, source);
            } else if dropping {
                // The accent of a letter that is found without it.
            } else if self.units.len() > first_unit {
                self.text.push(c);
                if let Some(unit) = self.units.last_mut() {
                    unit.end = self.text.len();
                }
            } else {
                self.push_unit(c, source);
            }
        }
    }
}

/// Compatibility caseless form (Unicode Standard 3.13, D146), with accents still on but split off where they can be,
/// so that they can be dropped, and composed again where they are not.
fn casefold(grapheme: &str) -> impl Iterator<Item = char> + '_ {
    let folded = grapheme
        .nfkc()
        .default_case_fold()
        .nfkc()
        .filter(|c| !is_ignorable(*c));
    folded.flat_map(|c| {
        let split = drops_marks(c) && !c.is_ascii();
        let mut whole = Some(c).filter(|_| !split);
        let mut parts = Some(c).filter(|_| split).into_iter().nfd();
        std::iter::from_fn(move || whole.take().or_else(|| parts.next()))
    })
}

/// The characters of nearly all Chinese, Japanese and Korean text: normal and without case, checked without tables.
fn folds_to_itself(c: char) -> bool {
    matches!(c,
        '\u{3001}'..='\u{3002}' | '\u{3041}'..='\u{3096}' | '\u{30A1}'..='\u{30FE}'
        | '\u{4E00}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}')
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\u{2019}' | '\u{2BC}')
}

/// The folded form of a text: NFKC, full case folding, accents of Latin and Greek off, invisible characters out.
///
/// ```
/// use soulmem_engine::text::fold;
/// assert_eq!(fold("ＡＢＣ"), "abc");
/// assert_eq!(fold("Straße"), fold("STRASSE"));
/// ```
pub fn fold(text: &str) -> String {
    Folded::new(text).text
}

/// The folded form of a name: [`fold`], with white space collapsed to single spaces and none at the ends. Two
/// spellings of one name have the same key.
pub fn key(name: &str) -> String {
    let folded = fold(name);
    let mut key = String::with_capacity(folded.len());
    for word in folded.split_whitespace() {
        if !key.is_empty() {
            key.push(' ');
        }
        key.push_str(word);
    }
    key
}
