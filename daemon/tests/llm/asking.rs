//! What the tests ask with.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Value as Json, json};
use soulmem::llm::{
    Answer, Ask, Counts, Ledger, Llm, LlmError, LlmSettings, Mode, ModeChoice, Prompt, Task,
};
use soulmem_engine::model::FixedClock;

use crate::llm_endpoint::LlmEndpoint;

/// Settings with which nothing takes long.
pub fn settings(endpoint: &LlmEndpoint) -> LlmSettings {
    LlmSettings {
        base_url: Some(endpoint.base_url().parse().unwrap()),
        model: "m".to_owned(),
        retries: 2,
        backoff: Duration::from_millis(1),
        mode: ModeChoice::Fixed(Mode::Schema),
        ..LlmSettings::default()
    }
}

/// A client whose ledger is kept nowhere, on a day that does not end.
pub fn client(settings: LlmSettings) -> Llm {
    let clock = Arc::new(FixedClock(Timestamp::UNIX_EPOCH));
    let budget = settings.daily_tokens;
    Llm::new(settings, Ledger::unkept(clock, budget))
}

pub fn prompt() -> Prompt {
    Prompt {
        system: "Say what it is.".to_owned(),
        user: "A cat.".to_owned(),
        schema_name: "gist",
        schema: json!({
            "type": "object",
            "properties": {"gist": {"type": "string"}},
            "required": ["gist"],
            "additionalProperties": false,
        }),
    }
}

/// Asks for a gist.
pub async fn ask(llm: &Llm) -> Result<Answer<String>, LlmError> {
    ask_within(llm, None).await
}

/// Asks for a gist, and waits so long for it.
pub async fn ask_within(llm: &Llm, timeout: Option<Duration>) -> Result<Answer<String>, LlmError> {
    let ask = Ask {
        task: Task::Gist,
        soul: "ann",
        prompt: &prompt(),
        timeout,
    };
    llm.ask(ask, gist).await
}

fn gist(value: &Json) -> Result<String, String> {
    let gist = value.get("gist").and_then(Json::as_str);
    gist.map(str::to_owned)
        .ok_or_else(|| "`gist` is missing".to_owned())
}

/// What gists took.
pub fn counts(llm: &Llm) -> Counts {
    let account = llm.ledger().account("ann");
    account.total.get(&Task::Gist).copied().unwrap_or_default()
}
