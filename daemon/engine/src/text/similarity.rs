//! The string channel's measure.

use super::folded::key;

/// Only this many folded characters of each string are compared: both measures are quadratic, and strings that agree
/// this far are names no longer.
pub const SIMILARITY_MAX_CHARS: usize = 128;

/// How alike two strings are written, from 0 to 1: the larger of the Jaro-Winkler similarity and the normalised
/// Levenshtein similarity of their [`key`]s. An empty string is like nothing, not even another.
///
/// ```
/// use soulmem_engine::text::similarity;
/// assert_eq!(similarity("ＪＡＭＩＥ", "jamie"), 1.0);
/// assert_eq!(similarity("", ""), 0.0);
/// // Two of three characters agree in place: 1 - 1/3 by Levenshtein, 0.822 by Jaro-Winkler.
/// assert!((similarity("陈小红", "陈小明") - 0.8222).abs() < 1e-4);
/// ```
pub fn similarity(a: &str, b: &str) -> f64 {
    Spelling::new(a).similarity(&Spelling::new(b))
}

/// A string as its [`similarity`] to others sees it, for one that is compared with many.
#[derive(Clone, Debug)]
pub struct Spelling {
    head: String,
    chars: usize,
}

impl Spelling {
    /// That of a string.
    pub fn new(text: &str) -> Self {
        // Long enough for any text that is not mostly marks and spaces; a mebibyte is not folded for its first words.
        let prefix = text
            .char_indices()
            .nth(8 * SIMILARITY_MAX_CHARS)
            .map_or(text, |(end, _)| &text[..end]);
        let mut head = key(prefix);
        if let Some((end, _)) = head.char_indices().nth(SIMILARITY_MAX_CHARS) {
            head.truncate(end);
        }
        let chars = head.chars().count();
        Self { head, chars }
    }

    /// The [`similarity`] to another.
    pub fn similarity(&self, other: &Self) -> f64 {
        let (shorter, longer) = (self.chars.min(other.chars), self.chars.max(other.chars));
        if shorter == 0 {
            return 0.0;
        }
        let jaro_winkler = strsim::jaro_winkler(&self.head, &other.head);
        // The distance is at least the difference of the lengths: often enough to know which measure is the larger.
        let at_most = 1.0 - (longer - shorter) as f64 / longer as f64;
        if at_most <= jaro_winkler {
            return jaro_winkler;
        }
        jaro_winkler.max(strsim::normalized_levenshtein(&self.head, &other.head))
    }
}
