//! Backups on a schedule: whether one is due, and which old ones may go.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use super::super::error::{Result, StoreError};
use super::super::files;
use super::super::trash::from_stamp;
use super::UNFINISHED;
use super::manifest::{Backup, list};

/// How long the making of a backup may take at most.
const UNDER_WAY: SignedDuration = SignedDuration::from_hours(24);

/// Which backups to keep. One that any of the rules keeps is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keep {
    /// The newest ones.
    pub newest: usize,
    /// The last one of each of the newest days (in UTC) that have any.
    pub days: usize,
    /// The last one of each of the newest weeks (ISO, in UTC) that have any.
    pub weeks: usize,
}

impl Default for Keep {
    fn default() -> Self {
        Self {
            newest: 3,
            days: 7,
            weeks: 8,
        }
    }
}

/// The newest backup of an installation in a folder, by the time of its making.
pub fn newest(folder: &Path, installation: Option<Uuid>) -> Result<Option<Backup>> {
    Ok(own(folder, installation)?.pop())
}

/// How many backups in a folder are those of other installations.
pub fn of_others(folder: &Path, installation: Option<Uuid>) -> Result<usize> {
    let all = list(folder)?.into_iter();
    Ok(all
        .filter(|backup| !backup.manifest.is_of(installation))
        .count())
}

fn own(folder: &Path, installation: Option<Uuid>) -> Result<Vec<Backup>> {
    let mut backups = list(folder)?;
    backups.retain(|backup| backup.manifest.is_of(installation));
    Ok(backups)
}

/// Whether the last backup is older than it should be, or there is none. One from the future counts as none.
pub fn is_due(newest: Option<&Backup>, every: SignedDuration, now: Timestamp) -> bool {
    newest.is_none_or(|backup| {
        let age = now.duration_since(backup.manifest.created_at);
        age >= every || age.is_negative()
    })
}

/// Removes the backups of an installation in a folder that no rule keeps; returns them. The newest is always kept.
pub fn rotate(folder: &Path, installation: Option<Uuid>, keep: Keep) -> Result<Vec<Backup>> {
    let mut backups = own(folder, installation)?;
    backups.reverse();
    let kept = kept(&backups, keep);
    let mut removed = Vec::new();
    for (i, backup) in backups.into_iter().enumerate() {
        if !kept.contains(&i) {
            files::remove_folder(&backup.folder)?;
            removed.push(backup);
        }
    }
    files::sync_folder(folder)?;
    Ok(removed)
}

/// Removes what is left of backups that were interrupted more than a day before `now`. Younger ones may be under way.
pub fn remove_unfinished(folder: &Path, now: Timestamp) -> Result<()> {
    let said = |error| StoreError::io("listing", folder, error);
    for entry in fs::read_dir(folder).map_err(said)? {
        let entry = entry.map_err(said)?;
        let name = entry.file_name();
        let begun = name
            .to_str()
            .and_then(|name| name.strip_prefix(UNFINISHED)?.split('-').next())
            .and_then(from_stamp);
        if begun.is_some_and(|begun| now.duration_since(begun) > UNDER_WAY) {
            files::remove_folder(&entry.path())?;
        }
    }
    Ok(())
}

/// Which of the backups, newest first, are kept.
fn kept(backups: &[Backup], keep: Keep) -> BTreeSet<usize> {
    let day = |backup: &Backup| TimeZone::UTC.to_datetime(backup.manifest.created_at).date();
    let week = |backup: &Backup| {
        let week = day(backup).iso_week_date();
        (week.year(), week.week())
    };
    let mut kept: BTreeSet<usize> = (0..keep.newest.max(1)).collect();
    let days: Vec<Date> = backups.iter().map(day).collect();
    kept.extend(firsts(&days, keep.days));
    let weeks: Vec<(i16, i8)> = backups.iter().map(week).collect();
    kept.extend(firsts(&weeks, keep.weeks));
    kept
}

/// The places of the first of each of the first `limit` runs of equal values.
fn firsts<T: PartialEq>(values: &[T], limit: usize) -> Vec<usize> {
    let starts = (0..values.len()).filter(|i| *i == 0 || values[*i] != values[*i - 1]);
    starts.take(limit).collect()
}
