//! The files of one character's folder: names, permissions, the lock, and what watches over them.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use super::error::{Result, StoreError};

/// The database.
pub(super) const DATABASE: &str = "memory.db";
/// The database while it is being made.
const UNFINISHED: &str = "memory.db.new";
/// Held open and locked by the process that has the memory open.
const LOCK: &str = "memory.lock";
/// The last acknowledged place in the sequence of writing.
const MARK: &str = "memory.mark";

/// What is derived from the rows, kept from one opening to the next.
const INDEX: &str = "memory.index";
/// The same while it is being written.
const UNFINISHED_INDEX: &str = "memory.index.new";

/// How the name of a database's rollback journal ends.
const JOURNAL: &str = "-journal";

/// The files of before a repair.
const DAMAGED: &str = "damaged";
/// Copies from before a change of the schema.
const SNAPSHOTS: &str = "snapshots";

/// Only the owner reads and writes.
pub(super) const FILE_MODE: u32 = 0o600;
/// Only the owner enters.
pub(super) const FOLDER_MODE: u32 = 0o700;

/// Where the files of one character are.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    pub folder: PathBuf,
}

impl Layout {
    pub fn of(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
        }
    }

    pub fn database(&self) -> PathBuf {
        self.folder.join(DATABASE)
    }

    pub fn unfinished(&self) -> PathBuf {
        self.folder.join(UNFINISHED)
    }

    /// Where old files are kept that a repair replaced.
    pub fn damaged(&self) -> PathBuf {
        self.folder.join(DAMAGED)
    }

    /// Where copies from before a change of the schema are kept.
    pub fn snapshots(&self) -> PathBuf {
        self.folder.join(SNAPSHOTS)
    }

    pub fn index(&self) -> PathBuf {
        self.folder.join(INDEX)
    }

    pub fn unfinished_index(&self) -> PathBuf {
        self.folder.join(UNFINISHED_INDEX)
    }

    pub fn mark(&self) -> PathBuf {
        self.folder.join(MARK)
    }
}

/// The files that SQLite keeps beside a database: first the log.
pub(super) fn companions(database: &Path) -> [PathBuf; 3] {
    ["-wal", "-shm", JOURNAL].map(|suffix| beside(database, suffix))
}

/// What SQLite keeps beside a database that has no log yet, for as long as it changes it.
pub(super) fn journal(database: &Path) -> PathBuf {
    beside(database, JOURNAL)
}

fn beside(database: &Path, suffix: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Whether a file is there. That nobody may look is no word of it.
pub(super) fn exists(file: &Path) -> Result<bool> {
    file.try_exists()
        .map_err(|error| StoreError::io("looking for", file, error))
}

/// Makes the folder, and those above it, if missing; no one else may enter it.
pub(super) fn make_folder(folder: &Path) -> Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(FOLDER_MODE)
        .create(folder)
        .map_err(|error| StoreError::io("making the folder", folder, error))?;
    restrict(folder, FOLDER_MODE)
}

/// Makes a file that does not exist yet; no one else may read it.
pub(super) fn make_file(file: &Path) -> Result<File> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create_new(true)
        .mode(FILE_MODE)
        .open(file)
        .map_err(|error| StoreError::io("making", file, error))
}

/// Takes permissions from everybody but the owner, where somebody else has any.
pub(super) fn restrict(path: &Path, mode: u32) -> Result<()> {
    let said = |error| StoreError::io("looking at", path, error);
    // The last six bits are what the group and everybody else may do.
    let now = fs::metadata(path).map_err(said)?.permissions().mode();
    if now.trailing_zeros() >= 6 {
        return Ok(());
    }
    fs::set_permissions(path, Permissions::from_mode(mode))
        .map_err(|error| StoreError::io("restricting the permissions of", path, error))
}

/// Removes a file, if it is there.
pub(super) fn remove(file: &Path) -> Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(StoreError::io("removing", file, error))
        }
        _ => Ok(()),
    }
}

/// Removes a database and what SQLite keeps beside it.
pub(super) fn remove_database(file: &Path) -> Result<()> {
    companions(file)
        .iter()
        .chain([&file.to_owned()])
        .try_for_each(|file| remove(file))
}

/// Removes a folder and everything in it, if it is there.
pub(super) fn remove_folder(folder: &Path) -> Result<()> {
    fail::fail_point!("store::remove_folder", |_| Err(StoreError::injected()));
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(StoreError::io("removing", folder, error))
        }
        _ => Ok(()),
    }
}

/// Copies a file to a new one that only the owner may read, and makes that last.
pub(super) fn copy(from: &Path, to: &Path) -> Result<()> {
    let mut source = File::open(from).map_err(|error| StoreError::io("reading", from, error))?;
    let mut target = make_file(to)?;
    io::copy(&mut source, &mut target).map_err(|error| StoreError::io("copying to", to, error))?;
    sync_file(to)
}

/// Makes the content of a file survive a power cut.
pub(super) fn sync_file(file: &Path) -> Result<()> {
    fail::fail_point!("store::sync_file", |_| Err(StoreError::injected()));
    let said = |error| StoreError::io("syncing", file, error);
    File::open(file).map_err(said)?.sync_all().map_err(said)
}

/// Makes a rename, a new file or a removal in the folder survive a power cut.
pub(super) fn sync_folder(folder: &Path) -> Result<()> {
    fail::fail_point!("store::sync_folder", |_| Err(StoreError::injected()));
    let said = |error| StoreError::io("syncing the folder", folder, error);
    File::open(folder).map_err(said)?.sync_all().map_err(said)
}

/// Renames a file or folder within one file system, and makes that last.
pub(super) fn rename(from: &Path, to: &Path) -> Result<()> {
    fail::fail_point!("store::rename", |_| Err(StoreError::injected()));
    fs::rename(from, to).map_err(|error| StoreError::io("renaming", from, error))?;
    to.parent().map_or(Ok(()), sync_folder)
}

/// Keeps other processes out of a character's folder for as long as it lives.
#[derive(Debug)]
pub(super) struct Lock {
    file: File,
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing is not enough: a process that is just being started may hold the file for a moment yet.
        if let Err(error) = self.file.unlock() {
            tracing::warn!(%error, "giving a memory's lock back");
        }
    }
}

impl Lock {
    /// Takes the lock, or says that somebody else has it.
    pub fn take(folder: &Path) -> Result<Self> {
        let path = folder.join(LOCK);
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(FILE_MODE)
            .open(&path)
            .map_err(|error| StoreError::io("opening", &path, error))?;
        match file.try_lock() {
            Ok(()) => Ok(Self { file }),
            Err(TryLockError::WouldBlock) => Err(StoreError::InUse {
                folder: folder.to_owned(),
            }),
            Err(TryLockError::Error(error)) => Err(StoreError::io("locking", &path, error)),
        }
    }
}

/// Which file on the disk the database is: SQLite would go on writing to a file that was removed or
/// replaced under it, and everything acknowledged since would be gone.
#[derive(Debug, Clone, Copy)]
pub(super) struct Identity {
    device: u64,
    inode: u64,
}

impl Identity {
    pub fn of(file: &Path) -> Result<Self> {
        let found =
            fs::metadata(file).map_err(|error| StoreError::io("looking for", file, error))?;
        Ok(Self {
            device: found.dev(),
            inode: found.ino(),
        })
    }

    /// Whether the file is still the same one.
    pub fn check(&self, file: &Path) -> Result<()> {
        let now = Self::of(file)?;
        if now.inode == self.inode && now.device == self.device {
            return Ok(());
        }
        let replaced = io::Error::other("it was replaced by another file while it was open");
        Err(StoreError::io("writing to", file, replaced))
    }
}

/// The last place in the sequence of writing that was acknowledged, kept apart from the database.
///
/// A damaged log looks to SQLite like one that ends early: it opens without what was lost, and
/// without a word. The mark tells. It is written after each commit and not synced: after a power
/// cut it may say less than what was acknowledged, never more.
#[derive(Debug)]
pub(super) struct Mark {
    file: Option<File>,
    last: i64,
}

impl Mark {
    /// No mark, for a memory that is not written to.
    pub fn none() -> Self {
        Self {
            file: None,
            last: 0,
        }
    }

    /// Opens the mark for writing. A memory works without it, if it must.
    pub fn open(path: &Path, last: i64) -> Self {
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(FILE_MODE)
            .open(path);
        let file = file
            .inspect_err(|error| tracing::warn!(%error, path = %path.display(), "no mark is kept"))
            .ok();
        let mut mark = Self {
            file,
            last: i64::MIN,
        };
        mark.advance(last);
        mark
    }

    /// Notes that everything up to `seq` was acknowledged.
    pub fn advance(&mut self, seq: i64) {
        if seq == self.last {
            return;
        }
        let number = seq.to_le_bytes();
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&number);
        bytes[8..].copy_from_slice(&xxh3_64(&number).to_le_bytes());
        if let Some(file) = &self.file
            && file.write_all_at(&bytes, 0).is_ok()
        {
            self.last = seq;
        }
    }

    /// What the mark says, if there is one that can be read.
    pub fn read(path: &Path) -> Option<i64> {
        let bytes = fs::read(path).ok()?;
        let (number, sum) = bytes.split_first_chunk::<8>()?;
        let sum = u64::from_le_bytes(*sum.first_chunk::<8>()?);
        (xxh3_64(number) == sum).then(|| i64::from_le_bytes(*number))
    }
}
