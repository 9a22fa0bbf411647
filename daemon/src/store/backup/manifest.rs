//! What is in a backup.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use soulmem_proto::SoulName;
use uuid::Uuid;

use super::super::error::{Result, StoreError};
use super::super::files;
use super::super::tx::Seq;
use super::UNFINISHED;
use super::copy::Copied;

/// The manifest's name in a backup's folder.
const MANIFEST: &str = "manifest.json";

/// The layout of manifests that this program writes.
const FORMAT: u32 = 1;

/// A backup on the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backup {
    /// Its folder.
    pub folder: PathBuf,
    /// What is in it.
    pub manifest: Manifest,
}

/// What is in a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The layout of this manifest.
    pub format: u32,
    /// Version of the program that made the backup.
    pub program: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// Whose it is: the data directory that its characters were in. Several may keep backups in one folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub installation: Option<Uuid>,
    /// The characters in it.
    pub souls: Vec<BackedUpSoul>,
}

/// One character in a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackedUpSoul {
    /// Its name.
    pub soul: SoulName,
    /// The file in the backup's folder.
    pub file: String,
    /// Size of the file, in bytes.
    pub bytes: u64,
    /// SHA-256 of the file, in hexadecimal.
    pub sha256: String,
    /// Whether the file is encrypted.
    pub encrypted: bool,
    /// Version of the database's schema.
    pub schema: u32,
    /// The id of the database and its copies.
    pub database: Uuid,
    /// The last change in it.
    pub last_seq: Seq,
    /// Notes in it, deleted ones that were not erased among them.
    pub notes: u64,
    /// Links in it.
    pub links: u64,
    /// Messages in it.
    pub messages: u64,
}

impl BackedUpSoul {
    pub(super) fn of(file: &Path, copied: Copied, encrypted: bool) -> Result<Self> {
        let (bytes, sha256) = sum(file)?;
        let name = file
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        Ok(Self {
            soul: copied.profile.soul,
            file: name,
            bytes,
            sha256,
            encrypted,
            schema: copied.header.schema,
            database: copied.profile.database,
            last_seq: copied.last_seq,
            notes: copied.notes,
            links: copied.links,
            messages: copied.messages,
        })
    }
}

impl Manifest {
    pub(super) fn new(
        created_at: Timestamp,
        installation: Option<Uuid>,
        souls: Vec<BackedUpSoul>,
    ) -> Self {
        Self {
            format: FORMAT,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            created_at,
            installation,
            souls,
        }
    }

    /// Whether it is that installation's. One that does not say whose it is may be anybody's.
    pub fn is_of(&self, installation: Option<Uuid>) -> bool {
        self.installation.is_none() || self.installation == installation
    }

    pub(super) fn write(&self, folder: &Path) -> Result<()> {
        let path = folder.join(MANIFEST);
        let text = serde_json::to_vec_pretty(self)
            .map_err(|error| StoreError::io("writing", &path, io::Error::other(error)))?;
        let mut file = files::make_file(&path)?;
        file.write_all(&text)
            .map_err(|error| StoreError::io("writing", &path, error))?;
        files::sync_file(&path)
    }

    fn check(&self, path: &Path) -> Result<()> {
        let corrupt = |reason| {
            Err(StoreError::Corrupt {
                file: path.to_owned(),
                reason,
            })
        };
        if self.format != FORMAT {
            return corrupt(format!(
                "it has format {}, this program reads {FORMAT}",
                self.format
            ));
        }
        for entry in &self.souls {
            let expected = [
                format!("{}.db", entry.soul),
                format!("{}.db.age", entry.soul),
            ];
            if entry.file != expected[usize::from(entry.encrypted)] {
                return corrupt(format!(
                    "the file of {} cannot be called {:?}",
                    entry.soul, entry.file
                ));
            }
        }
        Ok(())
    }
}

/// Reads what is in a backup.
pub fn read(folder: &Path) -> Result<Backup> {
    let path = folder.join(MANIFEST);
    let text = fs::read(&path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            StoreError::NotFound(format!("there is no backup in {}", folder.display()))
        }
        _ => StoreError::io("reading", &path, error),
    })?;
    let manifest: Manifest =
        serde_json::from_slice(&text).map_err(|error| StoreError::Corrupt {
            file: path.clone(),
            reason: error.to_string(),
        })?;
    manifest.check(&path)?;
    Ok(Backup {
        folder: folder.to_owned(),
        manifest,
    })
}

/// The backups in a folder, oldest first. A folder of which the manifest cannot be read is no backup.
pub fn list(folder: &Path) -> Result<Vec<Backup>> {
    let said = |error| StoreError::io("listing", folder, error);
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(said(error)),
    };
    let mut backups = Vec::new();
    for entry in entries {
        let path = entry.map_err(said)?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if name.starts_with(UNFINISHED) || !path.join(MANIFEST).exists() {
            continue;
        }
        match read(&path) {
            Ok(backup) => backups.push(backup),
            Err(error) => tracing::warn!(%error, "a backup that cannot be read"),
        }
    }
    backups.sort_by(|a, b| {
        (a.manifest.created_at, &a.folder).cmp(&(b.manifest.created_at, &b.folder))
    });
    Ok(backups)
}

/// Size and SHA-256 of a file.
pub(super) fn sum(path: &Path) -> Result<(u64, String)> {
    let said = |error| StoreError::io("reading", path, error);
    let mut file = File::open(path).map_err(said)?;
    let mut digest = Sha256::new();
    let mut bytes = 0;
    let mut buffer = vec![0; 1 << 16];
    loop {
        let read = file.read(&mut buffer).map_err(said)?;
        if read == 0 {
            break;
        }
        digest.update(&buffer[..read]);
        bytes += read as u64;
    }
    let sum = digest.finalize();
    let hex = sum.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    Ok((
        bytes,
        hex.filter_map(|digit| char::from_digit(u32::from(digit), 16))
            .collect(),
    ))
}
