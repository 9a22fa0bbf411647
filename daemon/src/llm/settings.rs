//! What can be set about the language model.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::base_url::BaseUrl;
use super::key::KeySource;
use super::proxy::Proxy;
use super::task::Task;

/// Endpoint, models, patience and bounds. As it is by default, no model is ever asked.
#[derive(Debug, Clone)]
pub struct LlmSettings {
    /// The endpoint, where there is one.
    pub base_url: Option<BaseUrl>,
    /// The model of tasks that have none of their own; empty for none.
    pub model: String,
    /// What single tasks have instead.
    pub tasks: BTreeMap<Task, TaskModel>,
    /// Where the key is read from.
    pub key: KeySource,
    /// What requests go through.
    pub proxy: Proxy,
    /// How long connecting may take.
    pub connect_timeout: Duration,
    /// How long one attempt may take, connecting and the whole reply included.
    pub timeout: Duration,
    /// How long a plain question waits for the sub-queries that a model makes of it.
    pub sub_queries_timeout: Duration,
    /// How often an attempt that failed for a reason that may pass is repeated.
    pub retries: u32,
    /// How long the wait before the first repetition is at most; it doubles with each.
    pub backoff: Duration,
    /// Requests that are under way at once.
    pub concurrency: usize,
    /// Tokens, in and out, that one day (UTC) may take; 0 for no bound.
    pub daily_tokens: u64,
    /// Tokens that one reply may have.
    pub max_reply_tokens: u32,
    /// Bytes of one reply that are read at most.
    pub max_reply_bytes: usize,
    /// How replies are made to be JSON.
    pub mode: ModeChoice,
}

/// The model of one task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskModel {
    /// The task uses its fallback.
    Off,
    /// The name of the model.
    Named(String),
}

/// How the endpoint is made to reply with JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    /// It is told and asked in words.
    Plain,
    /// It promises JSON of any shape (`response_format: json_object`).
    Json,
    /// It promises JSON of the shape that it is given (`response_format: json_schema`).
    Schema,
}

/// Which of the modes is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ModeChoice {
    /// The best that the endpoint turns out to have.
    #[default]
    Auto,
    /// This one.
    Fixed(Mode),
}

impl Default for LlmSettings {
    fn default() -> Self {
        Self {
            base_url: None,
            model: String::new(),
            // A question that waits for a model is slower: whoever wants that says so.
            tasks: BTreeMap::from([(Task::SubQueries, TaskModel::Off)]),
            key: KeySource::default(),
            proxy: Proxy::default(),
            connect_timeout: Duration::from_secs(5),
            timeout: Duration::from_secs(120),
            sub_queries_timeout: Duration::from_millis(1_500),
            retries: 3,
            backoff: Duration::from_millis(500),
            concurrency: 2,
            daily_tokens: 0,
            max_reply_tokens: 4_096,
            max_reply_bytes: 1 << 20,
            mode: ModeChoice::Auto,
        }
    }
}

impl LlmSettings {
    /// The model that a task has.
    pub fn model_for(&self, task: Task) -> Option<&str> {
        self.base_url.as_ref()?;
        let name = match self.tasks.get(&task) {
            Some(TaskModel::Off) => return None,
            Some(TaskModel::Named(name)) => name,
            None => &self.model,
        };
        (!name.is_empty()).then_some(name)
    }
}

impl Mode {
    /// The name in the configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Json => "json",
            Self::Schema => "schema",
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for ModeChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Fixed(mode) => mode.fmt(f),
        }
    }
}

impl FromStr for ModeChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "schema" => Ok(Self::Fixed(Mode::Schema)),
            "json" => Ok(Self::Fixed(Mode::Json)),
            "plain" => Ok(Self::Fixed(Mode::Plain)),
            _ => Err(format!("`{text}` is none of auto, schema, json, plain")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(base_url: &str) -> LlmSettings {
        LlmSettings {
            base_url: base_url.parse().ok(),
            model: "large".to_owned(),
            ..LlmSettings::default()
        }
    }

    #[test]
    fn a_task_has_the_model_of_all_its_own_or_none() {
        let mut settings = settings("http://127.0.0.1:8080/v1");
        settings.tasks = BTreeMap::from([
            (Task::Gist, TaskModel::Off),
            (Task::Extract, TaskModel::Named("small".to_owned())),
        ]);
        assert_eq!(settings.model_for(Task::Summarise), Some("large"));
        assert_eq!(settings.model_for(Task::Extract), Some("small"));
        assert_eq!(settings.model_for(Task::Gist), None);
    }

    #[test]
    fn without_an_endpoint_or_a_model_no_task_has_one() {
        assert_eq!(settings("").model_for(Task::Extract), None);
        let nameless = LlmSettings {
            model: String::new(),
            ..settings("http://127.0.0.1:8080/v1")
        };
        assert_eq!(nameless.model_for(Task::Extract), None);
    }
}
