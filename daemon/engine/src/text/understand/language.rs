//! Which language stands where, by the script of each run.

use std::ops::Range;

use crate::text::folded::Folded;
use crate::text::script::Class;

/// A language that the rules tell apart by its script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// Chinese characters with no kana in the same run.
    Chinese,
    /// Kana, and the Chinese characters that stand with them.
    Japanese,
    /// Hangul.
    Korean,
    /// The Latin alphabet; read by the rules of English.
    English,
    /// Any other script.
    Other,
}

/// A run of one language. Spaces, numbers and signs belong to the run before them where the same language goes on
/// after them, else to none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LanguageRun {
    /// The bytes of the text, on grapheme borders.
    pub range: Range<usize>,
    /// The language.
    pub language: Language,
}

/// The runs of a text, in order. Text without a letter has none.
///
/// ```
/// use soulmem_engine::text::{Language, language_runs};
/// let text = "我在用 Rust 写东西";
/// let runs: Vec<_> = language_runs(text).into_iter().map(|run| (&text[run.range], run.language)).collect();
/// assert_eq!(
///     runs,
///     [("我在用", Language::Chinese), ("Rust", Language::English), ("写东西", Language::Chinese)]
/// );
/// ```
pub fn language_runs(text: &str) -> Vec<LanguageRun> {
    runs(&Folded::new(text))
}

pub(super) fn runs(folded: &Folded) -> Vec<LanguageRun> {
    let mut runs: Vec<LanguageRun> = Vec::new();
    let mut at = 0;
    while at < folded.units.len() {
        let class = folded.class(at);
        let end = if is_east_asian(class) {
            folded.run_end(at, is_east_asian)
        } else {
            folded.run_end(at, |other| other == class)
        };
        if let Some(language) = language(folded, at..end) {
            push(&mut runs, folded.source(at..end), language);
        }
        at = end;
    }
    runs
}

fn push(runs: &mut Vec<LanguageRun>, range: Range<usize>, language: Language) {
    match runs.last_mut() {
        Some(last) if last.language == language => last.range.end = range.end,
        _ => runs.push(LanguageRun { range, language }),
    }
}

fn is_east_asian(class: Class) -> bool {
    matches!(class, Class::Han | Class::Hiragana | Class::Katakana)
}

fn language(folded: &Folded, run: Range<usize>) -> Option<Language> {
    let is_kana = |at| matches!(folded.class(at), Class::Hiragana | Class::Katakana);
    match folded.class(run.start) {
        Class::Han | Class::Hiragana | Class::Katakana => Some(if run.clone().any(is_kana) {
            Language::Japanese
        } else {
            Language::Chinese
        }),
        Class::Hangul => Some(Language::Korean),
        Class::Latin => Some(Language::English),
        Class::Letter | Class::Unspaced => Some(Language::Other),
        Class::Digit | Class::Symbol | Class::Space | Class::Gap => None,
    }
}
