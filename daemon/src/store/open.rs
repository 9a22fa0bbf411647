//! Making a memory, and opening one that is there.

use std::path::Path;
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

use super::condition::{Condition, Watch};
use super::connection::{Header, Purpose, connect, header};
use super::error::{Result, StoreError};
use super::files::{self, Identity, Layout, Lock, Mark};
use super::migrate::{MIGRATIONS, SCHEMA, check_header, migrate};
use super::options::StoreOptions;
use super::pool::Pool;
use super::profile::NewSoul;
use super::tx::{Seq, Tx};
use super::writer::Writer;
use super::{Inner, Store};

impl Store {
    /// Makes the memory of a new character in its folder, and opens it.
    ///
    /// Fails with [`StoreError::Conflict`] if there is a memory already. A crash in the middle
    /// leaves no memory; the next attempt starts over.
    pub fn create(folder: &Path, about: NewSoul, options: &StoreOptions) -> Result<Self> {
        let layout = Layout::of(folder);
        files::make_folder(folder)?;
        let lock = Lock::take(folder)?;
        let database = layout.database();
        if database.exists() {
            return Err(StoreError::Conflict(format!(
                "{} exists already",
                database.display()
            )));
        }
        make_database(&layout, about, options)?;
        open_locked(layout, lock, options)
    }

    /// Opens the memory in a character's folder.
    ///
    /// A damaged database opens read-only, as [`Store::condition`] then says. Fails with
    /// [`StoreError::NotFound`] if there is none, [`StoreError::InUse`] if another process has it,
    /// and [`StoreError::Newer`], touching nothing, if a later program wrote it.
    pub fn open(folder: &Path, options: &StoreOptions) -> Result<Self> {
        let layout = Layout::of(folder);
        if !layout.database().exists() {
            return Err(StoreError::NotFound(format!(
                "there is no memory in {}",
                folder.display()
            )));
        }
        let lock = Lock::take(folder)?;
        open_locked(layout, lock, options)
    }
}

/// Makes a complete database beside the place where it belongs, then renames it into that place.
fn make_database(layout: &Layout, about: NewSoul, options: &StoreOptions) -> Result<()> {
    let file = layout.unfinished();
    for leftover in files::companions(&file).iter().chain([&file]) {
        files::remove(leftover)?;
    }
    files::make_file(&file)?;
    let tx = Tx::over(connect(&file, Purpose::Create, options.vfs.as_deref())?);
    let profile = about.profile(options.clock.now(), options.ids.next_uuid());
    migrate(&tx.connection, MIGRATIONS)
        .and_then(|()| {
            let set = tx.transaction(profile.created_at, |tx| tx.set_profile(&profile));
            set.map(|_| ())
        })
        .map_err(|error| error.in_file(&file))?;
    // Closing the only connection moves the log into the database and removes it.
    tx.into_connection()
        .close()
        .map_err(|(_, error)| StoreError::from(error).in_file(&file))?;
    files::remove(&layout.mark())?;
    files::rename(&file, &layout.database())
}

fn open_locked(layout: Layout, lock: Lock, options: &StoreOptions) -> Result<Store> {
    let file = layout.database();
    files::restrict(&layout.folder, 0o700)?;
    files::restrict_file(&file)?;
    let identity = Identity::of(&file)?;
    let (condition, tx, last) = match prepare(&layout, options) {
        Ok((tx, last)) => (Condition::Ready, Some(tx), last),
        Err(
            refused @ (StoreError::Newer { .. }
            | StoreError::Foreign { .. }
            | StoreError::Locked { .. }),
        ) => {
            return Err(refused);
        }
        Err(error) => {
            let error = error.in_file(&file);
            tracing::error!(%error, "the memory opens read-only");
            (Condition::ReadOnly(error), None, 0)
        }
    };
    let watch = Arc::new(Watch::new(condition));
    let mark = match &tx {
        Some(tx) => {
            housekeep(tx, options, &watch, &file);
            Mark::open(&layout.mark(), last)
        }
        None => Mark::none(),
    };
    let (sender, queue) = mpsc::channel();
    let writer = Writer {
        file: file.clone(),
        vfs: options.vfs.clone(),
        clock: Arc::clone(&options.clock),
        watch: Arc::clone(&watch),
        queue,
        tx,
        identity,
        mark,
    };
    let thread = thread::Builder::new()
        .name("soulmem-writer".to_owned())
        .spawn(move || writer.run())
        .map_err(|error| StoreError::io("starting the writer of", &file, error))?;
    let readers = options.readers.get() as usize;
    let pool = Pool::new(file, options.vfs.clone(), readers);
    let queue = Mutex::new(Some(sender));
    let inner = Inner {
        layout,
        pool,
        watch,
        queue,
        writer: Mutex::new(Some(thread)),
        lock: Mutex::new(Some(lock)),
    };
    Ok(Store {
        inner: Arc::new(inner),
    })
}

/// Brings an existing database to where it can be written, and says how far its journal goes.
fn prepare(layout: &Layout, options: &StoreOptions) -> Result<(Tx, Seq)> {
    let file = layout.database();
    check_header(&file, look(&file, options)?, SCHEMA)?;
    let tx = Tx::over(connect(&file, Purpose::Write, options.vfs.as_deref())?);
    migrate(&tx.connection, MIGRATIONS)?;
    tx.check_tally()?;
    tx.profile()?;
    let last = tx.last_seq()?;
    if let Some(marked) = Mark::read(&layout.mark())
        && marked > last
    {
        let missing = format!(
            "the changes {} to {marked} were acknowledged and are missing: the log was damaged or removed",
            last + 1
        );
        return Err(StoreError::corrupt(missing));
    }
    Ok((tx, last))
}

/// What is done at every opening. That it cannot be done, for want of room say, keeps nobody from reading.
fn housekeep(tx: &Tx, options: &StoreOptions, watch: &Watch, file: &Path) {
    let done = tx.transaction(options.clock.now(), |tx| {
        tx.set_window_capacity(options.window_capacity)?;
        tx.expire_idempotency()
    });
    if let Err(error) = done {
        watch.failed(&error.in_file(file));
    }
}

/// Reads the header without leaving a trace in the files.
fn look(file: &Path, options: &StoreOptions) -> Result<Header> {
    let connection = connect(file, Purpose::Look, options.vfs.as_deref())?;
    header(&connection)
}
