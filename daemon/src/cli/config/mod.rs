//! The configuration: flag, else environment (`SOULMEM_…`), else file, else default; every value knows
//! where it came from.

mod file;
mod llm;
mod paths;
mod settings;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use thiserror::Error;

pub use self::paths::Folders;
pub use self::settings::{Setting, settings};
use crate::cli::logging::LogFormat;
use crate::llm::LlmSettings;
use crate::server::ServerSettings;
use crate::soul::SoulSettings;

/// The variable that names the configuration file.
const FILE_VARIABLE: &str = "SOULMEM_CONFIG";

/// All that can be configured.
#[derive(Debug, Clone)]
pub struct Config {
    /// The folder that holds the characters.
    pub data_dir: PathBuf,
    /// Listener, limits and times of the server.
    pub server: ServerSettings,
    /// Limits and times of the characters.
    pub souls: SoulSettings,
    /// Endpoint, models and bounds of the language model.
    pub llm: LlmSettings,
    /// The form of the log.
    pub log_format: LogFormat,
    /// What is logged, as directives of `tracing_subscriber::EnvFilter`.
    pub log_level: String,
}

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Nothing else said anything.
    Default,
    /// A line of the configuration file.
    File(PathBuf, usize),
    /// An environment variable.
    Environment(String),
    /// The command line.
    Flag(String),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(path, line) => write!(f, "{}:{line}", path.display()),
            Self::Environment(name) => f.write_str(name),
            Self::Flag(flag) => f.write_str(flag),
        }
    }
}

/// Why there is no configuration.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// The file cannot be read or is not TOML.
    #[error("{}: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system or the parser said.
        reason: String,
    },
    /// The file that was asked for is not there.
    #[error("{}: no such file (named by {by})", path.display())]
    NoFile {
        /// The file.
        path: PathBuf,
        /// The flag or the variable.
        by: &'static str,
    },
    /// A key that no setting has.
    #[error("{origin}: unknown key `{key}`{}", hint(nearest.as_deref()))]
    UnknownKey {
        /// Where it stands.
        origin: Origin,
        /// The key.
        key: String,
        /// The known key that is most like it, where one is.
        nearest: Option<&'static str>,
    },
    /// A value that its setting does not take.
    #[error("{origin}: {key}: {reason}")]
    Value {
        /// Where it stands.
        origin: Origin,
        /// The key.
        key: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// Neither a data directory nor a home directory is known.
    #[error("no data directory: set HOME or XDG_DATA_HOME, or give --data-dir")]
    NoDataDir,
}

fn hint(nearest: Option<&str>) -> String {
    nearest.map_or_else(
        || "; `soulmem config` lists the known ones".to_owned(),
        |key| format!("; did you mean `{key}`?"),
    )
}

/// What the command line gives: the file to read and `(flag, key, value)` for each setting.
#[derive(Debug, Clone, Default)]
pub struct Flags {
    /// `--config`.
    pub file: Option<PathBuf>,
    /// The flag as it was written, the key that it sets, the value.
    pub values: Vec<(String, String, String)>,
}

/// A configuration and where each value of it came from.
#[derive(Debug)]
pub struct Effective {
    /// The values.
    pub config: Config,
    /// The folders of the environment.
    pub folders: Folders,
    origins: BTreeMap<&'static str, Origin>,
}

impl Effective {
    /// Puts the four layers together. `env` looks up a variable of the environment.
    pub fn load(
        flags: &Flags,
        env: impl Fn(&str) -> Option<String>,
        folders: Folders,
    ) -> Result<Self, ConfigError> {
        let config = Config {
            data_dir: folders.data.clone().unwrap_or_default(),
            server: ServerSettings::default(),
            souls: SoulSettings::default(),
            llm: LlmSettings::default(),
            log_format: LogFormat::Human,
            log_level: "info".to_owned(),
        };
        let mut effective = Self {
            config,
            folders,
            origins: BTreeMap::new(),
        };
        effective.apply_file(flags.file.as_deref(), env(FILE_VARIABLE).map(PathBuf::from))?;
        for setting in settings() {
            let variable = setting.env();
            if let Some(text) = env(&variable) {
                effective.apply(setting.key, &text, Origin::Environment(variable))?;
            }
        }
        for (flag, key, text) in &flags.values {
            effective.apply(key, text, Origin::Flag(flag.clone()))?;
        }
        if effective.config.data_dir.as_os_str().is_empty() {
            return Err(ConfigError::NoDataDir);
        }
        Ok(effective)
    }

    /// Where the value of `key` came from.
    pub fn origin(&self, key: &str) -> &Origin {
        self.origins.get(key).unwrap_or(&Origin::Default)
    }

    fn apply_file(&mut self, flag: Option<&Path>, env: Option<PathBuf>) -> Result<(), ConfigError> {
        let named = flag
            .map(|path| (path.to_owned(), "--config"))
            .or_else(|| env.map(|path| (path, FILE_VARIABLE)));
        let usual = || {
            self.folders
                .config
                .as_ref()
                .map(|folder| folder.join("config.toml"))
        };
        let Some(path) = named.as_ref().map(|(path, _)| path.clone()).or_else(usual) else {
            return Ok(());
        };
        match (file::read(&path)?, named) {
            (Some(entries), _) => {
                for entry in entries {
                    let origin = Origin::File(path.clone(), entry.line);
                    self.apply(&entry.key, &entry.text, origin)?;
                }
                Ok(())
            }
            (None, Some((path, by))) => Err(ConfigError::NoFile { path, by }),
            (None, None) => Ok(()),
        }
    }

    fn apply(&mut self, key: &str, text: &str, origin: Origin) -> Result<(), ConfigError> {
        let Some(setting) = settings().find(|setting| setting.key == key) else {
            let nearest = nearest_key(key);
            return Err(ConfigError::UnknownKey {
                origin,
                key: key.to_owned(),
                nearest,
            });
        };
        match (setting.set)(&mut self.config, text) {
            Ok(()) => {
                self.origins.insert(setting.key, origin);
                Ok(())
            }
            Err(reason) => Err(ConfigError::Value {
                origin,
                key: setting.key,
                reason,
            }),
        }
    }
}

/// The known key that a misspelt one most likely meant, where any is near enough to be worth naming.
/// A key without its table (`listen`) is compared with the last parts too.
fn nearest_key(key: &str) -> Option<&'static str> {
    let likeness = |known: &str| {
        let last = known.rsplit('.').next().unwrap_or(known);
        strsim::jaro_winkler(key, known).max(strsim::jaro_winkler(key, last))
    };
    settings()
        .map(|setting| (likeness(setting.key), setting.key))
        .filter(|(likeness, _)| *likeness >= 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, known)| known)
}

#[cfg(test)]
mod tests;
