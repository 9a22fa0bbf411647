//! Copies of memories that are whole, checked, and can be brought back.
//!
//! ```text
//! <folder>/20260601T080000Z/
//!     manifest.json          what is in it, with sizes and SHA-256
//!     <soul>.db              a database without a log (or <soul>.db.age, encrypted)
//! ```
//!
//! A backup is made in a folder of another name and renamed when it is complete: one that can be seen is whole.

mod copy;
mod encryption;
mod manifest;
mod plan;
mod restore;
mod rotation;

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use soulmem_proto::SoulName;
use uuid::Uuid;

use super::Store;
use super::connection::Purpose;
use super::error::{Result, StoreError};
use super::files::{self, Layout};
use super::progress::{Step, Watcher, tell};
use super::trash::{first_free, stamp};

pub use encryption::{Identities, Recipients};
pub use manifest::{BackedUpSoul, Backup, Manifest, list, read};
pub use restore::{Beside, Existing, RestoreOptions, Restored, finish_restores, restore};
pub use rotation::{Keep, is_due, newest, of_others, remove_unfinished, rotate};

pub(super) use copy::{Source, copy_database, copy_pages, look_into};

/// Marks a backup that is being made.
const UNFINISHED: &str = ".unfinished-";

/// How to make a backup.
#[derive(Debug, Clone)]
pub struct BackupOptions {
    /// Folder in which backups are kept, one folder each.
    pub folder: PathBuf,
    /// To whom the copies are encrypted; to nobody where there are none.
    pub recipients: Recipients,
    /// When it is made: its name.
    pub at: Timestamp,
    /// Whose characters they are: the data directory that they are in.
    pub installation: Option<Uuid>,
}

/// A memory to be backed up.
#[derive(Debug, Clone)]
pub struct Origin {
    soul: SoulName,
    source: Source,
}

impl Origin {
    /// One that is open, and goes on being used.
    pub fn open(store: &Store) -> Result<Self> {
        Ok(Self {
            soul: store.read(super::View::profile)?.soul,
            source: store.source(),
        })
    }

    /// One that is closed, in its character's folder. It may be opened meanwhile, but not moved away.
    pub fn closed(soul: SoulName, folder: &Path) -> Self {
        let source = Source {
            file: Layout::of(folder).database(),
            purpose: Purpose::Look,
            vfs: None,
        };
        Self { soul, source }
    }
}

/// Makes a backup of memories that are open, while they are in use.
pub fn back_up(stores: &[Store], options: &BackupOptions, watcher: Watcher<'_>) -> Result<Backup> {
    let origins = stores
        .iter()
        .map(Origin::open)
        .collect::<Result<Vec<_>>>()?;
    back_up_from(&origins, options, &mut |_, step| watcher(step))
}

/// The first time from `at` on, in whole seconds, of which no backup in a folder has the name.
pub fn free_time(folder: &Path, at: Timestamp) -> Timestamp {
    first_free(at, |name| folder.join(name).exists())
}

/// Makes a backup of memories, open and closed.
///
/// Every copy is checked before the backup counts as made. Fails, leaving nothing that could be taken
/// for a backup, if any of them cannot be copied. The watcher is told whose copy a step belongs to.
pub fn back_up_from(
    origins: &[Origin],
    options: &BackupOptions,
    watcher: &mut dyn FnMut(&SoulName, Step),
) -> Result<Backup> {
    let name = stamp(options.at);
    let place = options.folder.join(&name);
    if place.exists() {
        return Err(StoreError::Conflict(format!(
            "there is a backup in {} already",
            place.display()
        )));
    }
    files::make_folder(&options.folder)?;
    // Another daemon may begin one in the same second.
    let whose = options.installation.unwrap_or_default();
    let unfinished = options
        .folder
        .join(format!("{UNFINISHED}{name}-{}", whose.simple()));
    files::remove_folder(&unfinished)?;
    files::make_folder(&unfinished)?;
    let made = fill(origins, &unfinished, options, watcher).and_then(|manifest| {
        files::rename(&unfinished, &place)?;
        Ok(Backup {
            folder: place,
            manifest,
        })
    });
    if made.is_err() {
        // What the failure left behind; if it cannot go now, the next backup of that name removes it.
        drop(files::remove_folder(&unfinished));
    }
    made
}

fn fill(
    origins: &[Origin],
    folder: &Path,
    options: &BackupOptions,
    watcher: &mut dyn FnMut(&SoulName, Step),
) -> Result<Manifest> {
    let mut souls = Vec::with_capacity(origins.len());
    for origin in origins {
        let mut watch = |step| watcher(&origin.soul, step);
        souls.push(add(origin, folder, &options.recipients, &mut watch)?);
    }
    let manifest = Manifest::new(options.at, options.installation, souls);
    manifest.write(folder)?;
    files::sync_folder(folder)?;
    Ok(manifest)
}

fn add(
    origin: &Origin,
    folder: &Path,
    recipients: &Recipients,
    watcher: Watcher<'_>,
) -> Result<BackedUpSoul> {
    let soul = &origin.soul;
    let plain = folder.join(format!("{soul}.db"));
    let copied = copy_database(&origin.source, &plain, &format!("copying {soul}"), watcher)?;
    if copied.profile.soul != *soul {
        let reason = format!("it is the memory of {}, not of {soul}", copied.profile.soul);
        return Err(StoreError::Corrupt {
            file: origin.source.file.clone(),
            reason,
        });
    }
    let file = if recipients.is_empty() {
        plain
    } else {
        let encrypted = folder.join(format!("{soul}.db.age"));
        tell(watcher, &format!("encrypting {soul}"), 0, 0);
        encryption::encrypt(&plain, &encrypted, recipients)?;
        files::remove(&plain)?;
        encrypted
    };
    tell(watcher, &format!("summing {soul}"), 0, 0);
    BackedUpSoul::of(&file, copied, !recipients.is_empty())
}
