//! `soulmem status`: how the daemon and its characters are.

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::json;
use soulmem_proto::Op;
use soulmem_proto::ops::health::{
    BackupHealth, Condition, HealthRequest, HealthResponse, LlmHealth, State,
};
use soulmem_proto::ops::ping::{PingRequest, PingResponse};

use crate::cli::failure::Failure;
use crate::cli::output;
use crate::cli::session::Session;
use crate::cli::table::{Table, escape};
use crate::cli::when::When;

/// Prints the condition of everything.
pub async fn run(session: &mut Session) -> Result<(), Failure> {
    let ping: PingResponse = session.client.call(Op::Ping, None, &PingRequest {}).await?;
    let health: HealthResponse = session
        .client
        .call(Op::Health, None, &HealthRequest {})
        .await?;
    if session.json {
        return output::json(&json!({"ping": ping, "health": health}));
    }
    output::text(&summary(&ping, &health))?;
    if let Some(backup) = &health.backup {
        output::text(&backups(backup))?;
    }
    if health.souls.is_empty() {
        return Ok(());
    }
    let mut table = Table::new(["soul", "state", "notes", "links", "last error"]);
    for soul in health.souls {
        let error = soul.last_error.unwrap_or_default();
        let (notes, links) = (soul.notes.to_string(), soul.links.to_string());
        table.row([
            soul.soul.as_str(),
            state(soul.state),
            &notes,
            &links,
            &error,
        ]);
    }
    output::text(&table)
}

fn summary(ping: &PingResponse, health: &HealthResponse) -> String {
    let embedding = &health.embedding;
    let llm = (health.llm.as_ref()).map_or_else(|| "not configured".to_owned(), language_model);
    format!(
        "up {}, {}\ndata in {}, {} MiB free\nembedding {} ({} dimensions), {}\nLLM {llm}\n\n",
        duration(ping.uptime_ms),
        state(ping.state),
        health.data_dir,
        health.free_bytes >> 20,
        embedding.model,
        embedding.dimension,
        condition(embedding.condition),
    )
}

fn language_model(llm: &LlmHealth) -> String {
    let model = if llm.model.is_empty() {
        "no common model"
    } else {
        &llm.model
    };
    // Writing to a String cannot fail.
    let mut text = format!("{} at {}, ", escape(model), escape(&llm.endpoint));
    text.push_str(match llm.condition {
        // What is being made ready is what we know of it.
        Condition::Loading => "not asked yet",
        known => condition(known),
    });
    if let Some(reason) = llm
        .reason
        .as_ref()
        .filter(|_| llm.condition != Condition::Loading)
    {
        let _ = write!(text, ": {}", escape(reason));
    }
    let budget = llm.daily_tokens.map(|most| format!(" of {most}"));
    let _ = write!(
        text,
        "\n  {}{} tokens today (UTC)",
        llm.tokens_today,
        budget.unwrap_or_default()
    );
    if !llm.without_model.is_empty() {
        let tasks = escape(&llm.without_model.join(", "));
        let _ = write!(text, "\n  without a model, by the fallback: {tasks}");
    }
    text
}

fn backups(backup: &BackupHealth) -> String {
    let last = backup.last.map_or_else(
        || "none yet".to_owned(),
        |at| format!("last {}", When::here().show(at)),
    );
    let warning = backup.reason.as_ref();
    let warning = warning.map(|reason| format!(", WARNING: {}", escape(reason)));
    format!(
        "backups in {}, {last}{}\n\n",
        escape(&backup.folder),
        warning.unwrap_or_default()
    )
}

fn duration(millis: u64) -> String {
    let seconds = Duration::from_millis(millis).as_secs();
    match (
        seconds / 86_400,
        seconds / 3_600 % 24,
        seconds / 60 % 60,
        seconds % 60,
    ) {
        (0, 0, 0, seconds) => format!("{seconds} s"),
        (0, 0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (0, hours, minutes, _) => format!("{hours} h {minutes} min"),
        (days, hours, ..) => format!("{days} d {hours} h"),
    }
}

fn state(state: State) -> &'static str {
    match state {
        State::Working => "working",
        State::Idle => "idle",
        State::ReadOnly => "read-only",
    }
}

fn condition(condition: Condition) -> &'static str {
    match condition {
        Condition::Ready => "ready",
        Condition::Loading => "loading",
        Condition::Down => "down",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_model_is_told_with_what_is_wrong_and_what_it_took() {
        let mut llm = LlmHealth {
            endpoint: "http://127.0.0.1:8080/v1".to_owned(),
            model: "m".to_owned(),
            condition: Condition::Down,
            reason: Some("it is not there".to_owned()),
            without_model: vec!["gist".to_owned(), "sub_queries".to_owned()],
            tokens_today: 70,
            daily_tokens: Some(100),
        };
        let told = "m at http://127.0.0.1:8080/v1, down: it is not there\n  70 of 100 tokens today (UTC)\n  \
                    without a model, by the fallback: gist, sub_queries";
        assert_eq!(language_model(&llm), told);
        (llm.condition, llm.daily_tokens) = (Condition::Loading, None);
        llm.without_model.clear();
        let told = "m at http://127.0.0.1:8080/v1, not asked yet\n  70 tokens today (UTC)";
        assert_eq!(language_model(&llm), told);
    }

    #[test]
    fn a_duration_is_said_in_its_two_largest_parts() {
        assert_eq!(duration(999), "0 s");
        assert_eq!(duration(61_000), "1 min 1 s");
        assert_eq!(duration(3_600_000 + 120_000), "1 h 2 min");
        assert_eq!(duration(2 * 86_400_000 + 3 * 3_600_000), "2 d 3 h");
    }
}
