//! Structured questions out of a plain one.

use serde_json::json;

use super::{Count, Tongue, beginning, line, list, object, prompt, string};
use crate::llm::Prompt;

/// Tokens of a question that are shown: what a question asks stands in its beginning.
const QUESTION_TOKENS: usize = 500;

/// Asks what a line asks for: things by name, and situations with their air and what was done. `now` is the day on which
/// it is asked.
pub fn sub_queries(text: &str, now: &str, tongue: Tongue, count: Count<'_>) -> Prompt {
    let words = tongue.words(
        include_str!("words/sub_queries.zh.txt"),
        include_str!("words/sub_queries.en.txt"),
    );
    let question = beginning(text, QUESTION_TOKENS, count);
    let situation = object(json!({
        "narrative": string(), "place": string(), "people": list(string()), "atmosphere": string(), "tone": string(),
        "acts": list(string()),
    }));
    let schema = object(json!({
        "entities": list(object(json!({"name": string(), "description": string()}))),
        "situations": list(situation),
    }));
    let lines = [line(&json!({"asked_on": now, "question": question}))];
    prompt(words, &lines, "sub_queries", schema)
}
