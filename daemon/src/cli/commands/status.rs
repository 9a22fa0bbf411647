//! `soulmem status`: how the daemon and its characters are.

use std::time::Duration;

use serde_json::json;
use soulmem_proto::Op;
use soulmem_proto::ops::health::{BackupHealth, Condition, HealthRequest, HealthResponse, State};
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
    let llm = match &health.llm {
        None => "not configured".to_owned(),
        Some(llm) => format!(
            "{} at {}, {}",
            llm.model,
            llm.endpoint,
            condition(llm.condition)
        ),
    };
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
    fn a_duration_is_said_in_its_two_largest_parts() {
        assert_eq!(duration(999), "0 s");
        assert_eq!(duration(61_000), "1 min 1 s");
        assert_eq!(duration(3_600_000 + 120_000), "1 h 2 min");
        assert_eq!(duration(2 * 86_400_000 + 3 * 3_600_000), "2 d 3 h");
    }
}
