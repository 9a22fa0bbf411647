//! What a masked span was about.

use serde_json::json;

use super::{Count, DATA_TOKENS, Tongue, line, list, object, prompt, string};
use crate::llm::Prompt;

/// A text, and words of it that will be lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GistText {
    /// The text.
    pub text: String,
    /// The words, in the order in which they stand.
    pub words: Vec<String>,
}

/// Asks what words come down to, in as many prompts as that takes; each with the places of the first of its texts and of
/// the one after its last. Words are numbered from 1 through all texts of a prompt. A text that fits into no prompt is asked about in none:
/// its words are masked bare.
pub fn gists(texts: &[GistText], tongue: Tongue, count: Count<'_>) -> Vec<(Prompt, Vec<usize>)> {
    let mut all: Vec<(Vec<usize>, usize)> = Vec::new();
    for (place, text) in texts.iter().enumerate() {
        let cost = count(&shown(text, 1));
        if cost > DATA_TOKENS {
            continue;
        }
        match all.last_mut() {
            Some((part, spent)) if *spent + cost <= DATA_TOKENS => {
                part.push(place);
                *spent += cost;
            }
            _ => all.push((vec![place], cost)),
        }
    }
    all.into_iter()
        .map(|(part, _)| (of_part(texts, &part, tongue), part))
        .collect()
}

fn of_part(texts: &[GistText], part: &[usize], tongue: Tongue) -> Prompt {
    let words = tongue.words(
        include_str!("words/gist.zh.txt"),
        include_str!("words/gist.en.txt"),
    );
    let mut number = 1;
    let mut lines = Vec::new();
    for text in part.iter().filter_map(|place| texts.get(*place)) {
        lines.push(shown(text, number));
        number += text.words.len();
    }
    let gist = object(json!({"number": {"type": "integer"}, "gist": string()}));
    prompt(words, &lines, "gists", object(json!({"gists": list(gist)})))
}

fn shown(text: &GistText, first: usize) -> String {
    let numbered = text.words.iter().enumerate();
    let words: Vec<_> = numbered
        .map(|(place, words)| json!({"number": first + place, "words": words}))
        .collect();
    line(&json!({"text": text.text, "words": words}))
}
