//! The table of settings: every key that the configuration knows, what it means and what it may be.

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use tracing_subscriber::EnvFilter;

use super::Config;
use crate::cli::logging::LogFormat;
use crate::soul::MAX_WINDOW;

/// One key of the configuration.
pub struct Setting {
    /// The key as the file has it, tables joined with dots.
    pub key: &'static str,
    /// What it sets, with its unit.
    pub help: &'static str,
    /// Takes the value from text, or says what is wrong with it.
    pub set: fn(&mut Config, &str) -> Result<(), String>,
    /// The value as text, in the form that `set` takes.
    pub get: fn(&Config) -> String,
}

impl Setting {
    /// The environment variable of this key: `server.listen` is `SOULMEM_SERVER_LISTEN`.
    pub fn env(&self) -> String {
        format!("SOULMEM_{}", self.key.replace('.', "_").to_uppercase())
    }
}

/// Every setting, in the order in which they are shown.
pub const SETTINGS: &[Setting] = &[
    Setting {
        key: "data_dir",
        help: "folder that holds the characters",
        set: |config, text| path(text).map(|folder| config.data_dir = folder),
        get: |config| config.data_dir.display().to_string(),
    },
    Setting {
        key: "server.listen",
        help: "loopback address and port to listen on; port 0 lets the system choose",
        set: |config, text| address(text).map(|address| config.server.listen = address),
        get: |config| config.server.listen.to_string(),
    },
    Setting {
        key: "server.max_frame_bytes",
        help: "largest frame in either direction, in bytes",
        set: |config, text| {
            whole(text, 65_536..=268_435_456).map(|n| config.server.max_frame_bytes = n)
        },
        get: |config| config.server.max_frame_bytes.to_string(),
    },
    Setting {
        key: "server.max_in_flight",
        help: "requests that one connection may have outstanding",
        set: |config, text| whole(text, 1..=65_536).map(|n| config.server.max_in_flight = n),
        get: |config| config.server.max_in_flight.to_string(),
    },
    Setting {
        key: "server.max_outgoing_bytes",
        help: "bytes that may wait to be read by one slow client",
        set: |config, text| {
            whole(text, 1_048_576..=1_073_741_824).map(|n| config.server.max_outgoing_bytes = n)
        },
        get: |config| config.server.max_outgoing_bytes.to_string(),
    },
    Setting {
        key: "server.max_connections",
        help: "connections that may be open at once",
        set: |config, text| whole(text, 1..=65_536).map(|n| config.server.max_connections = n),
        get: |config| config.server.max_connections.to_string(),
    },
    Setting {
        key: "server.hello_timeout_ms",
        help: "how long a new connection may take to say hello, in milliseconds",
        set: |config, text| millis(text).map(|time| config.server.hello_timeout = time),
        get: |config| config.server.hello_timeout.as_millis().to_string(),
    },
    Setting {
        key: "server.drain_ms",
        help: "how long a shutdown lets running requests finish, in milliseconds",
        set: |config, text| millis(text).map(|time| config.server.drain = time),
        get: |config| config.server.drain.as_millis().to_string(),
    },
    Setting {
        key: "server.lock_wait_ms",
        help: "how long to wait for another daemon to leave the data directory, in milliseconds",
        set: |config, text| millis(text).map(|time| config.server.lock_wait = time),
        get: |config| config.server.lock_wait.as_millis().to_string(),
    },
    Setting {
        key: "souls.max_open",
        help: "characters that may be open at once; the longest unused is closed and reopened on need",
        set: |config, text| whole(text, 1..=4_096).map(|n| config.souls.max_open = n),
        get: |config| config.souls.max_open.to_string(),
    },
    Setting {
        key: "souls.idle_after_ms",
        help: "how long without a request until a character counts as idle, in milliseconds",
        set: |config, text| idle_after(text).map(|time| config.souls.idle_after = time),
        get: |config| config.souls.idle_after.as_millis().to_string(),
    },
    Setting {
        key: "souls.window_capacity",
        help: "messages that a character's sliding window holds",
        set: |config, text| window(text).map(|capacity| config.souls.window_capacity = capacity),
        get: |config| config.souls.window_capacity.to_string(),
    },
    Setting {
        key: "souls.working_notes",
        help: "bodies of notes that a character keeps at hand; those called up least recently leave first",
        set: |config, text| whole(text, 1..=100_000_000).map(|n| config.souls.working_notes = n),
        get: |config| config.souls.working_notes.to_string(),
    },
    Setting {
        key: "souls.max_upload_bytes",
        help: "bytes that files on their way in may hold, all together",
        set: |config, text| whole(text, 1..=1 << 36).map(|n| config.souls.max_upload_bytes = n),
        get: |config| config.souls.max_upload_bytes.to_string(),
    },
    Setting {
        key: "souls.workers",
        help: "pieces of heavy work that run at once",
        set: |config, text| whole(text, 1..=1_024).map(|n| config.souls.workers = n),
        get: |config| config.souls.workers.to_string(),
    },
    Setting {
        key: "log.format",
        help: "form of the log on standard error: human or json",
        set: |config, text| log_format(text).map(|format| config.log_format = format),
        get: |config| config.log_format.to_string(),
    },
    Setting {
        key: "log.level",
        help: "what is logged: error, warn, info, debug, trace, or directives such as soulmem=debug",
        set: |config, text| {
            EnvFilter::try_new(text).map_err(|error| error.to_string())?;
            text.clone_into(&mut config.log_level);
            Ok(())
        },
        get: |config| config.log_level.clone(),
    },
];

fn path(text: &str) -> Result<PathBuf, String> {
    if text.is_empty() {
        return Err("is empty; give a folder".to_owned());
    }
    std::path::absolute(text).map_err(|error| format!("is not a usable path: {error}"))
}

fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse()
        .map_err(|_| format!("`{text}` is not an address and a port, such as 127.0.0.1:7411"))
}

fn whole(text: &str, range: RangeInclusive<usize>) -> Result<usize, String> {
    let (low, high) = (range.start(), range.end());
    text.parse()
        .ok()
        .filter(|number| range.contains(number))
        .ok_or_else(|| format!("`{text}` is not a whole number from {low} to {high}"))
}

/// At most an hour: a longer wait is a slip of the unit.
fn millis(text: &str) -> Result<Duration, String> {
    whole(text, 0..=3_600_000).map(|number| Duration::from_millis(number as u64))
}

/// At most a day.
fn idle_after(text: &str) -> Result<Duration, String> {
    whole(text, 1..=86_400_000).map(|number| Duration::from_millis(number as u64))
}

fn window(text: &str) -> Result<NonZeroU32, String> {
    let capacity = whole(text, 1..=MAX_WINDOW as usize)?;
    let capacity = u32::try_from(capacity).ok().and_then(NonZeroU32::new);
    capacity.ok_or_else(|| format!("`{text}` is out of range"))
}

fn log_format(text: &str) -> Result<LogFormat, String> {
    match text {
        "human" => Ok(LogFormat::Human),
        "json" => Ok(LogFormat::Json),
        _ => Err(format!("`{text}` is neither human nor json")),
    }
}
