//! How the language model is, as `health` tells it.

use std::sync::PoisonError;

use jiff::civil::Date;
use soulmem_proto::ops::health::{Condition, LlmHealth};
use soulmem_proto::ops::stats::{LlmCounts, LlmUse};

use super::Llm;
use super::error::LlmFailure;
use super::ledger::Counts;
use super::task::Task;

/// How the last question went.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum Seen {
    /// Nothing was asked yet.
    #[default]
    Nothing,
    /// It was answered.
    Good,
    /// There was an answer, but none that could be used, or it came too late for whoever asked.
    Poor(String),
    /// There was none.
    Failed(String),
    /// The budget of that day did not suffice.
    OverBudget(Date, String),
}

impl Seen {
    /// What a failure shows of the endpoint. None where it shows nothing.
    pub fn of(task: Task, failure: &LlmFailure, today: Date) -> Option<Self> {
        let said = format!("{task}: {failure}");
        Some(match failure {
            LlmFailure::NotConfigured(_) => return None,
            LlmFailure::Reply(_) | LlmFailure::Timeout(_) => Self::Poor(said),
            LlmFailure::Budget(_) => Self::OverBudget(today, said),
            LlmFailure::Unusable(_) | LlmFailure::Endpoint(_) => Self::Failed(said),
        })
    }
}

impl Llm {
    /// How it is, where an endpoint is configured. Nothing is sent to find out.
    pub fn health(&self) -> Option<LlmHealth> {
        let url = self.settings.base_url.as_ref()?;
        let (condition, reason) = self.condition();
        let daily_tokens = self.ledger.daily_tokens();
        Some(LlmHealth {
            endpoint: url.to_string(),
            model: self.settings.model.clone(),
            condition,
            reason,
            without_model: (self.tasks_without_model().into_iter())
                .map(str::to_owned)
                .collect(),
            tokens_today: self.ledger.tokens_today(),
            daily_tokens: (daily_tokens > 0).then_some(daily_tokens),
        })
    }

    /// What the tasks of a character took, each that took anything, today and ever.
    pub fn uses(&self, soul: &str) -> Vec<LlmUse> {
        let account = self.ledger.account(soul);
        let today = account.days.get(&self.ledger.today());
        let uses = account.total.iter().map(|(task, total)| LlmUse {
            task: task.as_str().to_owned(),
            today: on_the_wire(today.and_then(|today| today.get(task)).copied()),
            total: on_the_wire(Some(*total)),
        });
        uses.collect()
    }

    fn condition(&self) -> (Condition, Option<String>) {
        if let Some(Err(reason)) = &self.endpoint {
            return (Condition::Down, Some(reason.clone()));
        }
        let seen = self
            .seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        match seen {
            Seen::Nothing => (
                Condition::Loading,
                Some("nothing was asked of it yet".to_owned()),
            ),
            Seen::OverBudget(day, said) if day == self.ledger.today() => {
                (Condition::Down, Some(said))
            }
            Seen::Good | Seen::OverBudget(..) => (Condition::Ready, None),
            Seen::Poor(said) => (Condition::Ready, Some(said)),
            Seen::Failed(said) => (Condition::Down, Some(said)),
        }
    }

    /// Notes how a question went.
    pub(super) fn saw(&self, seen: Option<Seen>) {
        let Some(seen) = seen else { return };
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = seen;
    }
}

fn on_the_wire(counts: Option<Counts>) -> LlmCounts {
    let counts = counts.unwrap_or_default();
    LlmCounts {
        calls: counts.calls,
        failures: counts.failures,
        retries: counts.retries,
        tokens_in: counts.tokens_in,
        tokens_out: counts.tokens_out,
    }
}
