//! From a message to clauses: what is asked, wished or merely polite is left out here.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::text::sentences;

/// Letters and digits that a clause needs to be anything but an interjection.
const MIN_LETTERS: usize = 2;

/// Which of the two languages of the rules a sentence is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// Chinese, also where Latin words stand in it.
    Chinese,
    /// English.
    English,
}

/// A sentence of a message with its clauses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sentence<'t> {
    /// What it says.
    pub text: &'t str,
    /// Where it begins in the message, in bytes.
    pub start: usize,
    /// Its language.
    pub language: Language,
    /// Its clauses as byte ranges of `text`, in order.
    pub clauses: Vec<Range<usize>>,
}

impl<'t> Sentence<'t> {
    /// The text of a clause.
    pub fn clause(&self, place: usize) -> &'t str {
        self.clauses
            .get(place)
            .and_then(|range| self.text.get(range.clone()))
            .unwrap_or_default()
    }
}

static QUESTION_ZH: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(吗|呢|吧|么|没|不)[～~\s]*$|^(为啥|为什么|怎么|什么|谁|哪|几点|是不是|有没有|要不要|能不能|还没)|多少|怎么样|在不在|乖不乖",
    )
});
static IMPERATIVE_ZH: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^(别|请|快|慢点|记得|不要|加油)"));
static QUESTION_EN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:and |so |but )?(?:(?:who|what|when|where|why|how)(?:'s|’s| (?:do|does|did|are|is|was|were|have|has|can|could|would|will|shall|should)\b|$)|(?:do|does|did|are|is|was|were|have|has|can|could|would|will|shall|should|isn't|aren't|don't|didn't) (?:i|you|he|she|it|they|we|the|that|this|your|my)\b)",
    )
});
static IMPERATIVE_EN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^(please|don't|do not|let's|go|take|give|tell|wear|look|mind|keep|come|get|put|make|stop|wait|guess|define|say|ask|call|speaking|still)\b",
    )
});
/// A clause ends at a comma or semicolon, and in English before a conjunction that follows one.
static BORDER_ZH: LazyLock<Regex> = LazyLock::new(|| pattern(r"[，；,;：:]\s*"));
static BORDER_EN: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"[,;:]\s+(?:(?:and then|and|but|so|because|then)\s+)?"));

/// A pattern that is part of the program. One that does not compile fails the first test that comes across it; a program
/// that was never tested with it goes on without the rule.
pub fn pattern(text: &str) -> Regex {
    Regex::new(text).unwrap_or_else(|error| {
        debug_assert!(false, "a rule is no pattern: {error}");
        NEVER.clone()
    })
}

static NEVER: LazyLock<Regex> = LazyLock::new(|| {
    #[allow(
        clippy::unwrap_used,
        reason = "a fixed pattern that is known to compile"
    )]
    Regex::new(r"[^\s\S]").unwrap()
});

/// The sentences of a message that state something.
pub fn statements(text: &str) -> Vec<Sentence<'_>> {
    sentences(text)
        .into_iter()
        .filter_map(|range| statement(&text[range.clone()], range.start))
        .collect()
}

fn statement(text: &str, start: usize) -> Option<Sentence<'_>> {
    let language = if text.chars().any(is_han) {
        Language::Chinese
    } else {
        Language::English
    };
    let border: &Regex = match language {
        Language::Chinese => &BORDER_ZH,
        Language::English => &BORDER_EN,
    };
    let asked = text.trim_end_matches(closes).ends_with(['?', '？']);
    let mut clauses = clauses(text, border);
    if asked {
        // What is asked at the end may have been told before: "…, did you know that?"
        clauses.pop();
        clauses.retain(|range| !is_question(&text[range.clone()], language));
    }
    clauses.retain(|range| states(&text[range.clone()], language));
    (!clauses.is_empty()).then_some(Sentence {
        text,
        start,
        language,
        clauses,
    })
}

fn clauses(text: &str, border: &Regex) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for hit in border.find_iter(text) {
        // A colon between digits tells a time of day.
        if hit.as_str() == ":" && between_digits(text, hit.range()) {
            continue;
        }
        found.push(start..hit.start());
        start = hit.end();
    }
    found.push(start..text.len());
    found
        .into_iter()
        .map(|range| trimmed(text, range))
        .filter(|range| !range.is_empty())
        .collect()
}

fn between_digits(text: &str, at: Range<usize>) -> bool {
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    digit(text[..at.start].chars().next_back()) && digit(text[at.end..].chars().next())
}

/// Without white space, closing punctuation and emoji at the ends.
fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let part = &text[range.clone()];
    let keeps = |c: char| c.is_alphanumeric() || "“\"'‘《（(".contains(c);
    let Some(first) = part.find(keeps) else {
        return range.start..range.start;
    };
    let end = part
        .char_indices()
        .rfind(|(_, c)| c.is_alphanumeric() || "”\"'’》）)%".contains(*c))
        .map_or(0, |(at, c)| at + c.len_utf8());
    range.start + first..range.start + end.max(first)
}

fn states(clause: &str, language: Language) -> bool {
    let letters = clause.chars().filter(|c| c.is_alphanumeric()).count();
    letters >= MIN_LETTERS
        && !is_question(clause, language)
        && match language {
            Language::Chinese => !IMPERATIVE_ZH.is_match(clause),
            Language::English => !IMPERATIVE_EN.is_match(clause),
        }
}

fn is_question(clause: &str, language: Language) -> bool {
    match language {
        Language::Chinese => QUESTION_ZH.is_match(clause),
        Language::English => QUESTION_EN.is_match(clause),
    }
}

fn closes(c: char) -> bool {
    !c.is_alphanumeric() && !matches!(c, '?' | '？')
}

/// Whether a character is a Chinese one.
pub fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Vec<Vec<&str>> {
        statements(text)
            .iter()
            .map(|sentence| {
                (0..sentence.clauses.len())
                    .map(|place| sentence.clause(place))
                    .collect()
            })
            .collect()
    }

    #[test]
    fn clauses_are_cut_at_commas_and_not_inside_a_time() {
        assert_eq!(
            told("没法睡，23:40 我家漏水，正滴在纸柜上 😭"),
            [["没法睡", "23:40 我家漏水", "正滴在纸柜上"]]
        );
        assert_eq!(
            told("I cried, and Nell cried. So what?"),
            [["I cried", "Nell cried"]]
        );
    }

    #[test]
    fn what_is_asked_wished_or_shouted_states_nothing() {
        for text in [
            "吃了吗",
            "为啥",
            "真的吗？",
            "慢点吃呀",
            "😂😂",
            "！！",
            "Are you up?",
            "Go with her.",
            "Please don't.",
        ] {
            assert_eq!(told(text), Vec::<Vec<&str>>::new(), "{text}");
        }
    }

    #[test]
    fn a_question_at_the_end_leaves_what_was_told_before() {
        assert_eq!(
            told("When I can't sleep I listen to the sea, did you know that?"),
            [["When I can't sleep I listen to the sea"]]
        );
    }
}
