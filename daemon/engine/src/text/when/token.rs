//! A text as the rules of time read it: words, numbers, Chinese characters and signs, one after the other.

use std::ops::Range;

use crate::text::folded::Folded;
use crate::text::script::Class;
use crate::text::simplified::simplified;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A word of the Latin alphabet, with an apostrophe inside.
    Word,
    /// A whole number of at most eight digits, and how many digits it is written with.
    Number(u32, u8),
    /// A Chinese character, simplified.
    Han(char),
    /// A sign of one character.
    Sign(char),
    /// Anything else.
    Other,
}

#[derive(Debug, Clone)]
struct Token {
    kind: Kind,
    units: Range<usize>,
    /// White space stands before it.
    spaced: bool,
}

/// The tokens of a text. A place in it is an index; one past the end is no token.
#[derive(Debug)]
pub(super) struct Tokens<'t> {
    original: &'t str,
    folded: &'t Folded,
    list: Vec<Token>,
}

impl<'t> Tokens<'t> {
    /// Reads a text. `original` is what was folded.
    pub(super) fn new(original: &'t str, folded: &'t Folded) -> Self {
        let mut list = Vec::new();
        let mut at = 0;
        let mut spaced = false;
        while at < folded.units.len() {
            let class = folded.class(at);
            if class == Class::Space {
                spaced = true;
                at += 1;
                continue;
            }
            let (kind, end) = read(folded, at, class);
            list.push(Token {
                kind,
                units: at..end,
                spaced,
            });
            spaced = false;
            at = end;
        }
        Self {
            original,
            folded,
            list,
        }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// The bytes of the original text from token `start` to before token `end`.
    pub(super) fn source(&self, start: usize, end: usize) -> Range<usize> {
        match self.list.get(start..end) {
            Some([first, .., last]) => self.folded.source(first.units.start..last.units.end),
            Some([only]) => self.folded.source(only.units.clone()),
            _ => 0..0,
        }
    }

    /// The word at a place.
    pub(super) fn word(&self, at: usize) -> Option<&str> {
        let token = self.list.get(at).filter(|token| token.kind == Kind::Word)?;
        Some(self.folded.slice(token.units.clone()))
    }

    /// The place after the words of `phrase` (between single spaces), if they stand here.
    pub(super) fn words(&self, at: usize, phrase: &str) -> Option<usize> {
        let mut next = at;
        for word in phrase.split(' ') {
            // "Mid-Autumn" is written with a hyphen as often as not.
            next += usize::from(next > at && self.is_sign(next, '-'));
            let written = self.word(next)?;
            // "yesterday's" is yesterday.
            if written != word && written.strip_suffix("'s") != Some(word) {
                return None;
            }
            next += 1;
        }
        Some(next)
    }

    /// The number written in digits at a place, and how many digits it has.
    pub(super) fn digits(&self, at: usize) -> Option<(u32, u8)> {
        match self.list.get(at)?.kind {
            Kind::Number(value, digits) => Some((value, digits)),
            _ => None,
        }
    }

    /// The Chinese character at a place, simplified.
    pub(super) fn han(&self, at: usize) -> Option<char> {
        match self.list.get(at)?.kind {
            Kind::Han(c) => Some(c),
            _ => None,
        }
    }

    /// The place after a Chinese phrase, if it stands here.
    pub(super) fn phrase(&self, at: usize, phrase: &str) -> Option<usize> {
        let mut next = at;
        for c in phrase.chars() {
            if self.han(next)? != c {
                return None;
            }
            next += 1;
        }
        Some(next)
    }

    /// The longest of the phrases of a table that stands here: what it stands for, and the place after it.
    pub(super) fn longest<T: Copy>(&self, at: usize, table: &[(&str, T)]) -> Option<(T, usize)> {
        let matches = table
            .iter()
            .filter_map(|(phrase, meaning)| Some((*meaning, self.phrase(at, phrase)?)));
        matches.max_by_key(|(_, next)| *next)
    }

    /// Whether this sign stands here.
    pub(super) fn is_sign(&self, at: usize, sign: char) -> bool {
        self.list
            .get(at)
            .is_some_and(|token| token.kind == Kind::Sign(sign))
    }

    /// Whether the token touches the one before it.
    pub(super) fn touches(&self, at: usize) -> bool {
        at > 0 && self.list.get(at).is_some_and(|token| !token.spaced)
    }

    /// Whether the word here is written with a capital.
    pub(super) fn is_capital(&self, at: usize) -> bool {
        self.original
            .get(self.source(at, at + 1))
            .and_then(|text| text.chars().next())
            .is_some_and(char::is_uppercase)
    }
}

fn read(folded: &Folded, at: usize, class: Class) -> (Kind, usize) {
    match class {
        Class::Latin => {
            let mut end = folded.run_end(at, |class| class == Class::Latin);
            if folded.slice(end..end + 1) == "'" && folded.class(end + 1) == Class::Latin {
                end = folded.run_end(end + 1, |class| class == Class::Latin);
            }
            (Kind::Word, end)
        }
        Class::Digit => {
            let end = folded.run_end(at, |class| class == Class::Digit);
            let written = folded.slice(at..end);
            let short = written.len() <= 8;
            let value = written.parse().ok().filter(|_| short);
            (
                value.map_or(Kind::Other, |value| {
                    Kind::Number(value, written.len() as u8)
                }),
                end,
            )
        }
        Class::Han => {
            let c = folded
                .slice(at..at + 1)
                .chars()
                .next()
                .map_or(' ', simplified);
            (Kind::Han(c), at + 1)
        }
        _ => {
            let mut chars = folded.slice(at..at + 1).chars();
            match (chars.next(), chars.next()) {
                (Some(c), None) => (Kind::Sign(c), at + 1),
                _ => (Kind::Other, at + 1),
            }
        }
    }
}
