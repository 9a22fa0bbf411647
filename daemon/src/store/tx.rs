//! What operations see of the database: a view to read, a transaction to write.

use std::cell::Cell;
use std::ops::Deref;

use jiff::Timestamp;
use rusqlite::{Connection, Params, Row};
use uuid::Uuid;

use super::column::{Id, Micros, kept};
use super::error::{Result, StoreError};
use super::seal::Sealed;

/// Place in the sequence of writing: one counter for everything that a memory holds.
pub type Seq = i64;

pub(super) static JOURNAL: Sealed =
    Sealed::new("journal", 1, &["seq", "at", "what", "subject", "detail"]);
pub(super) static TALLY: Sealed = Sealed::new("tally", 1, &["id", "notes", "links", "messages"]);

/// A memory as it was at one moment: everything read through one view belongs together.
pub struct View {
    pub(super) connection: Connection,
}

/// A write: everything done through it is kept together or not at all, and it reads what it wrote.
pub struct Tx {
    view: View,
    now: Cell<Timestamp>,
    progress: Cell<Progress>,
}

/// What a transaction has used up so far; taken back when a part of it is.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Progress {
    next: Seq,
    grown: Tally,
}

/// How many rows there are of what must never vanish.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub notes: i64,
    pub links: i64,
    pub messages: i64,
}

impl Deref for Tx {
    type Target = View;

    fn deref(&self) -> &View {
        &self.view
    }
}

impl Tx {
    /// Transactions over this connection, one after the other.
    pub(super) fn over(connection: Connection) -> Self {
        let now = Cell::new(Timestamp::UNIX_EPOCH);
        Self {
            view: View { connection },
            now,
            progress: Cell::default(),
        }
    }

    /// The connection, when nothing more is to be written through it.
    pub(super) fn into_connection(self) -> Connection {
        self.view.connection
    }

    /// Runs `work` as one transaction, or undoes it. Goes on from what the journal says.
    pub(super) fn transaction<T>(
        &self,
        now: Timestamp,
        work: impl FnOnce(&Self) -> Result<T>,
    ) -> Result<(T, Seq)> {
        in_transaction(&self.connection, || {
            let next = self.last_seq()? + 1;
            self.progress.set(Progress {
                next,
                grown: Tally::default(),
            });
            self.set_now(now);
            let value = work(self)?;
            Ok((value, self.settle()?))
        })
    }

    /// When this write happens: the same moment for all of it.
    pub fn now(&self) -> Timestamp {
        self.now.get()
    }

    pub(super) fn set_now(&self, now: Timestamp) {
        self.now.set(kept(now));
    }

    pub(super) fn progress(&self) -> Progress {
        self.progress.get()
    }

    pub(super) fn take_back(&self, progress: Progress) {
        self.progress.set(progress);
    }

    /// Appends to the journal; what is written in the same step takes the sequence returned.
    pub(super) fn journal(
        &self,
        what: &str,
        subject: Option<Uuid>,
        detail: Option<&str>,
    ) -> Result<Seq> {
        let mut progress = self.progress.get();
        let seq = progress.next;
        JOURNAL.insert(
            &self.connection,
            &[&seq, &Micros(self.now()), &what, &subject.map(Id), &detail],
        )?;
        progress.next += 1;
        self.progress.set(progress);
        Ok(seq)
    }

    /// Counts rows that come (or, negative, go).
    pub(super) fn grow(&self, add: impl FnOnce(&mut Tally)) {
        let mut progress = self.progress.get();
        add(&mut progress.grown);
        self.progress.set(progress);
    }

    /// Brings the tally up to date; the last thing before the commit.
    fn settle(&self) -> Result<Seq> {
        let Progress { next, grown } = self.progress.get();
        if grown != Tally::default() {
            let old = self.tally()?;
            TALLY.put(
                &self.connection,
                &[
                    &1,
                    &(old.notes + grown.notes),
                    &(old.links + grown.links),
                    &(old.messages + grown.messages),
                ],
            )?;
        }
        Ok(next - 1)
    }
}

impl View {
    /// The first row that a statement yields, if it yields one.
    pub(super) fn one<T>(
        &self,
        sql: &str,
        values: impl Params,
        read: impl FnOnce(&Row<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query(values)?;
        rows.next()?.map(read).transpose()
    }

    /// All rows that a statement yields.
    pub(super) fn all<T>(
        &self,
        sql: &str,
        values: impl Params,
        mut read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut found = Vec::new();
        self.each(sql, values, |row| {
            found.push(read(row)?);
            Ok(())
        })?;
        Ok(found)
    }

    /// Goes through the rows that a statement yields.
    pub(super) fn each(
        &self,
        sql: &str,
        values: impl Params,
        mut visit: impl FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query(values)?;
        while let Some(row) = rows.next()? {
            visit(row)?;
        }
        Ok(())
    }

    /// The last place in the sequence of writing; 0 in a memory that was never written to.
    pub fn last_seq(&self) -> Result<Seq> {
        let last = self.one("SELECT max(seq) FROM journal", [], |row| Ok(row.get(0)?))?;
        Ok(last.flatten().unwrap_or(0))
    }

    pub(super) fn tally(&self) -> Result<Tally> {
        let found = self.one(TALLY.select(), [], |row| {
            TALLY.check(row, 0)?;
            Ok(Tally {
                notes: row.get(1)?,
                links: row.get(2)?,
                messages: row.get(3)?,
            })
        })?;
        Ok(found.unwrap_or_default())
    }

    /// Compares the tally with what is there: rows can vanish with a damaged page, without an error.
    pub(super) fn check_tally(&self) -> Result<()> {
        let tally = self.tally()?;
        for (table, expected) in [
            ("note", tally.notes),
            ("link", tally.links),
            ("message", tally.messages),
        ] {
            let sql = format!("SELECT count(*) FROM {table}");
            let found = self
                .one(&sql, [], |row| Ok(row.get::<_, i64>(0)?))?
                .unwrap_or(0);
            if found != expected {
                return Err(StoreError::corrupt(format!(
                    "table {table} has {found} rows, there must be {expected}"
                )));
            }
        }
        Ok(())
    }
}

/// Runs `work` between `BEGIN` and `COMMIT`, or undoes it.
pub(super) fn in_transaction<T>(
    connection: &Connection,
    work: impl FnOnce() -> Result<T>,
) -> Result<T> {
    connection.execute_batch("BEGIN IMMEDIATE")?;
    let result = work().and_then(|value| {
        fail::fail_point!("store::commit", |_| Err(StoreError::injected()));
        connection.execute_batch("COMMIT")?;
        Ok(value)
    });
    if result.is_err() && !connection.is_autocommit() {
        // If this fails too, the connection is beyond use and the caller's error says why.
        drop(connection.execute_batch("ROLLBACK"));
    }
    result
}
