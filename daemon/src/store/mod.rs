//! Long-term memory on the disk: one SQLite database per character. The one place that knows SQL.
//!
//! - [`Store`] is one open memory. [`Store::read`] gives a [`View`] of one moment, on a connection of
//!   its own that never holds up the writer. [`Store::write`] runs a closure with a [`Tx`] on the writer
//!   thread; writes that wait share one commit, and the [`Pending`] answer comes once it is on the disk.
//! - [`Store::write_once`] does the same under an [`Idempotency`] key: key, effect and answer are one transaction.
//! - The operations are methods of [`View`] (reading) and [`Tx`] (writing, and reading what it wrote),
//!   one file each: messages and window, notes, links, vectors, words, recalls, jobs, profile.
//! - What is kept by a memory has a place in one sequence of writing ([`Seq`]), taken from its journal;
//!   order never depends on the wall clock.
//! - Every row carries a seal: damage on the disk is an error that names the row, never wrong data.
//!
//! ```text
//! <souls>/<soul>/        0700
//!     memory.db          the database (with -wal and -shm while open), 0600
//!     memory.mark        the last acknowledged place in the sequence of writing
//!     memory.lock        locked by the process that has it open
//!     memory.index       the indexes, derived from the rows; may be removed while it is closed
//!     snapshots/         copies from before a change of the schema
//! ```

pub mod backup;
mod changes;
mod column;
mod compact;
mod condition;
mod connection;
mod doctor;
mod erase;
mod error;
mod files;
mod idempotency;
mod index_file;
mod job;
mod link;
mod look;
mod message;
mod migrate;
mod note;
mod note_write;
mod open;
mod options;
mod origin;
mod pending;
mod pool;
mod profile;
mod progress;
mod recall;
mod recall_import;
mod seal;
mod snapshot;
mod stats;
mod supersede;
mod tables;
mod thaw;
mod trash;
mod tx;
mod vector;
mod vector_model;
mod vector_range;
mod window;
mod wording;
mod words;
mod writer;

use std::path::Path;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use rusqlite::Connection;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::oneshot;

use condition::Watch;
use connection::without_patience;
use files::{Layout, Lock};
use pool::Pool;
use writer::{Call, Command};

pub use changes::JournalEntry;
pub use condition::Condition;
pub use doctor::{CheckReport, Finding, RepairReport, Severity, examine, repair};
pub use erase::{Erase, Erased, ErasedSoul, erase_discarded_copies, erase_soul};
pub use error::{Result, StoreError};
pub use idempotency::{Answered, Idempotency, Outcome, REMEMBERED};
pub use job::{Job, JobState};
pub use link::StoredLink;
pub use message::{Message, MessageFilter, NewMessage, Page, Pushed};
pub use migrate::SCHEMA;
pub use note::{NoteFilter, StoredNote};
pub use note_write::{Change, Links, NoteWrite, NoteWritten, OnExisting};
pub use options::{SharedClock, SharedIds, StoreOptions};
pub use origin::Sent;
pub use pending::Pending;
pub use profile::{NewSoul, Profile};
pub use progress::{Step, Watcher};
pub use recall::{Recall, Recalled, Uses};
pub use snapshot::{LostChange, Snapshot, WentBack, go_back, snapshots};
pub use stats::Stats;
pub use supersede::held_at;
pub use trash::{Discarded, TRASH_KEPT, discard, discarded, empty_trash, put_back};
pub use tx::{Seq, Tx, View};
pub use vector::{MessageVector, NoteVector};
pub use vector_model::VectorModel;
pub use window::{Summary, WindowState};
pub use wording::{Reimagined, Wording};
pub use words::{MessageWords, NoteWords, OwnWord};

/// One character's memory, open. Clones share it; the last one closes it.
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

struct Inner {
    layout: Layout,
    pool: Arc<Pool>,
    watch: Arc<Watch>,
    /// Missing once the memory is closed.
    queue: Mutex<Option<Sender<Command>>>,
    writer: Mutex<Option<JoinHandle<()>>>,
    /// Missing once the memory is closed.
    lock: Mutex<Option<Lock>>,
}

impl Store {
    /// Reads what was true at one moment. Blocks for as long as the closure runs, which must not wait
    /// for a write of the same memory.
    pub fn read<T>(&self, work: impl FnOnce(&View) -> Result<T>) -> Result<T> {
        self.inner
            .pool
            .read(work)
            .inspect_err(|error| self.inner.watch.failed(error))
    }

    /// Writes: the closure runs on the writer thread, all of it is kept or nothing.
    ///
    /// It may run more than once (what an earlier run did was rolled back then), and must not wait
    /// for another write of the same memory.
    pub fn write<T: Send + 'static>(
        &self,
        work: impl FnMut(&Tx) -> Result<T> + Send + 'static,
    ) -> Pending<T> {
        let (reply, pending) = Pending::new();
        self.send(Command::Write(Box::new(Call::new(work, reply))));
        pending
    }

    /// Writes at most once per key: a repeat within 24 hours returns the first answer and writes nothing.
    ///
    /// The answer is kept with the key, as JSON: it may hold ids and counts, never text of the memory.
    pub fn write_once<T: Serialize + DeserializeOwned + Send + 'static>(
        &self,
        key: Option<Idempotency>,
        mut work: impl FnMut(&Tx) -> Result<T> + Send + 'static,
    ) -> Pending<Outcome<T>> {
        self.write(move |tx| match &key {
            Some(key) => tx.once(key, &mut work),
            None => Ok(Outcome {
                value: work(tx)?,
                duplicate: false,
            }),
        })
    }

    /// Moves the log into the database and empties it. Returns how many bytes of the log were moved.
    ///
    /// What somebody still reads stays in the log: whoever writes does not wait for it.
    pub fn checkpoint(&self) -> Pending<u64> {
        self.alone(|connection| {
            fail::fail_point!("store::checkpoint", |_| Err(StoreError::injected()));
            let page: i64 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
            // Emptying the log forgets how long it was, so that is asked for first.
            let pages: i64 =
                connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |row| row.get(2))?;
            without_patience(connection, || {
                Ok(connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?)
            })?;
            Ok(u64::try_from(pages.saturating_mul(page)).unwrap_or(0))
        })
    }

    /// What the memory can do at present.
    pub fn condition(&self) -> Condition {
        self.inner.watch.get()
    }

    /// The character's folder.
    pub fn folder(&self) -> &Path {
        &self.inner.layout.folder
    }

    /// Finishes what waits, moves the log into the database and closes it; later calls fail.
    pub fn close(&self) {
        self.inner.close();
    }

    /// The same, after everybody who reads has finished: no connection of this process has the files open then.
    pub fn close_entirely(&self) {
        self.inner.pool.exclusively(|| self.inner.close());
    }

    /// Runs something on the writer's connection, outside of any transaction.
    fn alone<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
    ) -> Pending<T> {
        let (reply, pending): (oneshot::Sender<Result<T>>, _) = Pending::new();
        let file = self.inner.layout.database();
        let watch = Arc::clone(&self.inner.watch);
        self.send(Command::Alone(Box::new(move |connection| {
            let result = match watch.refusal() {
                Some(refusal) => Err(refusal),
                None => work(connection).map_err(|error| error.in_file(&file)),
            };
            if let Err(error) = &result {
                watch.failed(error);
            }
            drop(reply.send(result));
        })));
        pending
    }

    /// A command that cannot be sent is dropped, and its answer says [`StoreError::Closed`].
    fn send(&self, command: Command) {
        if let Some(queue) = &*self
            .inner
            .queue
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
        {
            drop(queue.send(command));
        }
    }
}

impl Inner {
    fn close(&self) {
        self.pool.close();
        drop(
            self.queue
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take(),
        );
        let writer = self
            .writer
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(writer) = writer
            // A closure that holds the last clone is dropped by the writer itself.
            && writer.thread().id() != thread::current().id()
            && writer.join().is_err()
        {
            tracing::error!(folder = %self.layout.folder.display(), "the writer of the memory panicked");
        }
        drop(
            self.lock
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take(),
        );
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.close();
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Store")
            .field("folder", &self.inner.layout.folder)
            .finish_non_exhaustive()
    }
}
