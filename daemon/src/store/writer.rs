//! The one thread that writes to a memory, and the commits that its requests share.
//!
//! Requests that wait while a commit is under way are taken together into the next one, each in a
//! savepoint of its own: one that fails undoes only itself. An answer is sent after the commit.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError};

use rusqlite::Connection;
use rusqlite::config::DbConfig;
use tokio::sync::oneshot;

use super::condition::Watch;
use super::connection::{Purpose, connect};
use super::error::{Result, StoreError};
use super::files::{Identity, Layout, Mark};
use super::options::SharedClock;
use super::pool::Pool;
use super::tx::Tx;

/// Requests that share a commit at most; bounds how long the first of them waits.
const GROUP: usize = 256;

/// What the writer is asked to do.
pub(super) enum Command {
    /// A write, together with whatever else waits.
    Write(Box<dyn Request>),
    /// Something that cannot run inside a transaction, such as a checkpoint.
    Alone(Box<dyn FnOnce(&Connection) + Send>),
    /// Writing the whole database anew, without free space.
    Compact(oneshot::Sender<Result<()>>),
}

/// A write that waits for its turn.
pub(super) trait Request: Send {
    /// Does it. May be called again after what it did was rolled back.
    fn run(&mut self, tx: &Tx) -> Result<()>;
    /// Says what came of it: with `Ok` it is on the disk.
    fn answer(self: Box<Self>, outcome: Result<()>);
}

/// A closure as a request.
pub(super) struct Call<T, F> {
    work: F,
    value: Option<T>,
    reply: oneshot::Sender<Result<T>>,
}

impl<T, F> Call<T, F> {
    pub fn new(work: F, reply: oneshot::Sender<Result<T>>) -> Self {
        Self {
            work,
            value: None,
            reply,
        }
    }
}

impl<T: Send, F: FnMut(&Tx) -> Result<T> + Send> Request for Call<T, F> {
    fn run(&mut self, tx: &Tx) -> Result<()> {
        self.value = Some((self.work)(tx)?);
        Ok(())
    }

    fn answer(self: Box<Self>, outcome: Result<()>) {
        let Self { value, reply, .. } = *self;
        let answer = outcome.and_then(|()| value.ok_or(StoreError::Closed));
        // Nobody may be waiting any more; the write stands all the same.
        drop(reply.send(answer));
    }
}

/// The writer's side of a memory.
pub(super) struct Writer {
    pub layout: Layout,
    pub file: PathBuf,
    pub vfs: Option<String>,
    /// The readers, which make way when the file is exchanged.
    pub pool: Arc<Pool>,
    pub clock: SharedClock,
    pub watch: Arc<Watch>,
    pub queue: Receiver<Command>,
    /// Missing after a fault of the disk: then the next write opens a new one.
    pub tx: Option<Tx>,
    pub identity: Identity,
    pub mark: Mark,
}

impl Writer {
    /// Works until every sender is gone, then empties the log and closes the database.
    pub fn run(mut self) {
        let mut held = None;
        while let Some(command) = held.take().or_else(|| self.queue.recv().ok()) {
            match command {
                Command::Write(first) => {
                    let (group, next) = self.gather(first);
                    held = next;
                    self.commit(group);
                }
                Command::Alone(work) => self.alone(work),
                Command::Compact(reply) => drop(reply.send(self.compact())),
            }
        }
        self.close();
    }

    fn gather(&self, first: Box<dyn Request>) -> (Vec<Box<dyn Request>>, Option<Command>) {
        let mut group = vec![first];
        while group.len() < GROUP {
            match self.queue.try_recv() {
                Ok(Command::Write(request)) => group.push(request),
                Ok(other) => return (group, Some(other)),
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => break,
            }
        }
        (group, None)
    }

    fn commit(&mut self, mut group: Vec<Box<dyn Request>>) {
        match self.attempt(&mut group) {
            Ok(outcomes) => answer(group, outcomes),
            // One request that is too large for the disk, say, must not take the others with it.
            Err(error) if group.len() > 1 && error.may_pass_alone() => {
                for request in group {
                    self.commit(vec![request]);
                }
            }
            Err(error) => {
                let outcomes = vec![Err(error); group.len()];
                answer(group, outcomes);
            }
        }
    }

    /// Runs the group in one transaction. An error means that nothing of it was kept.
    fn attempt(&mut self, group: &mut [Box<dyn Request>]) -> Result<Vec<Result<()>>> {
        let result = self
            .try_commit(group)
            .map_err(|error| error.in_file(&self.file));
        match &result {
            Ok(outcomes) if outcomes.iter().any(Result::is_ok) => self.watch.succeeded(),
            Ok(outcomes) => outcomes
                .iter()
                .filter_map(|outcome| outcome.as_ref().err())
                .for_each(|e| self.watch.failed(e)),
            Err(error) => {
                self.watch.failed(error);
                // After a failed sync the kernel may take the pages for written: only a new
                // connection, which reads the log again, knows what is really there.
                if matches!(error, StoreError::Io { .. }) {
                    self.tx = None;
                }
            }
        }
        result
    }

    fn try_commit(&mut self, group: &mut [Box<dyn Request>]) -> Result<Vec<Result<()>>> {
        if let Some(refusal) = self.watch.refusal() {
            return Err(refusal);
        }
        self.check_identity()?;
        let tx = match self.tx.take() {
            Some(tx) => tx,
            None => self.connect()?,
        };
        let (outcomes, last) = self.tx.insert(tx).transaction(self.clock.now(), |tx| {
            let mut outcomes = Vec::with_capacity(group.len());
            for request in group.iter_mut() {
                tx.set_now(self.clock.now());
                outcomes.push(run_in_savepoint(tx, request.as_mut(), &self.file)?);
            }
            Ok(outcomes)
        })?;
        self.mark.advance(last);
        self.check_identity()?;
        Ok(outcomes)
    }

    fn check_identity(&self) -> Result<()> {
        self.identity.check(&self.file).inspect_err(|_| {
            // The connection's file has no name any more. Closing it must not empty and remove a
            // log that goes by its name now and belongs to another database.
            if let Some(tx) = &self.tx
                && let Err(error) = tx.connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
            {
                tracing::error!(%error, file = %self.file.display(), "leaving a replaced database alone");
            }
        })
    }

    pub(super) fn connect(&self) -> Result<Tx> {
        connect(&self.file, Purpose::Write, self.vfs.as_deref()).map(Tx::over)
    }

    fn alone(&mut self, work: Box<dyn FnOnce(&Connection) + Send>) {
        let tx = match self.tx.take() {
            Some(tx) => tx,
            None => match self.connect() {
                Ok(tx) => tx,
                // The sender of the answer goes with the closure, so that its receiver sees the end.
                Err(error) => return self.watch.failed(&error),
            },
        };
        // After a panic nobody knows what state the connection is in.
        if catch_unwind(AssertUnwindSafe(|| work(&tx.connection))).is_ok() {
            self.tx = Some(tx);
        }
    }

    fn close(mut self) {
        let Some(tx) = self.tx.take() else {
            return;
        };
        if let Err((_, error)) = tx.into_connection().close() {
            tracing::warn!(%error, file = %self.file.display(), "closing the memory");
        }
    }
}

fn answer(group: Vec<Box<dyn Request>>, outcomes: Vec<Result<()>>) {
    for (request, outcome) in group.into_iter().zip(outcomes) {
        request.answer(outcome);
    }
}

/// The outer result is the fate of the whole transaction, the inner one that of this request.
fn run_in_savepoint(tx: &Tx, request: &mut dyn Request, file: &Path) -> Result<Result<()>> {
    let connection = &tx.connection;
    let before = tx.progress();
    run(connection, "SAVEPOINT request")?;
    let outcome = catch_unwind(AssertUnwindSafe(|| request.run(tx)))
        .unwrap_or_else(|panic| Err(StoreError::Panicked(panic_message(panic.as_ref()))));
    let outcome = outcome.and_then(|()| {
        fail::fail_point!("store::savepoint", |_| Err(StoreError::injected()));
        run(connection, "RELEASE request")
    });
    let Err(error) = outcome else {
        return Ok(Ok(()));
    };
    // A full disk makes SQLite roll the whole transaction back by itself.
    if connection.is_autocommit() {
        return Err(error);
    }
    connection.execute_batch("ROLLBACK TO request; RELEASE request")?;
    tx.take_back(before);
    Ok(Err(error.in_file(file)))
}

/// Runs a statement that is needed for every request, prepared once.
fn run(connection: &Connection, sql: &str) -> Result<()> {
    connection.prepare_cached(sql)?.raw_execute()?;
    Ok(())
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned())
}
