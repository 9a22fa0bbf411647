//! What is said to a model: a prompt, and what was wrong with its first reply.

use serde_json::{Value, json};
use soulmem_engine::text::is_unspaced;

use super::settings::Mode;

/// Characters of a reply that are shown to the model again.
const SHOWN: usize = 2_000;

/// What a model is asked. Its size is bounded by whoever makes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    /// What it is to do.
    pub system: String,
    /// What it is to do it with.
    pub user: String,
    /// A name for the schema: letters, digits and `_`.
    pub schema_name: &'static str,
    /// The JSON schema of the reply; its top level is an object.
    pub schema: Value,
}

impl Prompt {
    /// The messages, for an endpoint that takes the schema apart from them or does not; `before` is the reply that could
    /// not be used and what was wrong with it, where there was one.
    pub(super) fn messages(&self, mode: Mode, before: Option<(&str, &str)>) -> Vec<Value> {
        let system = match mode {
            Mode::Schema => self.system.clone(),
            Mode::Json | Mode::Plain => {
                format!("{}\n\nJSON schema:\n{}", self.system, self.schema)
            }
        };
        let mut messages = vec![
            json!({"role": "system", "content": system}),
            json!({"role": "user", "content": self.user}),
        ];
        if let Some((reply, wrong)) = before {
            let end = reply.char_indices().nth(SHOWN);
            let shown = end.map_or(reply, |(end, _)| &reply[..end]);
            // An empty message is refused by some endpoints.
            let shown = if shown.trim().is_empty() {
                "…"
            } else {
                shown
            };
            messages.push(json!({"role": "assistant", "content": shown}));
            messages.push(json!({"role": "user", "content": self.objection(wrong)}));
        }
        messages
    }

    fn objection(&self, wrong: &str) -> String {
        if self.system.chars().any(is_unspaced) {
            return format!(
                "这个回复无法使用：{wrong}。请重新回复：只输出一个符合 JSON schema 的 JSON 对象，不要输出其他内容。"
            );
        }
        format!(
            "That reply cannot be used: {wrong}. Reply again with one JSON object that follows the JSON schema, and nothing else."
        )
    }
}
