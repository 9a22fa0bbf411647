//! Exactly once: a key, its effect and its answer are kept in one transaction.

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use super::column::{Micros, from_json, json};
use super::error::{Result, StoreError};
use super::origin::Sent;
use super::seal::{Mode, Sealed};
use super::tx::{Tx, View};

pub(super) static IDEMPOTENCY: Sealed =
    Sealed::new("idempotency", 1, &["key", "request", "at", "answer"]);

/// How long a key is remembered.
pub const REMEMBERED: SignedDuration = SignedDuration::from_hours(24);

/// A key that a client chose for a request, and which request that was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Idempotency {
    /// The client's key.
    pub key: String,
    /// Digest of the operation and its payload: the same key for another request is a mistake.
    pub request: [u8; 32],
    /// The number that this try has in the outbox that it waited in. It counts as seen, whether or not the key was:
    /// the number is remembered for good, the key for a day.
    pub sent: Option<Sent>,
}

impl Idempotency {
    /// The key for an operation with this payload, in whatever encoding, as long as it is always the same one.
    pub fn new(key: impl Into<String>, op: &str, payload: &[u8]) -> Self {
        let digest = Sha256::new()
            .chain_update((op.len() as u64).to_le_bytes())
            .chain_update(op)
            .chain_update(payload);
        Self {
            key: key.into(),
            request: digest.finalize().into(),
            sent: None,
        }
    }
}

/// The answer to a write that is done at most once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome<T> {
    /// The answer: this one's, or the first one's.
    pub value: T,
    /// Whether the key was seen before, so that nothing was written now.
    pub duplicate: bool,
}

/// An answer that was given under a key, for another copy of the memory that is to give it too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// The key.
    pub key: String,
    /// Digest of the request.
    pub request: Vec<u8>,
    /// When it was given.
    pub at: Timestamp,
    /// The answer; none where it named something that was erased since.
    pub answer: Option<String>,
}

/// What is remembered of a key.
struct Remembered {
    request: Vec<u8>,
    at: Timestamp,
    answer: Option<String>,
}

impl Tx {
    /// Does `work` unless the key was seen before.
    pub(super) fn once<T: Serialize + DeserializeOwned>(
        &self,
        idempotency: &Idempotency,
        mut work: impl FnMut(&Tx) -> Result<T>,
    ) -> Result<Outcome<T>> {
        let first = self.remembered(&idempotency.key)?;
        let write = if first.is_some() {
            Mode::Update
        } else {
            Mode::Insert
        };
        if let Some(first) = first.filter(|first| !self.expired(first.at)) {
            if let Some(sent) = &idempotency.sent {
                self.first_time(sent)?;
            }
            return first.answer(idempotency).map(|value| Outcome {
                value,
                duplicate: true,
            });
        }
        let value = work(self)?;
        let answer = Some(json("answer", &value)?);
        let request = idempotency.request.as_slice();
        let row: [&dyn rusqlite::ToSql; 4] =
            [&idempotency.key, &request, &Micros(self.now()), &answer];
        match write {
            Mode::Insert => IDEMPOTENCY.insert(&self.connection, &row)?,
            Mode::Update => {
                IDEMPOTENCY.update(&self.connection, &row)?;
            }
        }
        Ok(Outcome {
            value,
            duplicate: false,
        })
    }

    /// Has a repeat of a request get the answer that another copy gave. What is known here stays.
    pub fn take_in_answer(&self, answered: &Answered) -> Result<()> {
        if self.remembered(&answered.key)?.is_some() {
            return Ok(());
        }
        let Answered {
            key,
            request,
            at,
            answer,
        } = answered;
        let row: [&dyn rusqlite::ToSql; 4] = [key, request, &Micros(*at), answer];
        IDEMPOTENCY.insert(&self.connection, &row)
    }

    /// Forgets the keys that are older than a day.
    pub fn expire_idempotency(&self) -> Result<usize> {
        let mut statement = self
            .connection
            .prepare_cached("DELETE FROM idempotency WHERE at <= ?")?;
        Ok(statement.execute([Micros(
            self.now().checked_sub(REMEMBERED).unwrap_or(Timestamp::MIN),
        )])?)
    }

    fn expired(&self, at: Timestamp) -> bool {
        self.now().duration_since(at) >= REMEMBERED
    }
}

impl View {
    /// The answers that are remembered but for the last `after`, the latest first: those that are forgotten meanwhile
    /// stand at the end.
    pub fn answered(&self, after: u64, limit: u32) -> Result<Vec<Answered>> {
        let sql = format!(
            "{} ORDER BY at DESC, key LIMIT ? OFFSET ?",
            IDEMPOTENCY.select()
        );
        let after = i64::try_from(after).unwrap_or(i64::MAX);
        self.all(&sql, [limit.into(), after], |row| {
            IDEMPOTENCY.check(row, 0)?;
            Ok(Answered {
                key: row.get(0)?,
                request: row.get(1)?,
                at: row.get::<_, Micros>(2)?.0,
                answer: row.get(3)?,
            })
        })
    }

    /// Whether this very request was answered under its key less than [`REMEMBERED`] before `now`.
    pub fn has_answered(&self, key: &Idempotency, now: Timestamp) -> Result<bool> {
        let first = self.remembered(&key.key)?;
        Ok(first.is_some_and(|first| {
            first.request == key.request && now.duration_since(first.at) < REMEMBERED
        }))
    }

    fn remembered(&self, key: &str) -> Result<Option<Remembered>> {
        self.one(
            &format!("{} WHERE key = ?", IDEMPOTENCY.select()),
            [key],
            |row| {
                IDEMPOTENCY.check(row, 0)?;
                let at = row.get::<_, Micros>(2)?.0;
                Ok(Remembered {
                    request: row.get(1)?,
                    at,
                    answer: row.get(3)?,
                })
            },
        )
    }
}

impl Remembered {
    fn answer<T: DeserializeOwned>(self, again: &Idempotency) -> Result<T> {
        let key = &again.key;
        if self.request != again.request {
            return Err(StoreError::Conflict(format!(
                "the idempotency key {key} was used for another request"
            )));
        }
        let Some(answer) = self.answer else {
            return Err(StoreError::Conflict(format!(
                "what the request with the key {key} wrote was erased since"
            )));
        };
        from_json("answer", &answer)
            .map_err(|reason| StoreError::corrupt(format!("table idempotency: {reason}")))
    }
}
