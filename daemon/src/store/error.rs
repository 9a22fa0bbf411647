//! Every way in which the store can fail.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::ErrorCode as Sqlite;
use rusqlite::ffi;
use soulmem_proto::ErrorCode;

/// Why an operation of the store failed.
///
/// Cloneable, because requests that share a commit share its failure.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// The disk, a quota or the size limit of the database is used up. Nothing of the operation was kept.
    #[error("no room left on the disk that holds {}: free some and try again", .file.display())]
    Full {
        /// The database that could not grow.
        file: PathBuf,
    },
    /// What is on the disk is not what was written.
    #[error("{} is damaged: {reason}; `soulmem doctor` says more", .file.display())]
    Corrupt {
        /// The damaged file.
        file: PathBuf,
        /// What is wrong and where.
        reason: String,
    },
    /// The memory takes nothing in.
    #[error("the memory is read-only: {reason}")]
    ReadOnly {
        /// Why.
        reason: String,
    },
    /// The database was written by a later version of the program.
    #[error(
        "{} has schema {found}, this program knows {known}: install the program that wrote it, \
         or restore a snapshot of schema {known}",
        .file.display()
    )]
    Newer {
        /// The database.
        file: PathBuf,
        /// Its schema.
        found: u32,
        /// The latest schema that this program knows.
        known: u32,
    },
    /// The file is a database, but not a memory.
    #[error("{} is not a SoulMem memory (application id {application_id:#010x})", .file.display())]
    Foreign {
        /// The file.
        file: PathBuf,
        /// Whose it says it is.
        application_id: i32,
    },
    /// Another process has the memory open.
    #[error("{} is in use by another process", .folder.display())]
    InUse {
        /// The soul's folder.
        folder: PathBuf,
    },
    /// Another program holds a lock on the database for too long.
    #[error("{} is locked by another program; try again", .file.display())]
    Locked {
        /// The database.
        file: PathBuf,
    },
    /// The thing exists, or changed meanwhile.
    #[error("{0}")]
    Conflict(String),
    /// No such thing.
    #[error("{0}")]
    NotFound(String),
    /// A value that cannot be stored; `field` is its path.
    #[error("{field}: {reason}")]
    Invalid {
        /// Which field.
        field: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A file or folder could not be used.
    #[error("{doing} {}: {source}", .path.display())]
    Io {
        /// What was being done, such as `writing`.
        doing: &'static str,
        /// With which file.
        path: PathBuf,
        /// What the system said.
        source: Arc<io::Error>,
    },
    /// The store was closed while the operation waited.
    #[error("the memory was closed")]
    Closed,
    /// A bug: the database refused something that should never be asked of it.
    #[error("{doing}: {source}")]
    Internal {
        /// What was being done.
        doing: String,
        /// What the database said.
        source: Arc<rusqlite::Error>,
    },
    /// A bug: an operation panicked. Its effects were undone.
    #[error("an operation panicked: {0}")]
    Panicked(String),
}

/// What operations of the store return.
pub type Result<T, E = StoreError> = std::result::Result<T, E>;

impl StoreError {
    /// The word for it on the wire.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Full { .. } => ErrorCode::StorageFull,
            Self::Corrupt { .. } | Self::Newer { .. } | Self::Foreign { .. } => ErrorCode::Corrupt,
            Self::InUse { .. } | Self::Conflict(_) => ErrorCode::Conflict,
            Self::NotFound(_) => ErrorCode::NotFound,
            Self::Invalid { .. } => ErrorCode::InvalidArgument,
            Self::ReadOnly { .. } | Self::Locked { .. } | Self::Io { .. } | Self::Closed => {
                ErrorCode::Unavailable
            }
            Self::Internal { .. } | Self::Panicked(_) => ErrorCode::Internal,
        }
    }

    /// An error about a file or folder.
    pub(super) fn io(doing: &'static str, path: &Path, source: io::Error) -> Self {
        if matches!(
            source.kind(),
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
        ) {
            return Self::Full {
                file: path.to_owned(),
            };
        }
        Self::Io {
            doing,
            path: path.to_owned(),
            source: Arc::new(source),
        }
    }

    /// What a fail point answers when a test tells it to.
    #[cfg(feature = "failpoints")]
    pub(crate) fn injected() -> Self {
        Self::io(
            "injected fault in",
            Path::new(""),
            io::Error::other("told by a fail point"),
        )
    }

    /// Damage, before it is known in which file.
    pub(super) fn corrupt(reason: impl Into<String>) -> Self {
        Self::Corrupt {
            file: PathBuf::new(),
            reason: reason.into(),
        }
    }

    /// The same error, naming the file that it happened in unless it does already.
    #[must_use]
    pub(super) fn in_file(mut self, path: &Path) -> Self {
        if let Self::Full { file } | Self::Corrupt { file, .. } | Self::Locked { file } = &mut self
            && file.as_os_str().is_empty()
        {
            path.clone_into(file);
        }
        if let Self::Io { path: file, .. } = &mut self
            && file.as_os_str().is_empty()
        {
            path.clone_into(file);
        }
        self
    }

    /// What is wrong, without the name of the file, where everybody knows which one it is.
    pub(super) fn reason(&self) -> String {
        match self {
            Self::Corrupt { reason, .. } => reason.clone(),
            other => other.to_string(),
        }
    }

    /// Whether the system does not let us write where the memory is.
    pub(super) fn forbids_writing(&self) -> bool {
        use io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
        matches!(self, Self::Io { source, .. } if matches!(source.kind(), PermissionDenied | ReadOnlyFilesystem))
    }

    /// Whether it ends by itself once the disk has room or lets us write.
    pub(super) fn is_of_the_disk(&self) -> bool {
        matches!(self, Self::Full { .. }) || self.forbids_writing()
    }

    /// Whether one request of a group may have failed for the size or the fault of the others,
    /// so that it is worth a commit of its own.
    pub(super) fn may_pass_alone(&self) -> bool {
        matches!(
            self,
            Self::Full { .. } | Self::Internal { .. } | Self::Panicked(_)
        )
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::Error as E;
        match &error {
            E::SqliteFailure(failure, message) => {
                let said = message.clone().unwrap_or_else(|| failure.to_string());
                from_code(*failure, said, error)
            }
            // Every statement fits the schema, unless the schema on the disk is not what it was.
            E::SqlInputError { msg, .. } if msg.starts_with("no such ") => {
                Self::corrupt(msg.clone())
            }
            // A column that does not hold what the schema promises.
            E::FromSqlConversionFailure(..)
            | E::IntegralValueOutOfRange(..)
            | E::InvalidColumnType(..)
            | E::Utf8Error(..) => Self::corrupt(error.to_string()),
            _ => Self::internal(error),
        }
    }
}

impl StoreError {
    fn internal(source: rusqlite::Error) -> Self {
        Self::Internal {
            doing: "the database refused a statement".to_owned(),
            source: Arc::new(source),
        }
    }
}

fn from_code(failure: ffi::Error, said: String, error: rusqlite::Error) -> StoreError {
    let no_file = PathBuf::new();
    match failure.extended_code {
        // The shared index of the log could not grow: the disk is full, whatever it is called.
        ffi::SQLITE_IOERR_SHMSIZE | ffi::SQLITE_IOERR_SHMMAP => {
            return StoreError::Full { file: no_file };
        }
        ffi::SQLITE_READONLY_DIRECTORY => {
            return StoreError::Io {
                doing: "making files beside",
                path: no_file,
                source: Arc::new(io::ErrorKind::PermissionDenied.into()),
            };
        }
        ffi::SQLITE_IOERR_CORRUPTFS => return StoreError::corrupt(said),
        _ => {}
    }
    match failure.code {
        Sqlite::DiskFull => StoreError::Full { file: no_file },
        Sqlite::DatabaseCorrupt | Sqlite::NotADatabase => StoreError::corrupt(said),
        Sqlite::ReadOnly => StoreError::ReadOnly { reason: said },
        Sqlite::DatabaseBusy | Sqlite::DatabaseLocked | Sqlite::FileLockingProtocolFailed => {
            StoreError::Locked { file: no_file }
        }
        Sqlite::SystemIoFailure | Sqlite::CannotOpen | Sqlite::PermissionDenied => StoreError::Io {
            doing: "using",
            path: no_file,
            source: Arc::new(io::Error::other(said)),
        },
        _ => StoreError::internal(error),
    }
}
