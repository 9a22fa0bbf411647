//! The language model: an endpoint that is asked to understand, and never decides.
//!
//! - [`Llm`] asks: one call, a tolerant reading, one more call that says what was wrong, else an [`LlmError`]; then
//!   whoever asked uses the fallback. Attempts that may go better are repeated in one place (`retry`).
//! - `endpoint` and `exchange` are the way there: any endpoint that takes chat completions as `OpenAI` does. `dialect` is
//!   how it wants to be asked, found out by `probe` and kept in memory for as long as the process runs.
//! - [`prompts`] is what models are asked, [`replies`] what they answer, in types: a file for each task.
//! - [`reply`] finds the JSON in what models write, [`Ledger`] counts what it takes and holds the budget of the day.
//!
//! Without an endpoint nothing is ever sent, and every task has its fallback.

mod ask;
mod base_url;
mod checkup;
mod dialect;
mod endpoint;
mod error;
mod exchange;
mod fault;
mod health;
mod key;
mod ledger;
mod probe;
pub mod prompts;
mod proxy;
pub mod replies;
pub mod reply;
mod retry;
mod said;
mod settings;
mod talk;
mod task;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::Timestamp;
use soulmem_engine::model::FixedClock;
use tokio::sync::Semaphore;

pub use self::ask::{Answer, Ask};
pub use self::base_url::BaseUrl;
pub use self::checkup::{Finding, Verdict};
use self::dialect::Dialect;
use self::endpoint::Endpoint;
pub use self::error::{LlmError, LlmFailure};
pub use self::fault::Fault;
use self::health::Seen;
pub use self::key::{KeyError, KeySource};
pub use self::ledger::{Account, Counts, LEDGER_FILE, Ledger, OverBudget};
pub use self::proxy::Proxy;
use self::retry::Retries;
pub use self::settings::{LlmSettings, Mode, ModeChoice, TaskModel};
pub use self::talk::Prompt;
pub use self::task::Task;

/// Asks language models, where there are any.
pub struct Llm {
    settings: LlmSettings,
    /// The endpoint, or why the one that is configured cannot be used.
    endpoint: Option<Result<Endpoint, String>>,
    ledger: Arc<Ledger>,
    retries: Retries,
    /// A permit for each request that may be under way.
    places: Semaphore,
    /// How each model wants to be asked; held while that is found out.
    dialects: tokio::sync::Mutex<BTreeMap<Known, Dialect>>,
    /// How the last question went.
    seen: Mutex<Seen>,
}

/// A model, and a schema where that one is asked for otherwise.
type Known = (String, &'static str);

impl Llm {
    /// Ready to ask; nothing is sent before something is asked.
    pub fn new(settings: LlmSettings, ledger: Ledger) -> Self {
        let endpoint = (settings.base_url.as_ref()).map(|url| Endpoint::new(url, &settings));
        if let Some(Err(reason)) = &endpoint {
            tracing::error!(reason, "the language model cannot be asked");
        }
        if let Some(url) = &settings.base_url
            && settings.key.is_some()
            && url.is_open_to_readers()
        {
            tracing::warn!(
                endpoint = %url,
                "the key and what is said travel unencrypted: use https:// or an address of this machine (llm.base_url)"
            );
        }
        Self {
            endpoint,
            ledger: Arc::new(ledger),
            retries: Retries {
                most: settings.retries,
                backoff: settings.backoff,
            },
            places: Semaphore::new(settings.concurrency),
            dialects: tokio::sync::Mutex::default(),
            seen: Mutex::default(),
            settings,
        }
    }

    /// One that nobody can ask: every task has its fallback.
    pub fn none() -> Self {
        let clock = Arc::new(FixedClock(Timestamp::UNIX_EPOCH));
        Self::new(LlmSettings::default(), Ledger::unkept(clock, 0))
    }

    /// The model that a task has. None: it uses its fallback.
    pub fn model_for(&self, task: Task) -> Option<&str> {
        self.settings.model_for(task)
    }

    /// The names of the tasks that use their fallback.
    pub fn tasks_without_model(&self) -> Vec<&'static str> {
        let without = Task::ALL
            .into_iter()
            .filter(|task| self.model_for(*task).is_none());
        without.map(Task::as_str).collect()
    }

    /// How long a plain question waits for sub-queries.
    pub fn sub_queries_timeout(&self) -> Duration {
        self.settings.sub_queries_timeout
    }

    /// What was asked and what it took.
    pub fn ledger(&self) -> &Arc<Ledger> {
        &self.ledger
    }
}
