//! Scripts written without spaces: dictionary words for Chinese, whole runs for katakana and Hangul, and for all of
//! them every bigram and every character.
//!
//! Words find what the dictionary knows, bigrams what it does not or cuts otherwise; both together find more than
//! either alone. A character by itself serves queries of one character.

use std::ops::Range;
use std::sync::LazyLock;

use jieba_rs::Jieba;

use super::script::Class;
use super::segment::Pass;
use super::stop::is_stop_word;
use super::token::TokenKind;

/// The base dictionary, shared by every character of the process (about 40 MB; 0.1 s to load).
pub(super) static DICTIONARY: LazyLock<Jieba> = LazyLock::new(Jieba::new);

/// Whether the base dictionary has a word: what it has not is a name or a new word.
pub fn is_known_word(word: &str) -> bool {
    DICTIONARY.has_word(word)
}

/// Longer runs (in folded characters) are no words: the longest of the dictionary has 16, and a laugh that fills a
/// page must not become a term of a page.
const MAX_WORD_CHARS: usize = 16;

/// Cuts a run of unspaced scripts.
pub(super) fn cut(pass: &mut Pass<'_>, run: Range<usize>) {
    let mut grams = Grams::new(run.clone());
    let mut at = run.start;
    for name in pass.names_within(&run) {
        grams.cover(&name);
        cut_inside(pass, &name, &mut grams);
        cut_words(pass, at..name.start, &mut grams);
        at = name.end;
    }
    cut_words(pass, at..run.end, &mut grams);
    grams.emit(pass);
}

/// The words of two and three characters inside a longer name, as jieba's search mode has them inside a longer word: a text about
/// 热巧克力 is found by 巧克力.
fn cut_inside(pass: &mut Pass<'_>, name: &Range<usize>, grams: &mut Grams) {
    for length in [2, 3] {
        let starts = name.start..(name.end + 1).saturating_sub(length);
        for start in starts.filter(|_| length < name.len()) {
            let inside = start..start + length;
            if is_known_word(pass.folded.slice(inside.clone())) {
                emit_word(pass, inside, grams);
            }
        }
    }
}

/// Cuts a stretch between names into words, script by script.
fn cut_words(pass: &mut Pass<'_>, stretch: Range<usize>, grams: &mut Grams) {
    let mut at = stretch.start;
    while at < stretch.end {
        let class = pass.folded.class(at);
        let end = pass
            .folded
            .run_end(at, |other| other == class)
            .min(stretch.end);
        match class {
            Class::Han => cut_chinese(pass, at..end, grams),
            Class::Katakana | Class::Hangul if end - at > 1 => emit_word(pass, at..end, grams),
            _ => {}
        }
        at = end;
    }
}

/// The words of jieba's search mode: every word of the best cut, and the shorter words inside the longer ones.
fn cut_chinese(pass: &mut Pass<'_>, run: Range<usize>, grams: &mut Grams) {
    let folded = pass.folded;
    let Some(offset) = folded.units.get(run.start).map(|unit| unit.start) else {
        return;
    };
    let units = &folded.units[run.clone()];
    let unit_at = |byte: usize| units.binary_search_by_key(&byte, |unit| unit.start).ok();
    for token in DICTIONARY.cut_for_search(folded.slice(run.clone()), true) {
        let start = unit_at(offset + token.byte_start);
        let end = unit_at(offset + token.byte_end)
            .or((offset + token.byte_end >= units_end(units)).then_some(units.len()));
        // A combining mark on a Chinese character is a token to the dictionary and none to a reader.
        if let (Some(start), Some(end)) = (start, end) {
            emit_word(pass, run.start + start..run.start + end, grams);
        }
    }
}

fn units_end(units: &[super::folded::Unit]) -> usize {
    units.last().map_or(0, |unit| unit.end)
}

fn emit_word(pass: &mut Pass<'_>, word: Range<usize>, grams: &mut Grams) {
    if word.len() > MAX_WORD_CHARS {
        return;
    }
    let text = pass.folded.slice(word.clone());
    let kind = if is_stop_word(text) {
        TokenKind::Stop
    } else {
        TokenKind::Word
    };
    grams.cover(&word);
    pass.emit(text, kind, word);
}

/// The bigrams and characters of a run that no word stands on already.
struct Grams {
    run: Range<usize>,
    single: Vec<bool>,
    double: Vec<bool>,
}

impl Grams {
    fn new(run: Range<usize>) -> Self {
        Self {
            single: vec![false; run.len()],
            double: vec![false; run.len()],
            run,
        }
    }

    /// Notes that a word stands exactly here, so that the same term is not counted twice at one place.
    fn cover(&mut self, word: &Range<usize>) {
        let covered = match word.len() {
            1 => &mut self.single,
            2 => &mut self.double,
            _ => return,
        };
        if let Some(slot) = word
            .start
            .checked_sub(self.run.start)
            .and_then(|index| covered.get_mut(index))
        {
            *slot = true;
        }
    }

    fn emit(&self, pass: &mut Pass<'_>) {
        for (at, (single, double)) in self.run.clone().zip(self.single.iter().zip(&self.double)) {
            if !double && at + 1 < self.run.end {
                pass.emit(pass.folded.slice(at..at + 2), TokenKind::Bigram, at..at + 2);
            }
            if !single {
                let text = pass.folded.slice(at..at + 1);
                let kind = if is_stop_word(text) {
                    TokenKind::Stop
                } else {
                    TokenKind::Char
                };
                pass.emit(text, kind, at..at + 1);
            }
        }
    }
}
