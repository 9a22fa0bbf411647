//! Notes out of what was said.

use serde_json::{Value, json};
use soulmem_engine::consolidate::Utterance;

use super::{Count, DATA_TOKENS, Tongue, beginning, cut, line, list, object, prompt, string};
use crate::llm::Prompt;

/// Messages in one prompt: a reply about more of them grows too long to be whole.
const MAX_MESSAGES: usize = 30;
/// Tokens of the summary of the talk so far.
const SUMMARY_TOKENS: usize = 500;
/// Characters of a speaker's name that are shown.
const NAME_CHARS: usize = 64;

/// A talk in parts that fit into one prompt each. A message that is too long for one goes on in the next.
pub fn talk_parts<'t>(said: &[Utterance<'t>], count: Count<'_>) -> Vec<Vec<Utterance<'t>>> {
    let mut parts: Vec<Vec<Utterance<'t>>> = Vec::new();
    let mut spent = 0;
    for utterance in said {
        let cost = |text: &str| count(&shown(MAX_MESSAGES, utterance, text));
        for piece in cut(utterance.text, DATA_TOKENS, &cost) {
            let costs = cost(piece);
            let piece = Utterance {
                text: piece,
                ..utterance.clone()
            };
            let open = parts
                .last_mut()
                .filter(|part| part.len() < MAX_MESSAGES && spent + costs <= DATA_TOKENS);
            if let Some(part) = open {
                part.push(piece);
                spent += costs;
            } else {
                parts.push(vec![piece]);
                spent = costs;
            }
        }
    }
    parts
}

/// Asks for the memories in a part of a talk. `before` is the summary of what came before it.
pub fn extraction(
    character: &str,
    before: &str,
    said: &[Utterance<'_>],
    tongue: Tongue,
    count: Count<'_>,
) -> Prompt {
    let words = tongue.words(
        include_str!("words/extract.zh.txt"),
        include_str!("words/extract.en.txt"),
    );
    let mut lines = vec![line(&json!({"character": name(character)}))];
    let before = beginning(before, SUMMARY_TOKENS, count);
    if !before.is_empty() {
        lines.push(line(&json!({"summary_of_what_came_before": before})));
    }
    let messages = said.iter().enumerate();
    lines.extend(messages.map(|(place, utterance)| shown(place + 1, utterance, utterance.text)));
    prompt(words, &lines, "memories", schema())
}

fn shown(number: usize, said: &Utterance<'_>, text: &str) -> String {
    let at = said.at.strftime("%Y-%m-%d %H:%M %A").to_string();
    line(&json!({"message": number, "at": at, "speaker": name(said.speaker), "text": text}))
}

fn name(name: &str) -> String {
    name.chars().take(NAME_CHARS).collect()
}

fn schema() -> Value {
    let felt = || {
        list(object(
            json!({"name": string(), "intensity": {"type": "number"}}),
        ))
    };
    let sources = || list(json!({"type": "integer"}));
    let weight = |mut fields: Value| {
        for name in ["importance", "valence", "arousal"] {
            fields[name] = json!({"type": "number"});
        }
        fields["sources"] = sources();
        object(fields)
    };
    object(json!({
        "things": list(object(json!({
            "name": string(), "aliases": list(string()), "what": string(), "sources": sources(),
        }))),
        "facts": list(weight(json!({
            "content": string(),
            "kind": {"type": "string", "enum": ["fact", "like", "dislike", "promise"]},
            "who": string(), "what": string(), "when": string(), "replaces": string(),
        }))),
        "situations": list(weight(json!({
            "narrative": string(), "when": string(), "place": string(), "people": list(string()),
            "feelings": felt(), "senses": felt(), "atmosphere": string(), "tone": string(),
            "acts": list(object(json!({"action": string(), "by": string(), "to": string()}))),
            "lesson": object(json!({"pain": string(), "solution": string(), "outcome": string()})),
            "corrects": {"type": "boolean"},
        }))),
        "habits": list(object(json!({
            "content": string(), "means": {"type": "string", "enum": ["speak", "do", "think"]}, "sources": sources(),
        }))),
    }))
}
