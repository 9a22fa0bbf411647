//! Finding out how a model can be made to reply with JSON.
//!
//! An endpoint that takes a schema need not follow it. So each mode is tried with a question to which nobody would reply
//! in that shape by chance, and counts only where the reply has it. At most three small calls, on the account of whoever
//! asked first; the outcome is kept in memory, by model, until the process ends.

use serde_json::{Value, json};

use super::Llm;
use super::ask::{Ask, Called, Way};
use super::dialect::Dialect;
use super::error::LlmFailure;
use super::settings::Mode;
use super::talk::Prompt;

/// Tokens that a reply may have; some models think before it.
const MAX_REPLY_TOKENS: u32 = 1_024;

impl Llm {
    /// The best mode that works. An endpoint that answers in none of them is an error.
    pub(super) async fn probe(&self, way: &Way<'_>) -> Result<Dialect, LlmFailure> {
        let mut dialect = Dialect::new(Mode::Schema);
        loop {
            let mode = dialect.mode;
            match self.probe_mode(way, dialect).await {
                Ok((learned, true)) => {
                    tracing::info!(model = way.model, %mode, "the way to ask the model for JSON was found");
                    return Ok(learned);
                }
                Ok((learned, false)) => dialect = learned,
                Err(LlmFailure::Endpoint(fault))
                    if mode != Mode::Plain && is_about_the_mode(&fault) => {}
                Err(failure) => return Err(failure),
            }
            dialect = dialect.simpler().unwrap_or(dialect);
        }
    }

    /// Whether the reply has the shape that the mode promises, and how it was asked for. Plain promises none.
    pub(super) async fn probe_mode(
        &self,
        way: &Way<'_>,
        dialect: Dialect,
    ) -> Result<(Dialect, bool), LlmFailure> {
        let prompt = &question(dialect.mode);
        let way = Way {
            ask: Ask { prompt, ..way.ask },
            max_reply_tokens: way.max_reply_tokens.min(MAX_REPLY_TOKENS),
            mode_is_free: false,
            ..*way
        };
        let mut called: Called = self.call(&way, dialect, None).await?;
        let obeys = match serde_json::from_str(called.said.text.trim()) {
            _ if dialect.mode == Mode::Plain => true,
            Ok(Value::Object(reply)) => {
                let colour = reply.get("colour").and_then(Value::as_str);
                dialect.mode == Mode::Json || colour == Some("ochre")
            }
            _ => false,
        };
        called.entry.counts.failures = 0;
        Ok((called.dialect, obeys))
    }
}

fn is_about_the_mode(fault: &super::Fault) -> bool {
    let broken = matches!(fault, super::Fault::Status { status: 500, .. });
    fault.objection().is_some() || broken
}

fn question(mode: Mode) -> Prompt {
    let (system, user) = match mode {
        Mode::Schema => ("Answer.", "How much is two and two?"),
        Mode::Json => ("Answer as JSON.", "How much is two and two?"),
        Mode::Plain => ("Answer.", "Say hello."),
    };
    Prompt {
        system: system.to_owned(),
        user: user.to_owned(),
        schema_name: "probe",
        schema: json!({
            "type": "object",
            "properties": {"colour": {"type": "string", "enum": ["ochre"]}},
            "required": ["colour"],
            "additionalProperties": false,
        }),
    }
}
