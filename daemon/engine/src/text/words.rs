//! The words that forgetting masks.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use super::cjk::DICTIONARY;
use super::script::{Class, is_emoji, is_ignorable, is_mark};

/// A grapheme cluster: its bytes, its class and the character that stands for it.
struct Cluster {
    range: Range<usize>,
    class: Class,
    base: char,
}

/// The words of a text as byte ranges, in order, none overlapping another: Chinese as the base dictionary and its
/// hidden Markov model cut it, runs of kana, of Hangul and of Latin letters and digits whole, emoji one by one.
/// White space and punctuation are no words. A word never begins or ends inside a grapheme cluster.
///
/// The character's own names play no part, so that the words of a text are the same for ever.
///
/// ```
/// use soulmem_engine::text::words;
/// let text = "我们在 Main Street 见面。";
/// let found: Vec<&str> = words(text).into_iter().map(|range| &text[range]).collect();
/// assert_eq!(found, ["我们", "在", "Main", "Street", "见面"]);
/// ```
pub fn words(text: &str) -> Vec<Range<usize>> {
    let clusters: Vec<Cluster> = text
        .grapheme_indices(true)
        .map(|(start, part)| cluster(start, part))
        .collect();
    let mut words = Vec::new();
    let mut at = 0;
    while at < clusters.len() {
        let end = run_end(&clusters, at);
        match clusters[at].class {
            Class::Space | Class::Gap => {}
            Class::Han => push_chinese(&clusters[at..end], &mut words),
            _ => words.push(clusters[at].range.start..clusters[end - 1].range.end),
        }
        at = end;
    }
    words
}

fn cluster(start: usize, text: &str) -> Cluster {
    let base = text
        .chars()
        .find(|c| !is_mark(*c) && !is_ignorable(*c))
        .unwrap_or(' ');
    let class = if is_emoji(text) {
        Class::Symbol
    } else {
        Class::of(base)
    };
    Cluster {
        range: start..start + text.len(),
        class,
        base,
    }
}

/// The cluster after the run of one kind that begins at `start`.
fn run_end(clusters: &[Cluster], start: usize) -> usize {
    let class = clusters[start].class;
    if class == Class::Symbol {
        return start + 1;
    }
    let continues = |at: usize| {
        let next = clusters[at].class;
        next == class || (class.is_spaced() && (next.is_spaced() || joins(clusters, at)))
    };
    (start + 1..clusters.len())
        .find(|at| !continues(*at))
        .unwrap_or(clusters.len())
}

/// An apostrophe, full stop, comma, hyphen or underscore inside a word or number: `don't`, `3.14`, `well-known`.
fn joins(clusters: &[Cluster], at: usize) -> bool {
    let spaced = |index: Option<usize>| {
        index
            .and_then(|i| clusters.get(i))
            .is_some_and(|c| c.class.is_spaced())
    };
    let digit = |index: Option<usize>| {
        index
            .and_then(|i| clusters.get(i))
            .is_some_and(|c| c.class == Class::Digit)
    };
    let (before, after) = (at.checked_sub(1), at.checked_add(1));
    match clusters[at].base {
        '\'' | '’' | '_' | '-' => spaced(before) && spaced(after),
        '.' | ',' | ':' => digit(before) && digit(after),
        _ => false,
    }
}

/// Cuts a run of Chinese. The dictionary sees one character for each cluster, so that variation selectors and marks
/// neither hide a word from it nor become one.
fn push_chinese(run: &[Cluster], words: &mut Vec<Range<usize>>) {
    let text: String = run.iter().map(|cluster| cluster.base).collect();
    for token in DICTIONARY.cut(&text, true) {
        if let (Some(first), Some(last)) =
            (run.get(token.start), run.get(token.end.saturating_sub(1)))
        {
            words.push(first.range.start..last.range.end);
        }
    }
}
