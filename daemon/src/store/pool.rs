//! Connections that read, beside the writer and without holding it up.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::connection::{Purpose, connect};
use super::error::{Result, StoreError};
use super::tx::View;

/// A few connections, opened when first needed.
pub(super) struct Pool {
    file: PathBuf,
    purpose: Purpose,
    vfs: Option<String>,
    largest: u32,
    state: Mutex<State>,
    returned: Condvar,
}

#[derive(Default)]
struct State {
    idle: Vec<View>,
    /// Connections that exist, idle or in use.
    open: u32,
    /// Counts the calls of [`Pool::drain`]: a connection from before one is not kept.
    generation: u64,
    /// No more connections are given out.
    closed: bool,
    /// Nobody gets a connection for the time being.
    paused: bool,
}

impl Pool {
    /// No connection yet, and never more than `largest`.
    pub fn new(file: PathBuf, purpose: Purpose, vfs: Option<String>, largest: NonZeroU32) -> Self {
        Self {
            file,
            purpose,
            vfs,
            largest: largest.get(),
            state: Mutex::default(),
            returned: Condvar::new(),
        }
    }

    /// How its connections are opened.
    pub fn access(&self) -> (Purpose, Option<String>) {
        (self.purpose, self.vfs.clone())
    }

    /// Reads what was true at one moment.
    pub fn read<T>(&self, work: impl FnOnce(&View) -> Result<T>) -> Result<T> {
        let (view, generation) = self.take().map_err(|error| error.in_file(&self.file))?;
        let guard = Guard {
            pool: self,
            view: Some(view),
            generation,
        };
        guard.read(work).map_err(|error| error.in_file(&self.file))
    }

    /// Closes idle connections, so that none of them keeps an old state of the file alive.
    pub fn drain(&self) {
        let mut state = self.lock();
        state.open -= state.idle.len() as u32;
        state.idle.clear();
        state.generation += 1;
    }

    /// Closes idle connections and gives out no more.
    pub fn close(&self) {
        self.lock().closed = true;
        self.drain();
        self.returned.notify_all();
    }

    /// Runs `work` while nobody has a connection: waits for those that are in use, and closes all.
    pub fn exclusively<T>(&self, work: impl FnOnce() -> T) -> T {
        let mut state = self.lock();
        state.paused = true;
        state.open -= state.idle.len() as u32;
        state.idle.clear();
        state.generation += 1;
        while state.open > 0 {
            state = self.wait(state);
        }
        drop(state);
        let result = work();
        self.lock().paused = false;
        self.returned.notify_all();
        result
    }

    fn wait<'s>(&self, state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        self.returned
            .wait(state)
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self) -> Result<(View, u64)> {
        let mut state = self.lock();
        loop {
            if state.closed {
                return Err(StoreError::Closed);
            }
            if state.paused {
                state = self.wait(state);
                continue;
            }
            let generation = state.generation;
            if let Some(view) = state.idle.pop() {
                return Ok((view, generation));
            }
            if state.open < self.largest {
                state.open += 1;
                drop(state);
                let opened = connect(&self.file, self.purpose, self.vfs.as_deref());
                return opened
                    .map(|connection| (View { connection }, generation))
                    .inspect_err(|_| self.give_up());
            }
            state = self.wait(state);
        }
    }

    fn give_up(&self) {
        self.lock().open -= 1;
        self.returned.notify_all();
    }
}

/// Gives a connection back, however the reading ends.
struct Guard<'p> {
    pool: &'p Pool,
    view: Option<View>,
    generation: u64,
}

impl Guard<'_> {
    fn read<T>(&self, work: impl FnOnce(&View) -> Result<T>) -> Result<T> {
        let view = self.view.as_ref().ok_or(StoreError::Closed)?;
        view.connection.execute_batch("BEGIN")?;
        let result = work(view);
        // Nothing was written, so the end of the transaction cannot lose anything.
        drop(view.connection.execute_batch("COMMIT"));
        result
    }
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        let mut state = self.pool.lock();
        match self.view.take() {
            // A panic in the middle may have left the transaction open.
            Some(view)
                if view.connection.is_autocommit() && self.generation == state.generation =>
            {
                state.idle.push(view);
            }
            _ => state.open -= 1,
        }
        drop(state);
        self.pool.returned.notify_all();
    }
}
