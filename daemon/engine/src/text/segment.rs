//! The segmenter: any text into the tokens that are indexed and asked for.

use std::ops::Range;
use std::sync::Arc;

use super::folded::Folded;
use super::names::{NameSpan, Names};
use super::script::Class;
use super::token::{Token, TokenKind, TokenRef};
use super::{cjk, latin};
use crate::pack::Pack;

/// Cuts text into [`Token`]s, with the names of one character as additional words.
///
/// The base dictionary is shared by the process; a segmenter holds only the names added to it. A clone is cheap and
/// independent: adding to one does not change the other.
///
/// A name added later is not a token of texts cut before. They are still found by its bigrams (or, in English, its
/// words), but whoever keeps an index should cut the texts that contain it again.
///
/// ```
/// use soulmem_engine::text::{Segmenter, TokenKind};
/// let mut segmenter = Segmenter::new();
/// segmenter.add_name("林小满");
/// let tokens = segmenter.segment("林小满喜欢 running");
/// assert!(tokens.iter().any(|t| t.text == "林小满" && t.kind == TokenKind::Name));
/// assert!(tokens.iter().any(|t| t.text == "喜欢" && t.kind == TokenKind::Word));
/// assert!(tokens.iter().any(|t| t.text == "run" && t.kind == TokenKind::Stem));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Segmenter {
    names: Arc<Names>,
}

impl Segmenter {
    /// A segmenter with the base dictionary alone.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a name or alias. Answers whether the dictionary changed: it does not for a name it has, for one without
    /// at least two letters or one symbol, and for one of more than 64 folded characters.
    pub fn add_name(&mut self, name: &str) -> bool {
        !self.names.contains(name) && Arc::make_mut(&mut self.names).add(name)
    }

    /// Takes a name out again. Answers whether it was there.
    pub fn remove_name(&mut self, name: &str) -> bool {
        self.names.contains(name) && Arc::make_mut(&mut self.names).remove(name)
    }

    /// Leaves no trace of names that were taken out.
    pub fn compact(&mut self) {
        self.names = Arc::new(self.names.all().iter().collect());
    }

    /// The tokens of a text, in order of their runs; within a run names, words, then bigrams and characters.
    pub fn segment(&self, text: &str) -> Vec<Token> {
        let mut tokens = Vec::with_capacity(text.len() / 3);
        self.for_each_token(text, |token| tokens.push(token.into()));
        tokens
    }

    /// Calls `visit` with each token of a text, in the order of [`Segmenter::segment`].
    pub fn for_each_token(&self, text: &str, mut visit: impl FnMut(TokenRef<'_>)) {
        let folded = Folded::new(text);
        let names = self.names.find(&folded, text);
        let mut pass = Pass {
            folded: &folded,
            names: &names,
            dictionary: &self.names,
            visit: &mut visit,
        };
        pass.run();
    }

    /// The names in a text as byte ranges, leftmost longest.
    pub fn names_in(&self, text: &str) -> Vec<Range<usize>> {
        let folded = Folded::new(text);
        self.names
            .find(&folded, text)
            .into_iter()
            .map(|span| folded.source(span.start..span.end))
            .collect()
    }
}

/// The names alone: the base dictionary is part of the program.
impl Pack for Segmenter {
    fn pack(&self, into: &mut Vec<u8>) {
        let Self { names } = self;
        names.all().pack(into);
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        let names = Vec::<String>::unpack(from)?;
        Some(Self {
            names: Arc::new(names.iter().collect()),
        })
    }
}

/// One walk over one text.
pub(super) struct Pass<'p> {
    pub(super) folded: &'p Folded,
    names: &'p [NameSpan],
    dictionary: &'p Names,
    visit: &'p mut dyn FnMut(TokenRef<'_>),
}

impl Pass<'_> {
    fn run(&mut self) {
        self.emit_names();
        let mut at = 0;
        while at < self.folded.units.len() {
            if at > 0 {
                latin::cut_seam(self, at);
            }
            let class = self.folded.class(at);
            let end = if class.is_unspaced() {
                let end = self.folded.run_end(at, Class::is_unspaced);
                cjk::cut(self, at..end);
                end
            } else if class.is_spaced() {
                let end = latin::word_end(self, at);
                latin::cut(self, at..end);
                end
            } else {
                if class == Class::Symbol {
                    self.emit_unless_name(
                        self.folded.slice(at..at + 1),
                        TokenKind::Symbol,
                        at..at + 1,
                    );
                }
                at + 1
            };
            at = end;
        }
    }

    /// Names of one plain word are marked where the word is cut, so that their stem is the term; all others here.
    fn emit_names(&mut self) {
        for span in self.names {
            if !self.is_plain_word(span) {
                self.emit(
                    self.dictionary.text(*span),
                    TokenKind::Name,
                    span.start..span.end,
                );
            }
        }
    }

    fn is_plain_word(&self, span: &NameSpan) -> bool {
        (span.start..span.end)
            .all(|at| self.folded.class(at) == Class::Latin || self.folded.slice(at..at + 1) == "'")
    }

    /// Hands a token to the visitor.
    pub(super) fn emit(&mut self, text: &str, kind: TokenKind, units: Range<usize>) {
        let range = self.folded.source(units);
        (self.visit)(TokenRef { text, kind, range });
    }

    /// Hands a word over as it is written, unless it was already given as a name.
    pub(super) fn emit_word(&mut self, units: Range<usize>) {
        self.emit_unless_name(self.folded.slice(units.clone()), TokenKind::Word, units);
    }

    /// Hands a token over unless a name stands on exactly its place.
    pub(super) fn emit_unless_name(&mut self, text: &str, kind: TokenKind, units: Range<usize>) {
        if self
            .names
            .binary_search_by_key(&(units.start, units.end), |span| (span.start, span.end))
            .is_err()
        {
            self.emit(text, kind, units);
        }
    }

    /// Whether a name stands on this word, with or without a possessive `'s`.
    pub(super) fn is_name(&self, word: &Range<usize>) -> bool {
        let found = self
            .names
            .binary_search_by_key(&word.start, |span| span.start);
        let end = found
            .ok()
            .and_then(|index| self.names.get(index))
            .map(|span| span.end);
        end.is_some_and(|end| {
            end == word.end || (end < word.end && self.folded.slice(end..word.end) == "'s")
        })
    }

    /// The names that lie wholly inside `run`, in order.
    pub(super) fn names_within(&self, run: &Range<usize>) -> Vec<Range<usize>> {
        let first = self.names.partition_point(|span| span.start < run.start);
        let inside = self.names[first..]
            .iter()
            .take_while(|span| span.end <= run.end);
        inside.map(|span| span.start..span.end).collect()
    }
}
