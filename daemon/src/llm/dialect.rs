//! How an endpoint and a model want to be asked: endpoints that are "compatible" differ in what they take.

use serde_json::{Value, json};

use super::settings::Mode;
use super::talk::Prompt;

/// How a model is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Dialect {
    /// How its reply is made to be JSON.
    pub mode: Mode,
    limit: Limit,
    temperature: bool,
}

/// How the length of a reply is bounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Limit {
    /// By the name that all older endpoints know.
    MaxTokens,
    /// By the name that newer models of some endpoints want instead.
    MaxCompletionTokens,
    /// Not at all.
    Unsaid,
}

impl Dialect {
    /// As most endpoints take it.
    pub fn new(mode: Mode) -> Self {
        Self {
            mode,
            limit: Limit::MaxTokens,
            temperature: true,
        }
    }

    /// Whether the endpoint is told how long a reply may be.
    pub fn bounds_replies(self) -> bool {
        self.limit != Limit::Unsaid
    }

    /// The same in another mode.
    pub fn with(self, mode: Mode) -> Self {
        Self { mode, ..self }
    }

    /// The request.
    pub fn request(
        self,
        model: &str,
        prompt: &Prompt,
        messages: &[Value],
        max_reply_tokens: u32,
    ) -> Value {
        let mut request = json!({"model": model, "messages": messages, "stream": false});
        if self.temperature {
            request["temperature"] = json!(0);
        }
        match self.limit {
            Limit::MaxTokens => request["max_tokens"] = json!(max_reply_tokens),
            Limit::MaxCompletionTokens => {
                request["max_completion_tokens"] = json!(max_reply_tokens);
            }
            Limit::Unsaid => {}
        }
        match self.mode {
            Mode::Plain => {}
            Mode::Json => request["response_format"] = json!({"type": "json_object"}),
            Mode::Schema => {
                let schema = json!({
                    "name": prompt.schema_name,
                    "schema": prompt.schema,
                    "strict": is_strict(&prompt.schema),
                });
                request["response_format"] = json!({"type": "json_schema", "json_schema": schema});
            }
        }
        request
    }

    /// What is left to try after the endpoint objected to a request. None where it objects to something else. The mode
    /// changes only where it is free to.
    pub fn after(self, objection: &str, mode_is_free: bool) -> Option<Self> {
        let said = objection.to_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| said.contains(word));
        if self.temperature && says(&["temperature"]) {
            return Some(Self {
                temperature: false,
                ..self
            });
        }
        if self.limit != Limit::Unsaid && says(&["max_tokens", "max_completion_tokens"]) {
            let other = self.limit == Limit::MaxTokens && says(&["max_completion_tokens"]);
            let limit = if other {
                Limit::MaxCompletionTokens
            } else {
                Limit::Unsaid
            };
            return Some(Self { limit, ..self });
        }
        let about_mode = says(&["response_format", "json", "schema", "grammar", "guided"]);
        if mode_is_free && about_mode {
            return self.simpler();
        }
        None
    }

    /// The same with the next simpler mode.
    pub fn simpler(self) -> Option<Self> {
        let mode = match self.mode {
            Mode::Schema => Mode::Json,
            Mode::Json => Mode::Plain,
            Mode::Plain => return None,
        };
        Some(Self { mode, ..self })
    }
}

/// Whether a schema is of the strict kind, in which some endpoints promise every detail: each object names all of its
/// properties as required and allows no others.
fn is_strict(schema: &Value) -> bool {
    match schema {
        Value::Array(parts) => parts.iter().all(is_strict),
        Value::Object(parts) => {
            let own = match parts.get("properties").and_then(Value::as_object) {
                None => true,
                Some(properties) => {
                    let required = parts.get("required").and_then(Value::as_array);
                    let is_required = |name: &String| {
                        required.is_some_and(|all| all.iter().any(|one| one == name))
                    };
                    parts.get("additionalProperties") == Some(&Value::Bool(false))
                        && properties.keys().all(is_required)
                }
            };
            own && parts.values().all(is_strict)
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt() -> Prompt {
        Prompt {
            system: "Say what it is.".to_owned(),
            user: "A cat.".to_owned(),
            schema_name: "gist",
            schema: json!({"type": "object", "properties": {"gist": {"type": "string"}}}),
        }
    }

    #[test]
    fn each_mode_asks_in_its_own_way() {
        let prompt = prompt();
        let asked = |mode| {
            let messages = prompt.messages(mode, None);
            Dialect::new(mode).request("m", &prompt, &messages, 64)
        };
        let schema = asked(Mode::Schema);
        assert_eq!(schema["response_format"]["json_schema"]["name"], "gist");
        assert_eq!(schema["response_format"]["json_schema"]["strict"], false);
        assert_eq!(schema["messages"][0]["content"], "Say what it is.");
        assert_eq!(asked(Mode::Json)["response_format"]["type"], "json_object");
        let plain = asked(Mode::Plain);
        assert_eq!(plain.get("response_format"), None);
        let system = plain["messages"][0]["content"].as_str().unwrap();
        assert!(system.contains(r#""gist""#), "{system}");
        assert_eq!(
            (&plain["max_tokens"], &plain["temperature"]),
            (&json!(64), &json!(0))
        );
    }

    #[test]
    fn what_an_endpoint_objects_to_is_left_out() {
        let first = Dialect::new(Mode::Schema);
        let renamed = first
            .after(
                "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
                true,
            )
            .unwrap();
        let asked = renamed.request("m", &prompt(), &[], 64);
        assert_eq!(asked["max_completion_tokens"], 64);
        assert_eq!(asked.get("max_tokens"), None);
        let cool = first.after("'temperature' does not support 0 with this model", true);
        assert_eq!(
            cool.unwrap()
                .request("m", &prompt(), &[], 64)
                .get("temperature"),
            None
        );
        let simpler = first.after("response_format json_schema is not supported", true);
        assert_eq!(simpler.unwrap().mode, Mode::Json);
    }

    #[test]
    fn a_mode_that_was_asked_for_stays_and_other_objections_lead_nowhere() {
        let first = Dialect::new(Mode::Schema);
        assert_eq!(first.after("json_schema is not supported", false), None);
        assert_eq!(first.after("the context is too long", true), None);
        assert_eq!(Dialect::new(Mode::Plain).after("no json", true), None);
    }

    #[test]
    fn objections_come_to_an_end() {
        let mut dialect = Some(Dialect::new(Mode::Schema));
        let mut steps = 0;
        while let Some(next) = dialect {
            let said = "temperature, max_tokens, max_completion_tokens, response_format";
            dialect = next.after(said, true);
            steps += 1;
        }
        assert_eq!(steps, 6);
    }

    #[test]
    fn a_schema_is_strict_where_every_object_in_it_is() {
        assert!(!is_strict(&prompt().schema));
        let mut strict = json!({
            "type": "object",
            "properties": {"gist": {"type": "array", "items": {
                "type": "object",
                "properties": {"a": {"type": "string"}},
                "required": ["a"],
                "additionalProperties": false,
            }}},
            "required": ["gist"],
            "additionalProperties": false,
        });
        assert!(is_strict(&strict));
        strict["properties"]["gist"]["items"]["required"] = json!([]);
        assert!(!is_strict(&strict));
    }
}
