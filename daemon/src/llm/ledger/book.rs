//! What was asked and what it took: by character, task and day (UTC), and by day over all.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::llm::task::Task;

/// Days that are kept one by one; older ones are in the totals only.
const DAYS: usize = 31;

/// What one task took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Counts {
    /// Replies that were asked for.
    pub calls: u64,
    /// Calls that brought no reply that could be used.
    pub failures: u64,
    /// Attempts that a call took beyond its first.
    pub retries: u64,
    /// Tokens that were sent.
    pub tokens_in: u64,
    /// Tokens that came back.
    pub tokens_out: u64,
}

impl Counts {
    /// Tokens both ways.
    pub fn tokens(&self) -> u64 {
        self.tokens_in.saturating_add(self.tokens_out)
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, more: Self) {
        let add = |sum: &mut u64, more: u64| *sum = sum.saturating_add(more);
        add(&mut self.calls, more.calls);
        add(&mut self.failures, more.failures);
        add(&mut self.retries, more.retries);
        add(&mut self.tokens_in, more.tokens_in);
        add(&mut self.tokens_out, more.tokens_out);
    }
}

/// What the tasks of one character took.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Account {
    /// Ever.
    pub total: BTreeMap<Task, Counts>,
    /// On each of the last days.
    pub days: BTreeMap<Date, BTreeMap<Task, Counts>>,
}

/// Every account, as it is kept in the file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Book {
    /// Tokens of each of the last days, of characters too that are gone.
    pub tokens: BTreeMap<Date, u64>,
    /// The account of each character, by name.
    pub souls: BTreeMap<String, Account>,
}

impl Book {
    /// Adds what a call took.
    pub fn add(&mut self, day: Date, soul: &str, task: Task, counts: Counts) {
        let tokens = self.tokens.entry(day).or_default();
        *tokens = tokens.saturating_add(counts.tokens());
        keep_last(&mut self.tokens);
        let account = self.souls.entry(soul.to_owned()).or_default();
        *account.total.entry(task).or_default() += counts;
        *account
            .days
            .entry(day)
            .or_default()
            .entry(task)
            .or_default() += counts;
        keep_last(&mut account.days);
    }

    /// Tokens of a day.
    pub fn tokens_on(&self, day: Date) -> u64 {
        self.tokens.get(&day).copied().unwrap_or(0)
    }
}

fn keep_last<T>(days: &mut BTreeMap<Date, T>) {
    while days.len() > DAYS {
        days.pop_first();
    }
}
