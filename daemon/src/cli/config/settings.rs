//! The table of settings: every key that the configuration knows, what it means and what it may be.

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use jiff::SignedDuration;
use soulmem_engine::forget::ProfileName;
use soulmem_engine::forget::profile::UnknownProfile;
use soulmem_engine::recall::query::QueryError;
use tracing_subscriber::EnvFilter;

use super::Config;
use super::llm::LLM;
use crate::cli::logging::LogFormat;
use crate::soul::MAX_WINDOW;
use crate::store::backup::Recipients;

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
pub fn settings() -> impl Iterator<Item = &'static Setting> {
    SETTINGS.iter().chain(LLM)
}

const SETTINGS: &[Setting] = &[
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
        key: "server.max_in_flight_bytes",
        help: "bytes that the unanswered requests of one connection may take in memory",
        set: |config, text| {
            whole(text, 1_048_576..=68_719_476_736).map(|n| config.server.max_in_flight_bytes = n)
        },
        get: |config| config.server.max_in_flight_bytes.to_string(),
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
        key: "server.max_greeting",
        help: "connections that may be open at once before they have said hello; further ones wait",
        set: |config, text| whole(text, 1..=65_536).map(|n| config.server.max_greeting = n),
        get: |config| config.server.max_greeting.to_string(),
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
        key: "recall.weights",
        help: "what channels of a plain line are worth, such as turn.words=1,known.entity_walk=3; those left out as usual",
        set: |config, text| {
            let weights = text
                .parse()
                .map_err(|error: QueryError| error.to_string())?;
            config.souls.fusion = weights;
            Ok(())
        },
        get: |config| config.souls.fusion.to_string(),
    },
    Setting {
        key: "context.tokenizer",
        help: "tokenizer.json of the model that reads contexts, by which budgets are counted; empty for an estimate",
        set: |config, text| {
            config.souls.tokenizer = (!text.is_empty()).then(|| path(text)).transpose()?;
            Ok(())
        },
        get: |config| {
            let file = config.souls.tokenizer.as_ref();
            file.map(|file| file.display().to_string())
                .unwrap_or_default()
        },
    },
    Setting {
        key: "souls.max_upload_bytes",
        help: "bytes that files on their way in may hold, all together",
        set: |config, text| whole(text, 1..=1 << 36).map(|n| config.souls.max_upload_bytes = n),
        get: |config| config.souls.max_upload_bytes.to_string(),
    },
    Setting {
        key: "forget.profile",
        help: "how notes fade, where a character does not say otherwise: companion, seed or none",
        set: |config, text| profile(text).map(|name| config.souls.forget.profile = Some(name)),
        get: |config| config.souls.forget.profile.unwrap_or_default().to_string(),
    },
    Setting {
        key: "forget.utterances",
        help: "how the wording of what was said fades: a profile, or `as-notes`",
        set: |config, text| {
            config.souls.forget.utterances = match text {
                AS_NOTES => None,
                name => Some(profile(name)?),
            };
            Ok(())
        },
        get: |config| {
            let own = config.souls.forget.utterances;
            own.map_or_else(|| AS_NOTES.to_owned(), |name| name.to_string())
        },
    },
    Setting {
        key: "forget.base_half_life_hours",
        help: "hours after which half of a memory is left that was never recalled; `profile` for those of the profile",
        set: |config, text| {
            number(text).map(|hours| config.souls.forget.base_half_life_hours = hours)?;
            curve(config)
        },
        get: |config| or_profile(config.souls.forget.base_half_life_hours),
    },
    Setting {
        key: "forget.active_factor",
        help: "how much each recall lengthens the half-life, as a share of the base; `profile` for that of the profile",
        set: |config, text| {
            number(text).map(|factor| config.souls.forget.active_factor = factor)?;
            curve(config)
        },
        get: |config| or_profile(config.souls.forget.active_factor),
    },
    Setting {
        key: "forget.max_activation_cap",
        help: "how many recalls count at most; `profile` for the number of the profile",
        set: |config, text| number(text).map(|cap| config.souls.forget.max_activation_cap = cap),
        get: |config| or_profile(config.souls.forget.max_activation_cap),
    },
    Setting {
        key: "souls.workers",
        help: "pieces of heavy work that run at once",
        set: |config, text| whole(text, 1..=1_024).map(|n| config.souls.workers = n),
        get: |config| config.souls.workers.to_string(),
    },
    Setting {
        key: "souls.jobs",
        help: "summaries and consolidations that run at once, over all characters",
        set: |config, text| whole(text, 1..=1_024).map(|n| config.souls.jobs = n),
        get: |config| config.souls.jobs.to_string(),
    },
    Setting {
        key: "souls.summary_tokens",
        help: "tokens that the running summary of a talk may have",
        set: |config, text| whole(text, 50..=8_000).map(|n| config.souls.summary_tokens = n),
        get: |config| config.souls.summary_tokens.to_string(),
    },
    Setting {
        key: "backup.folder",
        help: "folder for backups on a schedule, which must be there; empty for none",
        set: |config, text| {
            let folder = (!text.is_empty()).then(|| path(text)).transpose()?;
            config.souls.backup.folder = folder;
            Ok(())
        },
        get: |config| {
            let folder = config.souls.backup.folder.as_ref();
            folder
                .map(|folder| folder.display().to_string())
                .unwrap_or_default()
        },
    },
    Setting {
        key: "backup.every_hours",
        help: "hours from one scheduled backup to the next",
        set: |config, text| hours(text).map(|time| config.souls.backup.every = time),
        get: |config| config.souls.backup.every.as_hours().to_string(),
    },
    Setting {
        key: "backup.warn_after_hours",
        help: "age of the last good backup, in hours, from which on health warns",
        set: |config, text| hours(text).map(|time| config.souls.backup.warn_after = time),
        get: |config| config.souls.backup.warn_after.as_hours().to_string(),
    },
    Setting {
        key: "backup.keep_newest",
        help: "scheduled backups that stay, counted from the newest",
        set: |config, text| whole(text, 1..=10_000).map(|n| config.souls.backup.keep.newest = n),
        get: |config| config.souls.backup.keep.newest.to_string(),
    },
    Setting {
        key: "backup.keep_days",
        help: "newest days of which the last backup stays",
        set: |config, text| whole(text, 0..=10_000).map(|n| config.souls.backup.keep.days = n),
        get: |config| config.souls.backup.keep.days.to_string(),
    },
    Setting {
        key: "backup.keep_weeks",
        help: "newest weeks of which the last backup stays",
        set: |config, text| whole(text, 0..=10_000).map(|n| config.souls.backup.keep.weeks = n),
        get: |config| config.souls.backup.keep.weeks.to_string(),
    },
    Setting {
        key: "backup.recipients",
        help: "age public keys that backups are encrypted to, with commas between; empty for none",
        set: |config, text| recipients(text).map(|keys| config.souls.backup.recipients = keys),
        get: |config| config.souls.backup.recipients.to_string(),
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

/// What is said where utterances follow the profile of notes.
const AS_NOTES: &str = "as-notes";
/// What is said where a number is that of the profile.
const AS_PROFILE: &str = "profile";

fn profile(text: &str) -> Result<ProfileName, String> {
    text.parse()
        .map_err(|error: UnknownProfile| error.to_string())
}

fn number<T: std::str::FromStr>(text: &str) -> Result<Option<T>, String> {
    if text == AS_PROFILE {
        return Ok(None);
    }
    let number = text.parse().map(Some);
    number.map_err(|_| format!("`{text}` is neither a number nor `{AS_PROFILE}`"))
}

fn or_profile<T: ToString>(number: Option<T>) -> String {
    number.map_or_else(|| AS_PROFILE.to_owned(), |number| number.to_string())
}

fn curve(config: &Config) -> Result<(), String> {
    let checked = config.souls.forget.check();
    checked.map_err(|error| error.reason)
}

pub(super) fn path(text: &str) -> Result<PathBuf, String> {
    if text.is_empty() {
        return Err("is empty; give a folder".to_owned());
    }
    let text = &from_home(text)?;
    std::path::absolute(text).map_err(|error| format!("is not a usable path: {error}"))
}

/// A shell does this for what is typed, nobody for what stands in a file.
fn from_home(text: &str) -> Result<PathBuf, String> {
    let Some(rest) = text.strip_prefix('~') else {
        return Ok(PathBuf::from(text));
    };
    let below = match rest.strip_prefix('/') {
        Some(below) => below,
        None if rest.is_empty() => "",
        None => return Err(format!("`{text}`: write the path of that home folder out")),
    };
    let home = std::env::home_dir().filter(|home| home.is_absolute());
    let home = home.ok_or_else(|| format!("`{text}`: no home folder is known (HOME)"))?;
    Ok(home.join(below))
}

fn address(text: &str) -> Result<SocketAddr, String> {
    let address: SocketAddr = text
        .parse()
        .map_err(|_| format!("`{text}` is not an address and a port, such as 127.0.0.1:7411"))?;
    if address.ip().is_loopback() {
        return Ok(address);
    }
    Err(format!(
        "{address} is not a loopback address; the daemon serves this machine only (127.0.0.1 or [::1])"
    ))
}

fn hours(text: &str) -> Result<SignedDuration, String> {
    let number = whole(text, 1..=87_600)?;
    let number = i64::try_from(number).map_err(|error| error.to_string())?;
    Ok(SignedDuration::from_hours(number))
}

fn recipients(text: &str) -> Result<Recipients, String> {
    let keys = text.split(',').map(str::trim).filter(|key| !key.is_empty());
    let keys: Vec<&str> = keys.collect();
    Recipients::parse(&keys).map_err(|error| error.to_string())
}

pub(super) fn whole(text: &str, range: RangeInclusive<usize>) -> Result<usize, String> {
    let (low, high) = (range.start(), range.end());
    text.parse()
        .ok()
        .filter(|number| range.contains(number))
        .ok_or_else(|| format!("`{text}` is not a whole number from {low} to {high}"))
}

/// At most an hour: a longer wait is a slip of the unit.
pub(super) fn millis(text: &str) -> Result<Duration, String> {
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
