//! The log: `tracing` on standard error. Standard output is never written to: a hosted daemon's belongs
//! to its host, a command's to its result.

use std::fmt;
use std::io::IsTerminal;
use std::panic;

use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::{EnvFilter, fmt as subscriber};

use super::failure::Failure;

/// Lines that may wait to be written; more are dropped.
const WAITING_LINES: usize = 10_000;

/// The form of a log line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Human,
    /// One JSON object a line.
    Json,
}

impl fmt::Display for LogFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Human => "human",
            Self::Json => "json",
        })
    }
}

/// Starts the log of this process and sends panics to it. What waits to be written is written when the guard is
/// dropped.
///
/// Lines are written by a thread of their own: a reader that stops reading (a full pipe, a paused terminal) would
/// else stop whoever has something to say, and with that the whole daemon.
pub fn start(format: LogFormat, level: &str) -> Result<WorkerGuard, Failure> {
    let filter = EnvFilter::try_new(level)
        .map_err(|error| Failure::config(format!("log.level: {error}")))?;
    let (writer, guard) = NonBlockingBuilder::default()
        .buffered_lines_limit(WAITING_LINES)
        .finish(std::io::stderr());
    let builder = subscriber()
        .with_env_filter(filter)
        .with_writer(writer)
        // Else a line that cannot be written is told on standard error, by a macro that panics where that is gone
        // or its disk is full. The daemon must outlive whoever reads its log.
        .log_internal_errors(false);
    match format {
        LogFormat::Human => builder.with_ansi(std::io::stderr().is_terminal()).init(),
        LogFormat::Json => builder.json().flatten_event(true).with_ansi(false).init(),
    }
    panic::set_hook(Box::new(log_panic));
    Ok(guard)
}

/// A panic is a bug. Its line stands in the span of the request that met it, so it carries its `msg_id`.
fn log_panic(info: &panic::PanicHookInfo<'_>) {
    let place = info.location().map(ToString::to_string).unwrap_or_default();
    let payload = info.payload();
    let message = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    let backtrace = std::backtrace::Backtrace::capture();
    tracing::error!(place, message, %backtrace, "panic");
}
