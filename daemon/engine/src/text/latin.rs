//! Words of scripts that put spaces between them: alphabets and numbers.

use std::borrow::Cow;
use std::ops::Range;

use rust_stemmers::{Algorithm, Stemmer};

use super::script::Class;
use super::segment::Pass;
use super::stop::is_stop_word;
use super::token::TokenKind;

/// Longer words (in folded characters) are cut into pieces of this length: no word is longer, and a term must not
/// be as long as a text can be.
const MAX_WORD_CHARS: usize = 64;

/// The longest Latin word that joins a neighbouring Chinese character into one seam token (`C盘`, `iPhone手`).
const MAX_SEAM_CHARS: usize = 16;

/// The unit after the word that begins at `start`, joined over apostrophes, full stops and underscores inside it.
pub(super) fn word_end(pass: &Pass<'_>, start: usize) -> usize {
    let mut end = pass.folded.run_end(start, Class::is_spaced);
    while is_joiner(pass, end) && pass.folded.class(end + 1).is_spaced() {
        end = pass.folded.run_end(end + 1, Class::is_spaced);
    }
    end
}

fn is_joiner(pass: &Pass<'_>, at: usize) -> bool {
    pass.folded.class(at) == Class::Gap && matches!(pass.folded.slice(at..at + 1), "'" | "." | "_")
}

/// Cuts one joined word: `node.js` is itself, `node` and `js`; `iphone15` is itself, `iphone` and `15`.
pub(super) fn cut(pass: &mut Pass<'_>, word: Range<usize>) {
    let compound = word
        .clone()
        .any(|at| matches!(pass.folded.slice(at..at + 1), "." | "_"));
    if compound && word.len() <= MAX_WORD_CHARS {
        pass.emit_word(word.clone());
    }
    let mut start = word.start;
    for at in word.clone() {
        if matches!(pass.folded.slice(at..at + 1), "." | "_") {
            cut_part(pass, start..at);
            start = at + 1;
        }
    }
    cut_part(pass, start..word.end);
    cut_suffixed(pass, start..word.end);
}

/// Cuts a part without joiners at the seams between letters and digits.
fn cut_part(pass: &mut Pass<'_>, part: Range<usize>) {
    let is_digit = |pass: &Pass<'_>, at: usize| pass.folded.class(at) == Class::Digit;
    let seams: Vec<usize> = (part.start + 1..part.end)
        .filter(|at| is_digit(pass, at - 1) != is_digit(pass, *at))
        .collect();
    if seams.is_empty() {
        return emit_simple(pass, part);
    }
    if part.len() <= MAX_WORD_CHARS {
        pass.emit_word(part.clone());
    }
    let mut start = part.start;
    for end in seams.into_iter().chain([part.end]) {
        if is_digit(pass, start) || end - start > 1 {
            emit_simple(pass, start..end);
        }
        start = end;
    }
}

/// `c++`, `c#`: a mark that makes another word of the letters before it.
fn cut_suffixed(pass: &mut Pass<'_>, word: Range<usize>) {
    let marks = (word.end..word.end + 2)
        .take_while(|at| matches!(pass.folded.slice(*at..at + 1), "+" | "#"))
        .count();
    let end = word.end + marks;
    let short = word.len() <= MAX_SEAM_CHARS && pass.folded.class(word.end - 1) == Class::Latin;
    if marks > 0 && short && !pass.folded.class(end).is_spaced() {
        pass.emit_word(word.start..end);
    }
}

fn emit_simple(pass: &mut Pass<'_>, word: Range<usize>) {
    for start in word.clone().step_by(MAX_WORD_CHARS) {
        let piece = start..word.end.min(start + MAX_WORD_CHARS);
        let text = pass.folded.slice(piece.clone());
        match stem(text) {
            _ if is_stop_word(text) && !pass.is_name(&piece) => {
                pass.emit(text, TokenKind::Stop, piece);
            }
            Some(stem) if pass.is_name(&piece) => pass.emit(&stem, TokenKind::Name, piece),
            Some(stem) => pass.emit(&stem, TokenKind::Stem, piece),
            None => pass.emit_word(piece),
        }
    }
}

/// The term of a piece of letters or digits in every text in which it stands between borders of words; `None` where that depends
/// on what stands beside it: a single letter before a digit is none, a function word is cut otherwise where it is a name, and of two
/// possessive endings only the last comes off.
pub(super) fn certain_term(piece: &str) -> Option<String> {
    let term = stemmed(piece);
    let letters = piece.chars().count();
    let digits = piece.chars().all(|c| Class::of(c) == Class::Digit);
    let apart = letters > 1 || digits;
    let same = !is_stop_word(piece) || term == piece;
    let possessive = stem(&format!("{piece}'s")).is_none_or(|of_it| of_it == term);
    (apart && same && possessive && letters <= MAX_WORD_CHARS).then_some(term)
}

/// A folded word as a term: its stem, where it has one.
pub(super) fn stemmed(word: &str) -> String {
    stem(word).map_or_else(|| word.to_owned(), Cow::into_owned)
}

/// The English stem (Snowball, Porter 2) of a folded word of the plain alphabet. Numbers and other alphabets have none.
fn stem(word: &str) -> Option<Cow<'_, str>> {
    let plain = word.bytes().all(|b| b.is_ascii_lowercase() || b == b'\'');
    plain
        .then(|| Stemmer::create(Algorithm::English).stem(word))
        .filter(|stem| !stem.is_empty())
}

/// The seam between a word of a spaced script and a character of an unspaced one at unit `border`, as one token.
pub(super) fn cut_seam(pass: &mut Pass<'_>, border: usize) {
    let (before, after) = (pass.folded.class(border - 1), pass.folded.class(border));
    let seam = if before.is_spaced() && after.is_unspaced() {
        let back = (1..=MAX_SEAM_CHARS + 1)
            .take_while(|n| *n <= border && pass.folded.class(border - n).is_spaced());
        border - back.count()..border + 1
    } else if before.is_unspaced() && after.is_spaced() {
        let forth = (0..=MAX_SEAM_CHARS).take_while(|n| pass.folded.class(border + n).is_spaced());
        border - 1..border + forth.count()
    } else {
        return;
    };
    if seam.len() <= MAX_SEAM_CHARS + 1 {
        let text = pass.folded.slice(seam.clone());
        pass.emit_unless_name(text, TokenKind::Bigram, seam);
    }
}
