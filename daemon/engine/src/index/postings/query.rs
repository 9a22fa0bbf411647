//! What is asked of the words.

use std::collections::BTreeMap;

use crate::text::{Segmenter, Token, TokenKind};

/// How much a query's token of each kind weighs.
///
/// The defaults: a word counts whole. A bigram mostly repeats a word at the same place, so it counts half: enough to
/// find what the dictionary cut otherwise, too little to let one long word outweigh two short ones. A character counts
/// a quarter: words that share one are often near (书 and 书店), and often not. Function words count nothing beside
/// others; they are what is asked only if there is nothing else ([`WordQuery::from_tokens`]).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KindWeights {
    /// Names of the character's dictionary.
    pub name: f64,
    /// Words.
    pub word: f64,
    /// Stems.
    pub stem: f64,
    /// Bigrams.
    pub bigram: f64,
    /// Single characters.
    pub char: f64,
    /// Emoji and symbols.
    pub symbol: f64,
    /// Function words.
    pub stop: f64,
}

impl Default for KindWeights {
    fn default() -> Self {
        Self {
            name: 1.0,
            word: 1.0,
            stem: 1.0,
            bigram: 0.5,
            char: 0.25,
            symbol: 1.0,
            stop: 0.0,
        }
    }
}

impl KindWeights {
    /// The weight of one kind.
    pub fn of(&self, kind: TokenKind) -> f64 {
        match kind {
            TokenKind::Name => self.name,
            TokenKind::Word => self.word,
            TokenKind::Stem => self.stem,
            TokenKind::Bigram => self.bigram,
            TokenKind::Char => self.char,
            TokenKind::Symbol => self.symbol,
            TokenKind::Stop => self.stop,
        }
    }
}

/// Weighted terms, any of which a document may hold.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WordQuery {
    terms: BTreeMap<String, f64>,
}

impl WordQuery {
    /// A query of these terms (folded, as [`Segmenter`] gives them). The weights of a term given twice add up; weights
    /// that are not above zero are left out.
    pub fn new(terms: impl IntoIterator<Item = (String, f64)>) -> Self {
        let mut query = Self::default();
        for (term, weight) in terms {
            if weight > 0.0 && weight.is_finite() {
                *query.terms.entry(term).or_default() += weight;
            }
        }
        query
    }

    /// A query of tokens, each weighing as its kind does. If that leaves nothing, single characters are asked for, and
    /// if there are none, function words.
    pub fn from_tokens(tokens: &[Token], weights: &KindWeights) -> Self {
        let all_of = |kind| move |token: &Token| f64::from(u8::from(token.kind == kind));
        let by_weight = Self::weighted(tokens, |token| weights.of(token.kind));
        [
            by_weight,
            Self::weighted(tokens, all_of(TokenKind::Char)),
            Self::weighted(tokens, all_of(TokenKind::Stop)),
        ]
        .into_iter()
        .find(|query| !query.is_empty())
        .unwrap_or_default()
    }

    /// A query of plain text, with the default weights.
    pub fn from_text(segmenter: &Segmenter, text: &str) -> Self {
        Self::from_tokens(&segmenter.segment(text), &KindWeights::default())
    }

    fn weighted(tokens: &[Token], weight: impl Fn(&Token) -> f64) -> Self {
        Self::new(
            tokens
                .iter()
                .map(|token| (token.text.clone(), weight(token))),
        )
    }

    /// Whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// The terms and their weights, in the order of their texts.
    pub fn terms(&self) -> impl Iterator<Item = (&str, f64)> {
        self.terms
            .iter()
            .map(|(term, weight)| (term.as_str(), *weight))
    }
}
