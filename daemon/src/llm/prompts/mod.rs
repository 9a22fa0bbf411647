//! What language models are asked, all of it: the words in `words/`, one file for each task and language, and here what
//! they are asked about.
//!
//! Whatever was said or is remembered goes into a prompt as data: one line of JSON for each piece, between two marks that
//! no such line can hold, after words that say that nothing in it is an order. The size of a prompt does not depend on the
//! size of a memory: what does not fit into one goes into the next.

mod extract;
mod gist;
mod reimagine;
mod sub_queries;
mod summary;

use serde_json::{Value, json};
use soulmem_engine::text::{estimate_tokens, is_unspaced, pieces, sentences};

pub use self::extract::{extraction, talk_parts};
pub use self::gist::{GistText, gists};
pub use self::reimagine::reimagining;
pub use self::sub_queries::sub_queries;
pub use self::summary::{summary, summary_steps};
use super::Prompt;

/// Tokens of data in one prompt.
pub const DATA_TOKENS: usize = 2_000;

/// Counts the tokens of a text.
pub type Count<'c> = &'c dyn Fn(&str) -> usize;

/// The language that a model is spoken to in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tongue {
    /// Chinese.
    Chinese,
    /// English.
    English,
}

impl Tongue {
    /// That of a character that lives in `locale` (a BCP 47 tag); where it does not say, that of the text.
    pub fn of(locale: Option<&str>, text: &str) -> Self {
        let language = locale.and_then(|tag| tag.split(['-', '_']).next());
        match language.map(str::to_lowercase).as_deref() {
            Some("zh" | "yue" | "wuu") => Self::Chinese,
            Some("en") => Self::English,
            _ if is_chinese(text) => Self::Chinese,
            _ => Self::English,
        }
    }

    /// The words of a task in this language.
    fn words(self, chinese: &str, english: &str) -> String {
        let (words, data) = match self {
            Self::Chinese => (chinese, include_str!("words/data.zh.txt")),
            Self::English => (english, include_str!("words/data.en.txt")),
        };
        format!("{}\n\n{}", words.trim(), data.trim())
    }
}

/// Whether a quarter of the letters or more are Chinese: a talk in Chinese is full of Latin names.
fn is_chinese(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).take(4_000);
    let (mut all, mut chinese) = (0, 0);
    for letter in letters {
        all += 1;
        chinese += usize::from(is_unspaced(letter));
    }
    chinese > 0 && chinese * 4 >= all
}

/// A piece of data as one line. It can hold neither a mark of the data's begin or end nor a line break.
fn line(piece: &Value) -> String {
    piece
        .to_string()
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
}

/// Lines between the marks of data.
fn data(lines: &[String]) -> String {
    format!("<data>\n{}\n</data>", lines.join("\n"))
}

fn prompt(system: String, lines: &[String], schema_name: &'static str, schema: Value) -> Prompt {
    Prompt {
        system,
        user: data(lines),
        schema_name,
        schema,
    }
}

/// A schema of an object all of whose fields are always there.
fn object(properties: Value) -> Value {
    let fields = properties.as_object();
    let names: Vec<String> = fields
        .into_iter()
        .flat_map(|all| all.keys().cloned())
        .collect();
    let mut schema = json!({"type": "object", "required": names, "additionalProperties": false});
    schema["properties"] = properties;
    schema
}

fn list(items: Value) -> Value {
    let mut schema = json!({"type": "array"});
    schema["items"] = items;
    schema
}

fn string() -> Value {
    json!({"type": "string"})
}

/// Cuts a text into pieces that cost at most `most` each: between sentences where that is possible, else at white space,
/// else anywhere between characters. Nothing of it is lost.
fn cut<'t>(text: &'t str, most: usize, cost: Count<'_>) -> Vec<&'t str> {
    if cost(text) <= most {
        return vec![text];
    }
    let mut starts: Vec<usize> = sentences(text)
        .into_iter()
        .map(|range| range.start)
        .collect();
    // What stands before the first sentence belongs to it.
    starts.first_mut().into_iter().for_each(|first| *first = 0);
    if starts.len() < 2 {
        return halves(text, most, cost);
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let mut found = Vec::new();
    let (mut from, mut to) = (0, 0);
    for end in ends {
        if to > from && cost(&text[from..end]) > most {
            found.extend(halves(&text[from..to], most, cost));
            from = to;
        }
        to = end;
    }
    found.extend(halves(&text[from..], most, cost));
    found
}

/// Cuts one sentence until every piece is small enough, or a single character.
fn halves<'t>(text: &'t str, most: usize, cost: Count<'_>) -> Vec<&'t str> {
    if cost(text) <= most {
        return vec![text];
    }
    let estimate = estimate_tokens(text);
    let cut = pieces(text, (estimate / 2).clamp(1, most.max(1)));
    if cut.len() < 2 {
        return cut;
    }
    cut.into_iter()
        .flat_map(|piece| halves(piece, most, cost))
        .collect()
}

/// As much of a text as costs `most`, from its beginning.
fn beginning<'t>(text: &'t str, most: usize, cost: Count<'_>) -> &'t str {
    cut(text, most, cost).first().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests;
