//! The ledger: what language models were asked for and what it took, kept over restarts, and the budget of the day.
//!
//! It is one file of the data directory, not a part of any memory: it is about this machine's spending. A day ends at
//! midnight UTC.

mod book;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::civil::Date;
use jiff::tz::TimeZone;
use tempfile::NamedTempFile;

use self::book::Book;
pub use self::book::{Account, Counts};
use super::task::Task;
use crate::store::SharedClock;

/// The file in the data directory.
pub const LEDGER_FILE: &str = "llm-ledger.json";

/// What was asked and what it took.
pub struct Ledger {
    open: Mutex<Open>,
    /// Where it is kept. None in tests and where nothing is ever asked.
    file: Option<PathBuf>,
    /// Held while the file is written.
    writing: Mutex<()>,
    clock: SharedClock,
    daily_tokens: u64,
}

#[derive(Default)]
struct Open {
    book: Book,
    /// Tokens that the calls that are under way may take.
    reserved: u64,
}

/// Why a call is not made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OverBudget {
    /// Tokens that the call may take.
    pub needed: u64,
    /// Tokens that are left of the day's.
    pub left: u64,
}

/// A call that is under way: counted when it is settled or given up.
pub(super) struct Entry {
    ledger: Arc<Ledger>,
    soul: String,
    task: Task,
    reserved: u64,
    /// What it has come to so far.
    pub counts: Counts,
}

impl Ledger {
    /// The ledger in a data directory. One that cannot be read is set aside, and a new one begun.
    pub fn open(data_dir: &Path, clock: SharedClock, daily_tokens: u64) -> Self {
        let file = data_dir.join(LEDGER_FILE);
        let book = read(&file).unwrap_or_else(|error| {
            let aside = file.with_extension("json.unreadable");
            tracing::warn!(file = %file.display(), %error, "the ledger of the language model cannot be read; it begins anew");
            if let Err(error) = std::fs::rename(&file, &aside) {
                tracing::warn!(%error, "nor can it be set aside");
            }
            Book::default()
        });
        Self {
            open: Mutex::new(Open { book, reserved: 0 }),
            file: Some(file),
            ..Self::unkept(clock, daily_tokens)
        }
    }

    /// A ledger that is kept nowhere.
    pub fn unkept(clock: SharedClock, daily_tokens: u64) -> Self {
        Self {
            open: Mutex::default(),
            file: None,
            writing: Mutex::default(),
            clock,
            daily_tokens,
        }
    }

    /// What the tasks of a character took.
    pub fn account(&self, soul: &str) -> Account {
        self.lock()
            .book
            .souls
            .get(soul)
            .cloned()
            .unwrap_or_default()
    }

    /// The day as it is counted.
    pub fn today(&self) -> Date {
        TimeZone::UTC.to_datetime(self.clock.now()).date()
    }

    /// Tokens that all characters took today.
    pub fn tokens_today(&self) -> u64 {
        let today = self.today();
        self.lock().book.tokens_on(today)
    }

    /// Tokens that a day may take; 0 for no bound.
    pub fn daily_tokens(&self) -> u64 {
        self.daily_tokens
    }

    /// Begins a call that may take so many tokens, if the day's budget has room for it.
    pub(super) fn begin(
        self: &Arc<Self>,
        soul: &str,
        task: Task,
        tokens: u64,
    ) -> Result<Entry, OverBudget> {
        let today = self.today();
        let mut open = self.lock();
        if self.daily_tokens > 0 {
            let taken = open.book.tokens_on(today).saturating_add(open.reserved);
            let left = self.daily_tokens.saturating_sub(taken);
            if tokens > left {
                return Err(OverBudget {
                    needed: tokens,
                    left,
                });
            }
        }
        open.reserved = open.reserved.saturating_add(tokens);
        Ok(Entry {
            ledger: Arc::clone(self),
            soul: soul.to_owned(),
            task,
            reserved: tokens,
            counts: Counts {
                calls: 1,
                ..Counts::default()
            },
        })
    }

    /// Removes everything about a character that is gone. What it took of today's budget stays taken.
    /// Blocks.
    pub fn forget(&self, soul: &str) {
        if self.lock().book.souls.remove(soul).is_some() {
            self.save();
        }
    }

    /// Writes what was counted, while nobody waits for it.
    pub fn save_soon(self: &Arc<Self>) {
        let ledger = Arc::clone(self);
        tokio::task::spawn_blocking(move || ledger.save());
    }

    /// Writes what was counted. What hinders it hinders nobody: the next call writes it again. Blocks.
    pub fn save(&self) {
        if let Err(error) = self.write() {
            tracing::warn!(%error, "the ledger of the language model could not be written");
        }
    }

    fn write(&self) -> io::Result<()> {
        let Some(file) = &self.file else {
            return Ok(());
        };
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let text = serde_json::to_vec(&self.lock().book)?;
        let folder = file.parent().unwrap_or(Path::new("."));
        let mut fresh = NamedTempFile::new_in(folder)?;
        fresh.write_all(&text)?;
        fresh.as_file().sync_all()?;
        fresh.persist(file).map_err(|error| error.error)?;
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Entry {
    /// Counts it, also where whoever asked did not wait for the end.
    fn drop(&mut self) {
        let today = self.ledger.today();
        let mut open = self.ledger.lock();
        open.reserved = open.reserved.saturating_sub(self.reserved);
        open.book.add(today, &self.soul, self.task, self.counts);
    }
}

fn read(file: &Path) -> io::Result<Book> {
    match std::fs::read(file) {
        Ok(bytes) => Ok(serde_json::from_slice(&bytes)?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Book::default()),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests;
