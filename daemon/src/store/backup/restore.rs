//! Bringing memories back from a backup, all of them or none.

use std::io::Write;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rusqlite::{Connection, OpenFlags};
use soulmem_proto::SoulName;

use super::super::error::{Result, StoreError};
use super::super::files::{self, DATABASE, Lock};
use super::super::migrate::{SCHEMA, check_header};
use super::super::progress::{Watcher, tell};
use super::super::trash::{first_free, stamp};
use super::copy::look_into;
use super::encryption::{Identities, decrypt};
use super::manifest::{BackedUpSoul, Backup, sum};
use super::plan::{self, Plan};

/// What to do with a memory that stands where one is to be restored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Existing {
    /// Fail with [`StoreError::Conflict`], and restore nothing.
    Refuse,
    /// Move it into this folder.
    MoveTo(PathBuf),
}

/// A memory that was restored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    /// Whose.
    pub soul: SoulName,
    /// Notes in it.
    pub notes: u64,
    /// Links in it.
    pub links: u64,
    /// Messages in it.
    pub messages: u64,
    /// Whether another memory stood in its place.
    pub replaced: bool,
}

/// A file in a memory's folder that is not the memory's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Beside {
    /// Its name.
    pub file: &'static str,
    /// What it holds.
    pub bytes: Vec<u8>,
}

/// What to restore from a backup, and where.
pub struct RestoreOptions<'r> {
    /// Folder of the characters, one folder each.
    pub souls: &'r Path,
    /// Only these; all that are in the backup if none are named.
    pub only: &'r [SoulName],
    /// What to do with memories that stand in their places.
    pub existing: Existing,
    /// Keys for encrypted copies.
    pub identities: Option<&'r Identities>,
    /// What is to lie beside each of their databases.
    pub beside: &'r [(SoulName, Beside)],
    /// When this happens.
    pub at: Timestamp,
}

/// Restores memories, which must not be open, from a backup.
///
/// Everything is checked before anything is touched: sums, structure, seals, versions, names. Then they are put in
/// place together; if that is interrupted, [`finish_restores`] completes it.
pub fn restore(
    backup: &Backup,
    options: &RestoreOptions<'_>,
    watcher: Watcher<'_>,
) -> Result<Vec<Restored>> {
    let chosen = choose(backup, options.only)?;
    let replaced = check_places(&chosen, options)?;
    files::make_folder(options.souls)?;
    let taken = |name: &str| {
        let aside = |soul: &SoulName| match &options.existing {
            Existing::MoveTo(folder) => folder.join(format!("{soul}-{name}")).exists(),
            Existing::Refuse => false,
        };
        plan::staging(options.souls, name).exists() || replaced.iter().any(aside)
    };
    let stamp = stamp(first_free(options.at, taken));
    let staging = plan::staging(options.souls, &stamp);
    files::make_folder(&staging)?;
    let made_ready = chosen.iter().try_for_each(|entry| {
        tell(watcher, &format!("checking {}", entry.soul), 0, 0);
        make_ready(backup, entry, &staging, options)
    });
    if let Err(error) = made_ready {
        files::remove_folder(&staging)?;
        return Err(error);
    }
    let aside = match &options.existing {
        Existing::MoveTo(folder) => Some(folder.clone()),
        Existing::Refuse => None,
    };
    let souls = chosen.iter().map(|entry| entry.soul.clone()).collect();
    plan::decide(
        &staging,
        &Plan {
            souls,
            aside,
            stamp,
        },
    )?;
    plan::carry_out(options.souls, &staging)?;
    let restored = chosen.iter().map(|entry| Restored {
        soul: entry.soul.clone(),
        notes: entry.notes,
        links: entry.links,
        messages: entry.messages,
        replaced: replaced.contains(&entry.soul),
    });
    Ok(restored.collect())
}

/// Completes restores that were decided and interrupted, and removes what is left of those that were not.
/// To be called before the characters in the folder are opened. Returns how many were completed.
pub fn finish_restores(souls: &Path) -> Result<usize> {
    let mut completed = 0;
    for (staging, decided) in plan::begun(souls)? {
        if decided {
            plan::carry_out(souls, &staging)?;
            completed += 1;
        } else {
            files::remove_folder(&staging)?;
        }
    }
    Ok(completed)
}

fn choose<'b>(backup: &'b Backup, only: &[SoulName]) -> Result<Vec<&'b BackedUpSoul>> {
    let souls = &backup.manifest.souls;
    if only.is_empty() {
        return Ok(souls.iter().collect());
    }
    let find = |name: &SoulName| {
        let found = souls.iter().find(|entry| entry.soul == *name);
        found.ok_or_else(|| {
            StoreError::NotFound(format!(
                "{name} is not in the backup {}",
                backup.folder.display()
            ))
        })
    };
    only.iter().map(find).collect()
}

/// Which of them have a memory in their place; fails if that is not allowed or it is open.
fn check_places(chosen: &[&BackedUpSoul], options: &RestoreOptions<'_>) -> Result<Vec<SoulName>> {
    let mut replaced = Vec::new();
    for entry in chosen {
        let place = options.souls.join(entry.soul.as_str());
        if !place.exists() {
            continue;
        }
        if options.existing == Existing::Refuse {
            let there = place.display();
            return Err(StoreError::Conflict(format!(
                "{there} exists already; nothing was restored"
            )));
        }
        Lock::take(&place)?;
        replaced.push(entry.soul.clone());
    }
    Ok(replaced)
}

/// Copies one memory into the staging folder and checks it there.
fn make_ready(
    backup: &Backup,
    entry: &BackedUpSoul,
    staging: &Path,
    options: &RestoreOptions<'_>,
) -> Result<()> {
    let file = backup.folder.join(&entry.file);
    let corrupt = |reason: String| StoreError::Corrupt {
        file: file.clone(),
        reason,
    };
    let (bytes, sha256) = sum(&file)?;
    if (bytes, &sha256) != (entry.bytes, &entry.sha256) {
        return Err(corrupt(
            "its size or SHA-256 is not what the manifest says".to_owned(),
        ));
    }
    let folder = staging.join(entry.soul.as_str());
    files::make_folder(&folder)?;
    let database = folder.join(DATABASE);
    match (entry.encrypted, options.identities) {
        (false, _) => files::copy(&file, &database)?,
        (true, Some(identities)) => decrypt(&file, &database, identities)?,
        (true, None) => {
            let reason = format!("{} is encrypted: a key is needed", file.display());
            return Err(StoreError::Invalid {
                field: "identities".to_owned(),
                reason,
            });
        }
    }
    check_copy(&database, entry).map_err(|error| error.in_file(&file))?;
    let besides = options.beside.iter();
    for (_, beside) in besides.filter(|(soul, _)| *soul == entry.soul) {
        put_beside(&folder, beside)?;
    }
    files::sync_folder(&folder)
}

fn put_beside(folder: &Path, beside: &Beside) -> Result<()> {
    let path = folder.join(beside.file);
    let mut file = files::make_file(&path)?;
    file.write_all(&beside.bytes)
        .map_err(|error| StoreError::io("writing", &path, error))?;
    files::sync_file(&path)
}

fn check_copy(database: &Path, entry: &BackedUpSoul) -> Result<()> {
    let connection = Connection::open_with_flags(database, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    check_header(
        database,
        super::super::connection::header(&connection)?,
        SCHEMA,
    )?;
    let copied = look_into(connection)?;
    let said = (
        &entry.soul,
        entry.database,
        entry.last_seq,
        entry.notes,
        entry.links,
        entry.messages,
    );
    let found = (
        &copied.profile.soul,
        copied.profile.database,
        copied.last_seq,
        copied.notes,
        copied.links,
        copied.messages,
    );
    if said != found {
        return Err(StoreError::corrupt(
            "what is in it is not what the manifest says",
        ));
    }
    Ok(())
}
