//! Connections to the database of one character, and the settings that each of them has.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fs::OpenOptions;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, MAIN_DB, OpenFlags};

use super::error::{Result, StoreError};
use super::files::journal;

/// `SOUL` in ASCII: marks a database as a memory.
pub(super) const APPLICATION_ID: i32 = 0x534F_554C;

/// How long a connection waits for another program's lock before it gives up.
const LOCK_PATIENCE: Duration = Duration::from_secs(30);

/// Pages (of 4 KiB) that the log may hold before a commit moves them into the database.
const LOG_PAGES: u32 = 2_000;

/// Largest size, in bytes, that the file of an emptied log keeps.
const LOG_FILE_BYTES: u32 = 64 * 1024 * 1024;

/// Statements that a connection keeps prepared.
const PREPARED: usize = 128;

/// What a connection is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Makes the database and its schema.
    Create,
    /// Writes to an existing database.
    Write,
    /// Reads only.
    Read,
    /// Reads only, and leaves no trace in the files of the database.
    Look,
    /// Reads a database that nobody can write, in a folder where no file can be made.
    Frozen,
}

/// Opens a connection with the settings that every connection has.
pub(super) fn connect(file: &Path, purpose: Purpose, vfs: Option<&str>) -> Result<Connection> {
    let access = match purpose {
        Purpose::Create => OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
        Purpose::Write => OpenFlags::SQLITE_OPEN_READ_WRITE,
        Purpose::Read | Purpose::Look => OpenFlags::SQLITE_OPEN_READ_ONLY,
        Purpose::Frozen => OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI,
    };
    let name = match purpose {
        Purpose::Frozen => Cow::Owned(frozen_uri(file)),
        _ => Cow::Borrowed(file),
    };
    if matches!(purpose, Purpose::Read | Purpose::Look) {
        undo_cut_off(file, vfs).map_err(|error| error.in_file(file))?;
    }
    let connection = open(&name, access, vfs).map_err(|error| error.in_file(file))?;
    if purpose == Purpose::Write && connection.is_readonly(MAIN_DB)? {
        // What it may only read SQLite opens all the same, without a word.
        let denied = OpenOptions::new().write(true).open(file).err();
        let denied = denied.unwrap_or_else(|| io::ErrorKind::PermissionDenied.into());
        return Err(StoreError::io("writing to", file, denied));
    }
    prepare(&connection, purpose).map_err(|error| error.in_file(file))?;
    Ok(connection)
}

fn open(name: &Path, access: OpenFlags, vfs: Option<&str>) -> Result<Connection> {
    // The connection is used by one thread at a time; SQLite need not lock it too.
    let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Ok(match vfs {
        Some(vfs) => Connection::open_with_flags_and_vfs(name, flags, vfs),
        None => Connection::open_with_flags(name, flags),
    }?)
}

/// Undoes a change that was cut off before the database had its log: a file that was written anew, or came out of a copy,
/// gets one by a change of its own. Whoever only reads could not undo it, nor read what is there before somebody has.
fn undo_cut_off(file: &Path, vfs: Option<&str>) -> Result<()> {
    if !journal(file).exists() {
        return Ok(());
    }
    let connection = open(file, OpenFlags::SQLITE_OPEN_READ_WRITE, vfs)?;
    connection.busy_timeout(LOCK_PATIENCE)?;
    header(&connection).map(|_| ())
}

/// Does something on a connection that gives up at once where others have a lock.
pub(super) fn without_patience<T>(
    connection: &Connection,
    work: impl FnOnce() -> Result<T>,
) -> Result<T> {
    connection.busy_timeout(Duration::ZERO)?;
    let done = work();
    connection.busy_timeout(LOCK_PATIENCE)?;
    done
}

/// The name under which SQLite opens a file without looking for its log.
fn frozen_uri(file: &Path) -> PathBuf {
    let mut uri = OsString::from("file:");
    for byte in file.as_os_str().as_bytes() {
        match byte {
            b'%' | b'?' | b'#' => uri.push(format!("%{byte:02X}")),
            plain => uri.push(OsStr::from_bytes(&[*plain])),
        }
    }
    uri.push("?immutable=1");
    PathBuf::from(uri)
}

fn prepare(connection: &Connection, purpose: Purpose) -> Result<()> {
    connection.busy_timeout(LOCK_PATIENCE)?;
    connection.set_prepared_statement_cache_capacity(PREPARED);
    if purpose == Purpose::Look {
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        return Ok(());
    }
    // Sorting must not leave text in files outside of the soul's folder.
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    if matches!(purpose, Purpose::Read | Purpose::Frozen) {
        return Ok(());
    }
    connection.pragma_update(None, "foreign_keys", true)?;
    // What is deleted or replaced is overwritten with zeros.
    connection.pragma_update_and_check(None, "secure_delete", true, |_| Ok(()))?;
    let mode: String =
        connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
    if mode != "wal" {
        return Err(StoreError::ReadOnly {
            reason: format!("the log cannot be used, only journal mode {mode}"),
        });
    }
    connection.pragma_update(None, "synchronous", "FULL")?;
    // On macOS an ordinary fsync stops at the drive's cache.
    connection.pragma_update(None, "fullfsync", true)?;
    connection.pragma_update(None, "checkpoint_fullfsync", true)?;
    connection.pragma_update_and_check(None, "wal_autocheckpoint", LOG_PAGES, |_| Ok(()))?;
    connection.pragma_update_and_check(None, "journal_size_limit", LOG_FILE_BYTES, |_| Ok(()))?;
    Ok(())
}

/// What a database says of itself in its header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    /// Which program it belongs to.
    pub application_id: i32,
    /// Version of its schema.
    pub schema: u32,
}

/// Reads the header through a connection, so that what is still in the log counts.
pub(super) fn header(connection: &Connection) -> Result<Header> {
    let application_id = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let schema = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    Ok(Header {
        application_id,
        schema,
    })
}
