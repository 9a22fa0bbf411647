//! The sliding window over the end of the message log, and the running summary of what has left it.

use std::num::NonZeroU32;

use jiff::Timestamp;
use soulmem_engine::model::MessageId;

use super::column::Micros;
use super::error::{Result, StoreError};
use super::message::{MESSAGE, Message, read};
use super::seal::Sealed;
use super::tx::{Seq, Tx, View};

pub(super) static WINDOW: Sealed = Sealed::new(
    "window",
    1,
    &[
        "id",
        "capacity",
        "pushed",
        "summarised_through",
        "consolidated_through",
    ],
);
pub(super) static SUMMARY: Sealed = Sealed::new(
    "summary",
    1,
    &["seq", "text", "first_message", "last_message", "at"],
);

/// Until a window was ever set, it holds this many messages.
const DEFAULT_CAPACITY: i64 = 12;

/// Where the window stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WindowState {
    /// Messages that it can hold.
    pub capacity: i64,
    /// Messages that were ever pushed.
    pub pushed: i64,
    /// The last message that a summary has seen; 0 before the first.
    pub summarised_through: Seq,
    /// The last message that a consolidation has seen; 0 before the first.
    pub consolidated_through: Seq,
}

/// The running summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// Its place in the sequence of writing.
    pub seq: Seq,
    /// What it says.
    pub text: String,
    /// The first message that it covers.
    pub first_message: Seq,
    /// The last message that it covers.
    pub last_message: Seq,
    /// When it was made.
    pub at: Timestamp,
}

impl View {
    /// Where the window stands.
    pub fn window_state(&self) -> Result<WindowState> {
        let found = self.one(WINDOW.select(), [], |row| {
            WINDOW.check(row, 0)?;
            Ok(WindowState {
                capacity: row.get(1)?,
                pushed: row.get(2)?,
                summarised_through: row.get(3)?,
                consolidated_through: row.get(4)?,
            })
        })?;
        Ok(found.unwrap_or(WindowState {
            capacity: DEFAULT_CAPACITY,
            pushed: 0,
            summarised_through: 0,
            consolidated_through: 0,
        }))
    }

    /// The messages in the window, oldest first.
    pub fn window(&self) -> Result<Vec<Message>> {
        let capacity = self.window_state()?.capacity;
        let sql = format!("{} ORDER BY seq DESC LIMIT ?", MESSAGE.select());
        let mut messages = self.select_messages(&sql, &[capacity])?;
        messages.reverse();
        Ok(messages)
    }

    /// The messages that no consolidation has seen yet, oldest first, at most `limit`.
    pub fn unconsolidated(&self, limit: usize) -> Result<Vec<Message>> {
        let through = self.window_state()?.consolidated_through;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let sql = format!("{} WHERE seq > ? ORDER BY seq LIMIT ?", MESSAGE.select());
        self.select_messages(&sql, &[through, limit])
    }

    /// The tagged messages that have left the window without a summary covering them, oldest first.
    pub fn summaries_due(&self) -> Result<Vec<Message>> {
        let window = self.window_state()?;
        let sql = format!(
            "{} WHERE tag = 1 AND seq > ? AND seq < ? ORDER BY seq",
            MESSAGE.select()
        );
        self.select_messages(
            &sql,
            &[window.summarised_through, self.window_start(&window)?],
        )
    }

    /// The messages that a new summary is made of besides the old one: all that it has not seen yet.
    /// The first `limit` of them.
    pub fn unsummarised(&self, limit: usize) -> Result<Vec<Message>> {
        let through = self.window_state()?.summarised_through;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let sql = format!("{} WHERE seq > ? ORDER BY seq LIMIT ?", MESSAGE.select());
        self.select_messages(&sql, &[through, limit])
    }

    /// The running summary, if there is one.
    pub fn summary(&self) -> Result<Option<Summary>> {
        let sql = format!("{} ORDER BY seq DESC LIMIT 1", SUMMARY.select());
        self.one(&sql, [], |row| {
            SUMMARY.check(row, 0)?;
            Ok(Summary {
                seq: row.get(0)?,
                text: row.get(1)?,
                first_message: row.get(2)?,
                last_message: row.get(3)?,
                at: row.get::<_, Micros>(4)?.0,
            })
        })
    }

    fn select_messages(&self, sql: &str, values: &[i64]) -> Result<Vec<Message>> {
        self.all(sql, rusqlite::params_from_iter(values), read)
    }

    /// The first message in the window; 0 if it holds the whole log.
    fn window_start(&self, window: &WindowState) -> Result<Seq> {
        let sql = "SELECT seq FROM message ORDER BY seq DESC LIMIT 1 OFFSET ?";
        let first = self.one(sql, [window.capacity - 1], |row| Ok(row.get(0)?))?;
        Ok(first.unwrap_or(0))
    }

    pub(super) fn window_len(&self, window: &WindowState) -> Result<u64> {
        let sql = "SELECT count(*) FROM (SELECT 1 FROM message LIMIT ?)";
        let len = self.one(sql, [window.capacity], |row| Ok(row.get::<_, i64>(0)?))?;
        Ok(len.unwrap_or(0).cast_unsigned())
    }

    pub(super) fn summary_is_due(&self, window: &WindowState) -> Result<bool> {
        let sql = "SELECT 1 FROM message WHERE tag = 1 AND seq > ? AND seq < ? LIMIT 1";
        let bounds = (window.summarised_through, self.window_start(window)?);
        Ok(self.one(sql, bounds, |_| Ok(()))?.is_some())
    }
}

impl Tx {
    pub(super) fn set_window_state(&self, window: &WindowState) -> Result<()> {
        let WindowState {
            capacity,
            pushed,
            summarised_through,
            consolidated_through,
        } = window;
        WINDOW.put(
            &self.connection,
            &[
                &1,
                capacity,
                pushed,
                summarised_through,
                consolidated_through,
            ],
        )
    }

    /// Changes how many messages the window holds.
    pub fn set_window_capacity(&self, capacity: NonZeroU32) -> Result<()> {
        let window = self.window_state()?;
        let capacity = i64::from(capacity.get());
        if window.capacity == capacity {
            return Ok(());
        }
        self.set_window_state(&WindowState { capacity, ..window })
    }

    /// Puts a new summary, which has seen everything up to a message, in the place of the old one.
    pub fn set_summary(&self, text: &str, through: MessageId) -> Result<Summary> {
        let last = self.message(through)?;
        let last = last
            .ok_or_else(|| StoreError::NotFound(format!("there is no message {through}")))?
            .seq;
        let mut window = self.window_state()?;
        let first = match self.summary()? {
            Some(old) => old.first_message,
            None => window.summarised_through + 1,
        };
        self.connection.execute("DELETE FROM summary", [])?;
        let seq = self.journal("summary.set", Some(through.0), None)?;
        let at = self.now();
        SUMMARY.insert(&self.connection, &[&seq, &text, &first, &last, &Micros(at)])?;
        window.summarised_through = window.summarised_through.max(last);
        self.set_window_state(&window)?;
        Ok(Summary {
            seq,
            text: text.to_owned(),
            first_message: first,
            last_message: last,
            at,
        })
    }

    /// Takes the summary away, because consolidation has made notes of it.
    pub fn clear_summary(&self) -> Result<bool> {
        let cleared = self.connection.execute("DELETE FROM summary", [])? > 0;
        if cleared {
            self.journal("summary.clear", None, None)?;
        }
        Ok(cleared)
    }

    /// Notes that a consolidation has seen everything up to a message.
    pub fn set_consolidated(&self, through: MessageId) -> Result<()> {
        let last = self.message(through)?;
        let last = last
            .ok_or_else(|| StoreError::NotFound(format!("there is no message {through}")))?
            .seq;
        let window = self.window_state()?;
        let consolidated_through = window.consolidated_through.max(last);
        self.set_window_state(&WindowState {
            consolidated_through,
            ..window
        })?;
        self.journal("consolidated", Some(through.0), None)?;
        Ok(())
    }
}
