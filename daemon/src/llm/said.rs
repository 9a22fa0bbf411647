//! What a chat completion says.

use serde_json::Value;
use soulmem_engine::text::estimate_tokens;

use super::fault::{Fault, told};

/// The part of a chat completion that counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Said {
    /// What the model wrote.
    pub text: String,
    /// Whether it was cut off for its length.
    pub cut: bool,
    /// Whether it said apart from the text that it will not.
    pub refused: bool,
    /// Tokens of the request, where the endpoint counts them.
    pub tokens_in: Option<u64>,
    /// Tokens of the reply, thoughts among them.
    pub tokens_out: Option<u64>,
}

impl Said {
    /// Takes it out of an answer.
    pub fn of(answer: &Value) -> Result<Self, Fault> {
        if let Some(error) = answer.get("error").filter(|error| !error.is_null()) {
            return Err(Fault::Garbled(told(&error.to_string())));
        }
        let choice = answer.get("choices").and_then(|choices| choices.get(0));
        let message = choice.and_then(|choice| choice.get("message"));
        let Some(message) = message else {
            return Err(Fault::Garbled("it has no choices[0].message".to_owned()));
        };
        let counted = |name| {
            let usage = answer.get("usage")?;
            usage.get(name).and_then(Value::as_u64)
        };
        let refusal = message.get("refusal").and_then(Value::as_str);
        let finish = choice.and_then(|choice| choice.get("finish_reason"));
        Ok(Self {
            text: text(message.get("content")),
            cut: finish.and_then(Value::as_str) == Some("length"),
            refused: refusal.is_some_and(|said| !said.is_empty()),
            tokens_in: counted("prompt_tokens"),
            tokens_out: counted("completion_tokens"),
        })
    }

    /// Tokens of the request and of the reply. `sent` is the estimate of the request. What the endpoint counts is believed up to
    /// `most` of each: a wrong count may not use up the budget of a day.
    pub fn tokens(&self, sent: u64, most: (u64, u64)) -> (u64, u64) {
        let taken = self.tokens_in.map_or(sent, |counted| counted.min(most.0));
        let most_given = most.1.max(self.text.len() as u64);
        let given = match self.tokens_out {
            Some(counted) => counted.min(most_given),
            None => estimate_tokens(&self.text) as u64,
        };
        (taken, given)
    }
}

/// A text, or the texts of a list of parts.
fn text(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
            texts.collect()
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_text_is_found_in_every_form_that_it_is_sent_in() {
        let said = |content: Value| {
            let answer = json!({"choices": [{"message": {"content": content}}]});
            Said::of(&answer).unwrap().text
        };
        assert_eq!(said(json!("{}")), "{}");
        assert_eq!(
            said(json!([{"type": "text", "text": "{"}, {"type": "text", "text": "}"}])),
            "{}"
        );
        assert_eq!(said(Value::Null), "");
    }

    #[test]
    fn the_end_the_refusal_and_the_tokens_are_kept() {
        let answer = json!({
            "choices": [{"message": {"content": null, "refusal": "I cannot."}, "finish_reason": "length"}],
            "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
        });
        let said = Said::of(&answer).unwrap();
        assert!(said.cut);
        assert!(said.refused);
        assert_eq!((said.tokens_in, said.tokens_out), (Some(7), Some(3)));
    }

    #[test]
    fn what_an_endpoint_counts_is_believed_as_far_as_it_can_be() {
        let said = |taken: u64, given: u64| {
            let answer = json!({
                "choices": [{"message": {"content": "{\"gist\": \"an animal\"}"}}],
                "usage": {"prompt_tokens": taken, "completion_tokens": given},
            });
            Said::of(&answer).unwrap().tokens(30, (200, 64))
        };
        assert_eq!(said(10, 5), (10, 5));
        // Thoughts are counted, and are not in the text.
        assert_eq!(said(10, 60), (10, 60));
        assert_eq!(said(u64::MAX, u64::MAX), (200, 64));
    }

    #[test]
    fn an_answer_of_another_kind_is_a_fault() {
        for answer in [
            json!({}),
            json!([]),
            json!({"choices": []}),
            json!({"choices": [{"text": "old"}]}),
            json!({"error": {"message": "loading model"}}),
        ] {
            assert!(
                matches!(Said::of(&answer), Err(Fault::Garbled(_))),
                "{answer}"
            );
        }
    }
}
