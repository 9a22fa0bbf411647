//! A look at the endpoint, for `soulmem doctor llm`: what works, what does not, and what to change.

use std::cmp::Ordering;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::{Value, json};

use super::Llm;
use super::ask::{Ask, Way};
use super::dialect::Dialect;
use super::error::LlmFailure;
use super::fault::Fault;
use super::reply::fields;
use super::settings::{Mode, ModeChoice};
use super::talk::Prompt;
use super::task::Task;

/// The account of a look, which is no character's.
const NOBODY: &str = "";

/// How well something works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It works.
    Good,
    /// It can be lived with.
    Poor,
    /// The configuration has to be changed first.
    Misconfigured,
    /// The endpoint does not answer.
    Unreachable,
    /// It answers, but nothing that a task could use.
    Unusable,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What was tried.
    pub what: String,
    /// How well it works.
    pub verdict: Verdict,
    /// What was seen, and what to change.
    pub said: String,
    /// How long it took, in milliseconds, where something was sent.
    pub millis: Option<u64>,
}

impl Finding {
    fn new(what: impl Into<String>, verdict: Verdict, said: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            verdict,
            said: said.into(),
            millis: None,
        }
    }

    fn took(mut self, time: Duration) -> Self {
        self.millis = u64::try_from(time.as_millis()).ok();
        self
    }
}

impl Llm {
    /// Tries everything that tasks need: each model once by words, once in each way to get JSON, once with a small task.
    pub async fn check(&self) -> Vec<Finding> {
        let mut found = self.look_at_settings();
        for model in self.models() {
            self.check_model(&model, &mut found).await;
        }
        found
    }

    /// What the settings alone show.
    fn look_at_settings(&self) -> Vec<Finding> {
        let settings = &self.settings;
        let Some(url) = &settings.base_url else {
            let said = "no endpoint is configured: set llm.base_url, and llm.model as the endpoint names it";
            return vec![Finding::new("llm.base_url", Verdict::Misconfigured, said)];
        };
        let mut found = Vec::new();
        if self.models().is_empty() {
            let said = "no task has a model: set llm.model to one that the endpoint serves";
            found.push(Finding::new("llm.model", Verdict::Misconfigured, said));
        } else if let Some(without) = self.without_model() {
            let said = format!("{} use their fallback", without.join(", "));
            found.push(Finding::new("tasks without a model", Verdict::Good, said));
        }
        if settings.key.is_some() && url.is_open_to_readers() {
            let said = "the key and what is said travel unencrypted: use https:// or an address of this machine";
            found.push(Finding::new("llm.base_url", Verdict::Poor, said));
        }
        if !url.is_local() && settings.daily_tokens == 0 {
            let said = "there is no bound on what a day may take; llm.daily_tokens sets one";
            found.push(Finding::new("llm.daily_tokens", Verdict::Poor, said));
        }
        found
    }

    async fn check_model(&self, model: &str, found: &mut Vec<Finding>) {
        let Some(task) = (Task::ALL.into_iter()).find(|task| self.model_for(*task) == Some(model))
        else {
            return;
        };
        let prompt = &trial();
        let ask = Ask {
            task,
            soul: NOBODY,
            prompt,
            timeout: None,
        };
        let way = match self.way(ask) {
            Ok(way) => way,
            Err(failure) => {
                return found.push(Finding::new(model, verdict(&failure), failure.to_string()));
            }
        };
        let started = Instant::now();
        let plain = match self.probe_mode(&way, Dialect::new(Mode::Plain)).await {
            Ok((dialect, _)) => dialect,
            Err(failure) => {
                let what = format!("{model}: chat");
                let finding = Finding::new(what, verdict(&failure), failure.to_string());
                return found.push(finding.took(started.elapsed()));
            }
        };
        let said = "it answers";
        found.push(
            Finding::new(format!("{model}: chat"), Verdict::Good, said).took(started.elapsed()),
        );
        let best = self.check_modes(&way, plain, found).await;
        found.extend(self.check_choice(model, best.mode));
        let chosen = match self.settings.mode {
            ModeChoice::Auto => best,
            ModeChoice::Fixed(mode) => plain.with(mode),
        };
        let mut known = self.dialects.lock().await;
        known.insert((model.to_owned(), ""), chosen);
        drop(known);
        found.push(self.check_task(model, ask).await);
    }

    /// Tries each way to get JSON, and gives the best that works.
    async fn check_modes(
        &self,
        way: &Way<'_>,
        plain: Dialect,
        found: &mut Vec<Finding>,
    ) -> Dialect {
        let mut best = plain;
        for mode in [Mode::Json, Mode::Schema] {
            let started = Instant::now();
            let tried = self.probe_mode(way, plain.with(mode)).await;
            let (verdict, said) = match tried {
                Ok((dialect, true)) => {
                    best = dialect;
                    (
                        Verdict::Good,
                        "it promises JSON and keeps the promise".to_owned(),
                    )
                }
                Ok((_, false)) => (
                    Verdict::Poor,
                    "it takes the request and does not keep to it".to_owned(),
                ),
                Err(failure) => (Verdict::Poor, failure.to_string()),
            };
            let what = format!("{}: mode {mode}", way.model);
            found.push(Finding::new(what, verdict, said).took(started.elapsed()));
        }
        best
    }

    fn check_choice(&self, model: &str, best: Mode) -> Option<Finding> {
        let ModeChoice::Fixed(chosen) = self.settings.mode else {
            return None;
        };
        let (verdict, advice) = match chosen.cmp(&best) {
            Ordering::Greater => (Verdict::Misconfigured, "the endpoint does not keep to it"),
            Ordering::Less => (Verdict::Poor, "the endpoint has a better one"),
            Ordering::Equal => return None,
        };
        let said = format!("llm.mode is {chosen}, and {advice}: set it to {best} or auto");
        Some(Finding::new(format!("{model}: llm.mode"), verdict, said))
    }

    async fn check_task(&self, model: &str, ask: Ask<'_>) -> Finding {
        let what = format!("{model}: a small task");
        let started = Instant::now();
        let read = |value: &Value| {
            let animal = fields::text(value, "animal");
            animal.ok_or_else(|| "`animal` is missing".to_owned())
        };
        let answered = self.ask(ask, read).await;
        let took = started.elapsed();
        let finding = match answered {
            Err(error) => Finding::new(what, verdict(&error.reason), error.reason.to_string()),
            Ok(_) if took > self.settings.timeout / 2 => {
                let said = "it is slow: a longer task will not end in time; raise llm.timeout_ms or take a smaller model";
                Finding::new(what, Verdict::Poor, said)
            }
            Ok(answer) if answer.again => {
                let said =
                    "the reply could be read at the second try only; a larger model may do better";
                Finding::new(what, Verdict::Poor, said)
            }
            Ok(_) => Finding::new(what, Verdict::Good, "the reply could be read"),
        };
        finding.took(took)
    }

    /// The models that tasks have, each once.
    fn models(&self) -> Vec<String> {
        let models = Task::ALL
            .into_iter()
            .filter_map(|task| self.model_for(task));
        let mut models: Vec<String> = models.map(str::to_owned).collect();
        models.sort();
        models.dedup();
        models
    }

    fn without_model(&self) -> Option<Vec<&'static str>> {
        let without = self.tasks_without_model();
        (!without.is_empty()).then_some(without)
    }
}

fn verdict(failure: &LlmFailure) -> Verdict {
    match failure {
        LlmFailure::NotConfigured(_) | LlmFailure::Unusable(_) | LlmFailure::Budget(_) => {
            Verdict::Misconfigured
        }
        LlmFailure::Endpoint(Fault::Status { status, .. }) if *status < 500 && *status != 429 => {
            Verdict::Misconfigured
        }
        LlmFailure::Endpoint(_) | LlmFailure::Timeout(_) => Verdict::Unreachable,
        LlmFailure::Reply(_) => Verdict::Unusable,
    }
}

fn trial() -> Prompt {
    Prompt {
        system:
            "Which animal is described? Reply with one JSON object: {\"animal\": \"its name\"}."
                .to_owned(),
        user: "It purrs, has whiskers, and chases mice.".to_owned(),
        schema_name: "trial",
        schema: json!({
            "type": "object",
            "properties": {"animal": {"type": "string"}},
            "required": ["animal"],
            "additionalProperties": false,
        }),
    }
}
