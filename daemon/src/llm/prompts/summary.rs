//! The summary of what slides out of the window.

use serde_json::json;
use soulmem_engine::consolidate::Line;

use super::{Count, DATA_TOKENS, Tongue, beginning, cut, line, object, prompt, string};
use crate::llm::Prompt;

/// How much longer than its bound an earlier summary may be counted, where it was counted otherwise when it was made.
const ROOM: usize = 4;

/// The prompts that the beginning of a talk takes, and how many of its lines that is: as many as fit into one prompt, or
/// one line that is too long for that, in pieces.
pub fn summary_steps<'t>(said: &[Line<'t>], count: Count<'_>) -> (Vec<Vec<Line<'t>>>, usize) {
    let (mut step, mut spent) = (Vec::new(), 0);
    for line in said {
        let cost = |text: &str| count(&shown(&Line { text, ..*line }));
        let costs = cost(line.text);
        if step.is_empty() && costs > DATA_TOKENS {
            let pieces = cut(line.text, DATA_TOKENS, &cost).into_iter();
            return (pieces.map(|text| vec![Line { text, ..*line }]).collect(), 1);
        }
        if spent + costs > DATA_TOKENS {
            break;
        }
        step.push(*line);
        spent += costs;
    }
    let lines = step.len();
    (vec![step], lines)
}

/// Asks for the summary of an earlier summary and what was said since, of at most `budget` tokens.
pub fn summary(
    old: &str,
    said: &[Line<'_>],
    budget: usize,
    tongue: Tongue,
    count: Count<'_>,
) -> Prompt {
    let words = tongue.words(
        include_str!("words/summary.zh.txt"),
        include_str!("words/summary.en.txt"),
    );
    // Words are what models count best, and a token is hardly ever more than one.
    let words = words.replace("{budget}", &(budget * 3 / 4).max(1).to_string());
    let mut lines = Vec::new();
    let old = beginning(old, budget.saturating_mul(ROOM).max(1), count);
    if !old.is_empty() {
        lines.push(line(&json!({"summary_so_far": old})));
    }
    lines.extend(said.iter().map(shown));
    prompt(
        words,
        &lines,
        "summary",
        object(json!({"summary": string()})),
    )
}

fn shown(said: &Line<'_>) -> String {
    line(&json!({"speaker": said.speaker, "text": said.text}))
}
