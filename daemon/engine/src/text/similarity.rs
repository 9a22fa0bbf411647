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
    let (a, b) = (head(a), head(b));
    if a.is_empty() || b.is_empty() {
        return 0.0;
    }
    strsim::jaro_winkler(&a, &b).max(strsim::normalized_levenshtein(&a, &b))
}

fn head(text: &str) -> String {
    // Long enough for any text that is not mostly marks and spaces; a mebibyte is not folded for its first words.
    let prefix: String = text.chars().take(8 * SIMILARITY_MAX_CHARS).collect();
    key(&prefix).chars().take(SIMILARITY_MAX_CHARS).collect()
}
