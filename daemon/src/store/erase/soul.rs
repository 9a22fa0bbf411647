//! Erasing a whole character.

use std::path::{Path, PathBuf};

use soulmem_proto::SoulName;
use uuid::Uuid;

use super::super::backup::{self, Backup};
use super::super::connection::{Purpose, connect};
use super::super::error::{Result, StoreError};
use super::super::files::{self, Layout, Lock};
use super::super::trash::discarded;
use super::super::tx::View;

/// What is gone with a character.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErasedSoul {
    /// Folders that were removed: its own, and those in the trash.
    pub folders: Vec<PathBuf>,
    soul: SoulName,
    databases: Vec<Uuid>,
}

/// Removes everything of a character, out of the trash too. Its memory must not be open.
pub fn erase_soul(souls: &Path, soul: &SoulName, trash: &Path) -> Result<ErasedSoul> {
    let place = souls.join(soul.as_str());
    let mut folders = Vec::new();
    let lock = if place.exists() {
        folders.push(place.clone());
        Some(Lock::take(&place)?)
    } else {
        None
    };
    folders.extend(
        discarded(trash)?
            .into_iter()
            .filter(|gone| gone.soul == *soul)
            .map(|gone| gone.folder),
    );
    if folders.is_empty() {
        return Err(StoreError::NotFound(format!(
            "there is no character {soul}"
        )));
    }
    let databases = folders
        .iter()
        .filter_map(|folder| database(folder))
        .collect();
    for folder in &folders {
        files::remove_folder(folder)?;
    }
    drop(lock);
    for parent in [souls, trash] {
        if parent.exists() {
            files::sync_folder(parent)?;
        }
    }
    Ok(ErasedSoul {
        folders,
        soul: soul.clone(),
        databases,
    })
}

/// Removes what the trash holds of a memory that something was erased from: earlier states of its database, and those
/// of the character's of which it cannot be told any more whether they are. Returns the folders.
pub fn erase_discarded_copies(
    trash: &Path,
    soul: &SoulName,
    database: Uuid,
) -> Result<Vec<PathBuf>> {
    let mut removed = Vec::new();
    for gone in discarded(trash)?
        .into_iter()
        .filter(|gone| gone.soul == *soul)
    {
        if self::database(&gone.folder).is_none_or(|found| found == database) {
            files::remove_folder(&gone.folder)?;
            removed.push(gone.folder);
        }
    }
    if !removed.is_empty() {
        files::sync_folder(trash)?;
    }
    Ok(removed)
}

impl ErasedSoul {
    /// The backups in a folder that still hold the character, or (where its database could not be read any more)
    /// one of its name.
    pub fn still_in(&self, backups: &Path) -> Result<Vec<Backup>> {
        let mut found = backup::list(backups)?;
        found.retain(|backup| {
            let souls = &backup.manifest.souls;
            souls
                .iter()
                .any(|entry| self.databases.contains(&entry.database) || entry.soul == self.soul)
        });
        Ok(found)
    }
}

/// The id of the database in a folder, if it can be read.
fn database(folder: &Path) -> Option<Uuid> {
    let connection = connect(&Layout::of(folder).database(), Purpose::Look, None).ok()?;
    View { connection }
        .profile()
        .ok()
        .map(|profile| profile.database)
}
