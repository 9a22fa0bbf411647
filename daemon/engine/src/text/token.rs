//! What segmentation yields.

use std::ops::Range;

/// Why a piece of text became a token; a search weighs tokens by it.
///
/// Tokens of different kinds share one vocabulary: a word of two characters and the bigram at the same place are
/// one term, so text finds itself again wherever the dictionary happened to cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TokenKind {
    /// A name or alias of the character's own dictionary.
    Name,
    /// A word of a dictionary or of its script: a Chinese word, a katakana run, a number, a word as written.
    Word,
    /// The stem of a word of the Latin alphabet.
    Stem,
    /// Two neighbouring characters of a script written without spaces, or the seam between a Latin word and one.
    Bigram,
    /// A single character of a script written without spaces.
    Char,
    /// An emoji (a whole grapheme cluster) or another symbol.
    Symbol,
    /// A function word: kept, so that a query made only of such words still finds its text.
    Stop,
}

impl TokenKind {
    /// All kinds, in the order of their discriminants.
    pub const ALL: [Self; 7] = [
        Self::Name,
        Self::Word,
        Self::Stem,
        Self::Bigram,
        Self::Char,
        Self::Symbol,
        Self::Stop,
    ];

    /// Whether the token counts towards the length of a text.
    ///
    /// Characters repeat what words and bigrams already cover, and function words are no content: counting either
    /// would make the length of a text a matter of its script and style.
    pub fn counts(self) -> bool {
        !matches!(self, Self::Char | Self::Stop)
    }
}

/// A token that borrows its text from the segmentation under way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenRef<'t> {
    /// The folded text: the index term.
    pub text: &'t str,
    /// Why it is a token.
    pub kind: TokenKind,
    /// The bytes of the original text it stands for, on grapheme borders.
    pub range: Range<usize>,
}

/// A token that owns its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// The folded text: the index term.
    pub text: String,
    /// Why it is a token.
    pub kind: TokenKind,
    /// The bytes of the original text it stands for, on grapheme borders.
    pub range: Range<usize>,
}

impl From<TokenRef<'_>> for Token {
    fn from(token: TokenRef<'_>) -> Self {
        Self {
            text: token.text.to_owned(),
            kind: token.kind,
            range: token.range,
        }
    }
}
