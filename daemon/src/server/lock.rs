//! One data directory has one daemon: an exclusive lock on a file in it says which.

use std::fs::{self, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use thiserror::Error;
use tokio::time::{Instant, sleep};

const LOCK_FILE: &str = "daemon.lock";
/// How often a held lock is tried again.
const RETRY: Duration = Duration::from_millis(50);

/// Why the data directory cannot be had.
#[derive(Debug, Error)]
pub enum LockError {
    /// Another daemon holds it.
    #[error(
        "{} is in use by another daemon{}; stop that one, or give this one another --data-dir",
        dir.display(),
        holder.map(|pid| format!(" (process {pid})")).unwrap_or_default()
    )]
    Held {
        /// The data directory.
        dir: PathBuf,
        /// The process that wrote itself into the lock file.
        holder: Option<u32>,
    },
    /// Others may write into it.
    #[error(
        "{} can be written by everybody, and is not a folder that this user may close to them: give another --data-dir",
        dir.display()
    )]
    Open {
        /// The data directory.
        dir: PathBuf,
    },
    /// The directory or the file in it cannot be made or opened.
    #[error("{}: {source}", path.display())]
    Io {
        /// What could not be made or opened.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// Holds the data directory while it lives. The lock goes with the process, however it ends.
#[derive(Debug)]
pub struct DataDirLock {
    file: File,
    path: PathBuf,
}

impl DataDirLock {
    /// Makes the directory (0700) where there is none and locks it, waiting up to `patience` for another
    /// daemon to leave. Dropping the future gives up.
    pub async fn acquire(dir: &Path, patience: Duration) -> Result<Self, LockError> {
        let path = dir.join(LOCK_FILE);
        let mut file = open(dir, &path)?;
        let last_try = Instant::now() + patience;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if Instant::now() < last_try => sleep(RETRY).await,
                Err(TryLockError::WouldBlock) => {
                    return Err(LockError::Held {
                        dir: dir.to_owned(),
                        holder: holder(&path),
                    });
                }
                Err(TryLockError::Error(source)) => return Err(LockError::Io { path, source }),
            }
        }
        // On a disk that is full or read-only it is held all the same, and nobody is told by whom.
        if let Err(error) = sign(&mut file) {
            tracing::warn!(%error, path = %path.display(), "the lock does not say who holds it");
        }
        Ok(Self { file, path })
    }

    /// Whether the locked file is still the one in the data directory: a directory that was removed or replaced could be
    /// taken by another daemon.
    pub fn still_holds(&self) -> bool {
        let identity = |found: fs::Metadata| (found.dev(), found.ino());
        match (self.file.metadata(), fs::metadata(&self.path)) {
            (Ok(held), Ok(there)) => identity(held) == identity(there),
            // That it cannot be looked at for a moment says nothing.
            (_, Err(error)) => error.kind() != io::ErrorKind::NotFound,
            (Err(_), Ok(_)) => true,
        }
    }
}

fn open(dir: &Path, path: &Path) -> Result<File, LockError> {
    let at = |path: &Path| {
        let path = path.to_owned();
        move |source| LockError::Io { path, source }
    };
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(dir)
        .map_err(at(dir))?;
    close_to_others(dir)?;
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(path)
        .or_else(|error| match error.kind() {
            // What lies on a read-only disk can be read, and a lock needs no more than that.
            io::ErrorKind::ReadOnlyFilesystem => File::open(path).map_err(|_| error),
            _ => Err(error),
        })
        .map_err(at(path))
}

/// Takes the right to write into the directory from everybody else, where it is this user's own.
fn close_to_others(dir: &Path) -> Result<(), LockError> {
    const WRITE: u32 = 0o022;
    const STICKY: u32 = 0o1000;
    let at = |source| LockError::Io {
        path: dir.to_owned(),
        source,
    };
    let found = fs::metadata(dir).map_err(at)?;
    let mode = found.permissions().mode();
    if mode & WRITE == 0 {
        return Ok(());
    }
    // A folder that many share, such as /tmp, must stay theirs.
    if mode & STICKY != 0 || found.uid() != rustix::process::geteuid().as_raw() {
        return Err(LockError::Open {
            dir: dir.to_owned(),
        });
    }
    fs::set_permissions(dir, Permissions::from_mode(0o700)).map_err(at)?;
    tracing::warn!(
        dir = %dir.display(),
        "the data directory could be written by others: it is the owner's alone now (mode 0700)"
    );
    Ok(())
}

/// Leaves this process's id in the file, for the message of whoever is refused.
fn sign(file: &mut File) -> io::Result<()> {
    file.set_len(0)?;
    writeln!(file, "{}", std::process::id())
}

fn holder(path: &Path) -> Option<u32> {
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_second_lock_names_the_holder_and_the_first_frees_it() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join("data");
        let first = DataDirLock::acquire(&dir, Duration::ZERO).await.unwrap();
        let refused = DataDirLock::acquire(&dir, Duration::ZERO)
            .await
            .unwrap_err();
        assert!(
            matches!(refused, LockError::Held { holder: Some(pid), .. } if pid == std::process::id()),
            "{refused}"
        );
        drop(first);
        DataDirLock::acquire(&dir, Duration::ZERO).await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_lock_that_is_freed_meanwhile_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        let first = DataDirLock::acquire(folder.path(), Duration::ZERO)
            .await
            .unwrap();
        let (second, ()) = tokio::join!(
            DataDirLock::acquire(folder.path(), Duration::from_secs(10)),
            async {
                sleep(Duration::from_secs(5)).await;
                drop(first);
            }
        );
        second.unwrap();
    }

    #[tokio::test]
    async fn a_directory_that_others_may_write_is_closed_to_them_or_refused() {
        let folder = tempfile::tempdir().unwrap();
        let mode = |mode| fs::set_permissions(folder.path(), Permissions::from_mode(mode)).unwrap();
        mode(0o777);
        let held = DataDirLock::acquire(folder.path(), Duration::ZERO).await;
        let found = fs::metadata(folder.path()).unwrap().permissions().mode();
        assert_eq!(found & 0o7777, 0o700);
        drop(held.unwrap());
        mode(0o1777);
        let refused = DataDirLock::acquire(folder.path(), Duration::ZERO).await;
        assert!(
            matches!(refused, Err(LockError::Open { .. })),
            "{refused:?}"
        );
        mode(0o755);
        DataDirLock::acquire(folder.path(), Duration::ZERO)
            .await
            .unwrap();
    }

    #[tokio::test]
    async fn a_directory_that_was_replaced_is_held_no_longer() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join("data");
        let held = DataDirLock::acquire(&dir, Duration::ZERO).await.unwrap();
        assert!(held.still_holds());
        fs::remove_dir_all(&dir).unwrap();
        assert!(!held.still_holds());
        let _other = DataDirLock::acquire(&dir, Duration::ZERO).await.unwrap();
        assert!(!held.still_holds());
    }

    #[tokio::test]
    async fn a_directory_that_cannot_be_made_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        let refused = DataDirLock::acquire(&file.join("data"), Duration::ZERO)
            .await
            .unwrap_err();
        assert!(refused.to_string().contains("file/data"), "{refused}");
    }
}
