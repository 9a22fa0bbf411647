//! Sentence ends of Chinese and English.

use std::ops::Range;

/// Abbreviations whose full stop ends no sentence, as lower-case text before it.
const ABBREVIATIONS: [&str; 20] = [
    "mr", "mrs", "ms", "dr", "prof", "st", "sr", "jr", "vs", "etc", "e.g", "i.e", "no", "fig",
    "a.m", "p.m", "u.s", "inc", "ltd", "approx",
];

/// The longest entry of [`ABBREVIATIONS`], in bytes.
const MAX_ABBREVIATION_LEN: usize = 6;

/// The sentences of a text as byte ranges, in order, without the white space around them; together they hold every
/// character that is not white space. A sentence ends after `。！？!?…`, after a full stop that is followed by white
/// space and no abbreviation's, with the quotes and brackets that close there, and at every line break.
///
/// ```
/// use soulmem_engine::text::sentences;
/// let text = "下雨了。“走吧！”Mr. Li paid 3.50 today. Fine";
/// let found: Vec<&str> = sentences(text).into_iter().map(|range| &text[range]).collect();
/// assert_eq!(found, ["下雨了。", "“走吧！”", "Mr. Li paid 3.50 today.", "Fine"]);
/// ```
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        if !ends_sentence(text, at, c, next) {
            continue;
        }
        while chars
            .next_if(|(_, next)| is_end(*next) || *next == '.' || closes(*next))
            .is_some()
        {}
        let end = chars.peek().map_or(text.len(), |(next, _)| *next);
        push_trimmed(text, start..end, &mut found);
        start = end;
    }
    push_trimmed(text, start..text.len(), &mut found);
    found
}

fn ends_sentence(text: &str, at: usize, c: char, next: Option<char>) -> bool {
    match c {
        '.' => {
            next.is_none_or(|next| next.is_whitespace() || closes(next))
                && !is_abbreviation(&text[..at])
        }
        '\n' | '\r' | '\u{2028}' | '\u{2029}' => true,
        _ => is_end(c),
    }
}

fn is_end(c: char) -> bool {
    matches!(
        c,
        '。' | '！' | '？' | '!' | '?' | '…' | '｡' | '．' | '؟' | '۔' | '।'
    )
}

fn closes(c: char) -> bool {
    matches!(
        c,
        '"' | '\'' | '”' | '’' | '」' | '』' | '）' | ')' | '】' | '》' | ']' | '»'
    )
}

/// Whether the text before a full stop ends with an abbreviation or a single capital (an initial).
fn is_abbreviation(before: &str) -> bool {
    let floor = before.len().saturating_sub(MAX_ABBREVIATION_LEN + 4);
    let tail = &before[(floor..=before.len())
        .find(|at| before.is_char_boundary(*at))
        .unwrap_or(0)..];
    let word = tail
        .rsplit(|c: char| !c.is_ascii_alphabetic() && c != '.')
        .next()
        .unwrap_or("");
    let initial = word.len() == 1 && word != "I" && word.bytes().all(|b| b.is_ascii_uppercase());
    initial
        || ABBREVIATIONS
            .iter()
            .any(|known| word.eq_ignore_ascii_case(known))
}

fn push_trimmed(text: &str, range: Range<usize>, found: &mut Vec<Range<usize>>) {
    let part = &text[range.clone()];
    let start = range.start + (part.len() - part.trim_start().len());
    let end = start + part.trim().len();
    if start < end {
        found.push(start..end);
    }
}
