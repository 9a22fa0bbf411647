//! What is written like a name: words with capitals, next to each other; titles between marks, in any script.

use std::collections::BTreeSet;

use crate::text::{Segmenter, TokenKind, sentences};

/// Words that may stand inside a name in lower case.
const INSIDE: [&str; 12] = [
    "of", "the", "de", "von", "van", "der", "la", "le", "and", "du", "di", "bin",
];

/// Characters in one title, at most.
const MAX_TITLE_CHARS: usize = 32;

/// Words in one name, at most.
const MAX_WORDS: usize = 8;

/// The names written in a text, each once, in order. The first word of a sentence counts only as part of a longer name,
/// or where it is no function word.
pub(super) fn written_names(text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for sentence in sentences(text) {
        let sentence = text.get(sentence).unwrap_or_default();
        for part in sentence.split([',', ';', ':', '(', ')', '"', '“', '”', '!', '?', '/']) {
            spans(part, &mut names);
        }
    }
    names.extend(titles(text).map(str::to_owned));
    names
}

/// What stands between the marks of titles.
fn titles(text: &str) -> impl Iterator<Item = &str> {
    let opened = text.split('《').skip(1);
    let between = opened.filter_map(|rest| rest.split_once('》'));
    between
        .map(|(title, _)| title.trim())
        .filter(|title| (1..=MAX_TITLE_CHARS).contains(&title.chars().count()))
}

fn spans(part: &str, names: &mut BTreeSet<String>) {
    let mut span: Vec<&str> = Vec::new();
    for word in part.split_whitespace() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '.');
        if bare.starts_with(char::is_uppercase) || (!span.is_empty() && INSIDE.contains(&bare)) {
            span.push(without_possessive(bare));
            let ends = word.ends_with(['\'', '’']) || bare.len() != without_possessive(bare).len();
            if ends {
                close(&mut span, names);
            }
        } else {
            close(&mut span, names);
        }
    }
    close(&mut span, names);
}

fn without_possessive(word: &str) -> &str {
    word.strip_suffix("'s")
        .or_else(|| word.strip_suffix("’s"))
        .unwrap_or(word)
}

fn close(span: &mut Vec<&str>, names: &mut BTreeSet<String>) {
    while span.last().is_some_and(|word| INSIDE.contains(word)) {
        span.pop();
    }
    let first = span.first().copied();
    if span.len() > 1 && first.is_some_and(is_function_word) {
        span.remove(0);
    }
    let telling = span.len() > 1 || span.first().is_some_and(|word| !is_function_word(word));
    if telling && !span.is_empty() && span.len() <= MAX_WORDS {
        let name = span.join(" ");
        let name = name.trim_end_matches('.');
        if name.chars().count() > 1 {
            names.insert(name.to_owned());
        }
    }
    span.clear();
}

fn is_function_word(word: &str) -> bool {
    let tokens = Segmenter::new().segment(word);
    tokens.iter().all(|token| token.kind == TokenKind::Stop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_what_is_written_with_capitals() {
        let found = written_names(
            "The painter Ada Marlow of Holm met King Orin's brother in Old Tarn. She left, Brenn said.",
        );
        let found: Vec<&str> = found.iter().map(String::as_str).collect();
        assert_eq!(
            found,
            ["Ada Marlow of Holm", "Brenn", "King Orin", "Old Tarn"]
        );
    }

    #[test]
    fn titles_between_marks_are_names() {
        let found = written_names("昨天她读了《灯塔的守夜人》和《》。");
        let found: Vec<&str> = found.iter().map(String::as_str).collect();
        assert_eq!(found, ["灯塔的守夜人"]);
    }

    #[test]
    fn scripts_without_capitals_write_no_names() {
        assert!(written_names("昨天我们去了湖边。").is_empty());
        assert!(written_names("").is_empty());
    }
}
