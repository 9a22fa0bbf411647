//! Characters that were dropped: their folders wait in the trash until it is emptied.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, civil};
use soulmem_proto::SoulName;

use super::error::{Result, StoreError};
use super::files::{self, Lock};

/// How long a dropped character stays in the trash.
pub const TRASH_KEPT: SignedDuration = SignedDuration::from_hours(30 * 24);

/// When something was thrown away, in the name of its folder.
const STAMP: &str = "%Y%m%dT%H%M%SZ";

/// A dropped character.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Discarded {
    /// Who.
    pub soul: SoulName,
    /// Its folder in the trash.
    pub folder: PathBuf,
    /// When it was dropped.
    pub at: Timestamp,
}

/// Moves a character's folder into the trash. Its memory must not be open.
pub fn discard(souls: &Path, soul: &SoulName, trash: &Path, at: Timestamp) -> Result<Discarded> {
    let place = souls.join(soul.as_str());
    if !place.exists() {
        return Err(StoreError::NotFound(format!(
            "there is no character in {}",
            place.display()
        )));
    }
    let _lock = Lock::take(&place)?;
    files::make_folder(trash)?;
    let at = first_free(at, |name| trash.join(format!("{soul}-{name}")).exists());
    let folder = trash.join(format!("{soul}-{}", stamp(at)));
    files::rename(&place, &folder)?;
    files::sync_folder(souls)?;
    Ok(Discarded {
        soul: soul.clone(),
        folder,
        at,
    })
}

/// Takes a character out of the trash again.
pub fn put_back(discarded: &Discarded, souls: &Path) -> Result<()> {
    let place = souls.join(discarded.soul.as_str());
    if place.exists() {
        return Err(StoreError::Conflict(format!(
            "{} exists already",
            place.display()
        )));
    }
    files::rename(&discarded.folder, &place)
}

/// The characters in the trash, oldest first. What is there and none of them is left out.
pub fn discarded(trash: &Path) -> Result<Vec<Discarded>> {
    let said = |error| StoreError::io("listing", trash, error);
    let entries = match fs::read_dir(trash) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(said(error)),
    };
    let mut found = Vec::new();
    for entry in entries {
        found.extend(from_folder(entry.map_err(said)?.path()));
    }
    found.sort_by(|a, b| (a.at, &a.soul).cmp(&(b.at, &b.soul)));
    Ok(found)
}

/// Removes for good what was dropped longer ago than `kept`. Returns what was removed.
pub fn empty_trash(trash: &Path, kept: SignedDuration, now: Timestamp) -> Result<Vec<Discarded>> {
    let mut gone = discarded(trash)?;
    gone.retain(|discarded| now.duration_since(discarded.at) >= kept);
    for discarded in &gone {
        files::remove_folder(&discarded.folder)?;
    }
    if !gone.is_empty() {
        files::sync_folder(trash)?;
    }
    Ok(gone)
}

/// A time as it stands in the name of a folder.
pub(super) fn stamp(at: Timestamp) -> String {
    at.strftime(STAMP).to_string()
}

/// The time that a name stands for.
pub(super) fn from_stamp(stamp: &str) -> Option<Timestamp> {
    let at = civil::DateTime::strptime(STAMP, stamp).ok()?;
    TimeZone::UTC.to_timestamp(at).ok()
}

/// The first time from `at` on, in whole seconds, of which the stamp is not taken yet.
pub(super) fn first_free(at: Timestamp, taken: impl Fn(&str) -> bool) -> Timestamp {
    let mut at = Timestamp::from_second(at.as_second()).unwrap_or(at);
    while taken(&stamp(at)) {
        at = at
            .saturating_add(SignedDuration::from_secs(1))
            .unwrap_or(Timestamp::MAX);
    }
    at
}

fn from_folder(folder: PathBuf) -> Option<Discarded> {
    // A soul's name may have dashes, the stamp has none.
    let (soul, stamp) = folder.file_name()?.to_str()?.rsplit_once('-')?;
    let at = from_stamp(stamp)?;
    let soul = SoulName::try_from(soul.to_owned()).ok()?;
    Some(Discarded { soul, folder, at })
}
