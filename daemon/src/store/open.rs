//! Making a memory, and opening one that is there.

use std::path::Path;
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

use super::condition::{Condition, Watch};
use super::connection::{Header, Purpose, connect, header};
use super::error::{Result, StoreError};
use super::files::{self, Identity, Layout, Lock, Mark};
use super::migrate::{MIGRATIONS, Migration, SCHEMA, check_header, latest, migrate};
use super::options::StoreOptions;
use super::pool::Pool;
use super::profile::NewSoul;
use super::snapshot::take_snapshot;
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
        if files::exists(&database)? {
            return Err(StoreError::Conflict(format!(
                "{} exists already",
                database.display()
            )));
        }
        make_database(&layout, about, options)?;
        open_locked(layout, Some(lock), options, MIGRATIONS)
    }

    /// Opens the memory in a character's folder.
    ///
    /// A damaged database opens read-only, as [`Store::condition`] then says. Fails with
    /// [`StoreError::NotFound`] if there is none, [`StoreError::InUse`] if another process has it,
    /// and [`StoreError::Newer`], touching nothing, if a later program wrote it.
    pub fn open(folder: &Path, options: &StoreOptions) -> Result<Self> {
        open_with(folder, options, MIGRATIONS)
    }
}

/// Opens a memory as a program that knows these steps does.
pub(super) fn open_with(
    folder: &Path,
    options: &StoreOptions,
    steps: &[Migration],
) -> Result<Store> {
    let layout = Layout::of(folder);
    if !files::exists(&layout.database())? {
        return Err(StoreError::NotFound(format!(
            "there is no memory in {}",
            folder.display()
        )));
    }
    match Lock::take(folder) {
        Ok(lock) => open_locked(layout, Some(lock), options, steps),
        Err(error) if error.forbids_writing() => {
            tracing::error!(%error, "the memory opens read-only");
            open_frozen(layout, None, error, options)
        }
        Err(error) => Err(error),
    }
}

/// Opens a memory in a folder that cannot be written, or where there is no room to.
fn open_frozen(
    layout: Layout,
    lock: Option<Lock>,
    error: StoreError,
    options: &StoreOptions,
) -> Result<Store> {
    let file = layout.database();
    let [log, ..] = files::companions(&file);
    // With a log beside it, or a journal, the database alone is not the whole truth.
    let has_log = log.metadata().is_ok_and(|found| found.len() > 0);
    let purpose = if has_log || files::journal(&file).exists() {
        Purpose::Read
    } else {
        Purpose::Frozen
    };
    check_header(
        &file,
        header(&connect(&file, purpose, options.vfs.as_deref())?)?,
        SCHEMA,
    )?;
    let writing = Writing {
        condition: Condition::ReadOnly(error),
        tx: None,
        mark: Mark::none(),
    };
    start(layout, lock, options, purpose, writing)
}

/// How a memory is going to be written, if it is.
struct Writing {
    condition: Condition,
    tx: Option<Tx>,
    mark: Mark,
}

/// Makes a complete database beside the place where it belongs, then renames it into that place.
fn make_database(layout: &Layout, about: NewSoul, options: &StoreOptions) -> Result<()> {
    let file = layout.unfinished();
    files::remove_database(&file)?;
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

fn open_locked(
    layout: Layout,
    lock: Option<Lock>,
    options: &StoreOptions,
    steps: &[Migration],
) -> Result<Store> {
    let file = layout.database();
    files::restrict(&layout.folder, files::FOLDER_MODE)?;
    files::restrict(&file, files::FILE_MODE)?;
    let writing = match prepare(&layout, options, steps) {
        Ok((tx, last)) => {
            let condition = housekeep(&tx, options, &file);
            Writing {
                condition,
                tx: Some(tx),
                mark: Mark::open(&layout.mark(), last),
            }
        }
        Err(
            refused @ (StoreError::Newer { .. }
            | StoreError::Foreign { .. }
            | StoreError::Locked { .. }),
        ) => return Err(refused),
        Err(error) => {
            let error = error.in_file(&file);
            tracing::error!(%error, "the memory opens read-only");
            // The log and its shared index, which every other way of reading needs, may not be to be had either.
            if error.is_of_the_disk() {
                return open_frozen(layout, lock, error, options);
            }
            Writing {
                condition: Condition::ReadOnly(error),
                tx: None,
                mark: Mark::none(),
            }
        }
    };
    start(layout, lock, options, Purpose::Read, writing)
}

/// Starts the writer and makes the pool of readers.
fn start(
    layout: Layout,
    lock: Option<Lock>,
    options: &StoreOptions,
    reading: Purpose,
    writing: Writing,
) -> Result<Store> {
    let file = layout.database();
    let watch = Arc::new(Watch::new(writing.condition));
    let (sender, queue) = mpsc::channel();
    let pool = Pool::new(file.clone(), reading, options.vfs.clone(), options.readers);
    let pool = Arc::new(pool);
    let writer = Writer {
        layout: layout.clone(),
        pool: Arc::clone(&pool),
        file: file.clone(),
        vfs: options.vfs.clone(),
        clock: Arc::clone(&options.clock),
        watch: Arc::clone(&watch),
        queue,
        tx: writing.tx,
        identity: Identity::of(&file)?,
        mark: writing.mark,
    };
    let thread = thread::Builder::new()
        .name("soulmem-writer".to_owned())
        .spawn(move || writer.run())
        .map_err(|error| StoreError::io("starting the writer of", &file, error))?;
    let inner = Inner {
        layout,
        pool,
        watch,
        queue: Mutex::new(Some(sender)),
        writer: Mutex::new(Some(thread)),
        lock: Mutex::new(lock),
    };
    Ok(Store {
        inner: Arc::new(inner),
    })
}

/// Brings an existing database to where it can be written, and says how far its journal goes.
fn prepare(layout: &Layout, options: &StoreOptions, steps: &[Migration]) -> Result<(Tx, Seq)> {
    let file = layout.database();
    let found = look(&file, options)?;
    check_header(&file, found, latest(steps))?;
    if found.schema < latest(steps) {
        take_snapshot(layout, options.vfs.as_deref(), &mut |_| ())?;
    }
    let tx = Tx::over(connect(&file, Purpose::Write, options.vfs.as_deref())?);
    migrate(&tx.connection, steps)?;
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
fn housekeep(tx: &Tx, options: &StoreOptions, file: &Path) -> Condition {
    let done = tx.transaction(options.clock.now(), |tx| {
        tx.set_window_capacity(options.window_capacity)?;
        tx.expire_idempotency()
    });
    match done {
        Ok(_) => Condition::Ready,
        Err(error) => Condition::Failing(error.in_file(file)),
    }
}

/// Reads the header without leaving a trace in the files.
fn look(file: &Path, options: &StoreOptions) -> Result<Header> {
    let connection = connect(file, Purpose::Look, options.vfs.as_deref())?;
    header(&connection)
}
