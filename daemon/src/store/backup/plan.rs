//! Putting restored memories in their places, all of them, whatever interrupts it.
//!
//! Everything is made ready in a folder beside the characters'. Once a plan lies in it, the restore is decided:
//! from then on it is carried through, after a crash by the next start.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use soulmem_proto::SoulName;

use super::super::error::{Result, StoreError};
use super::super::files::{self, Lock};

/// Marks a folder in which a restore is made ready; no character is called so.
const STAGING: &str = ".restore-";
const PLAN: &str = "plan.json";

/// What is to be put in place.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Plan {
    /// The characters, each a folder beside the plan.
    pub souls: Vec<SoulName>,
    /// Where the memories go that stand in their places; none may, if there is nowhere.
    pub aside: Option<PathBuf>,
    /// The name that each of those gets there, after its character's and a dash.
    pub stamp: String,
}

/// The folder in which a restore with this stamp is made ready.
pub(super) fn staging(souls: &Path, stamp: &str) -> PathBuf {
    souls.join(format!("{STAGING}{stamp}"))
}

/// Decides the restore that was made ready in `staging`.
pub(super) fn decide(staging: &Path, plan: &Plan) -> Result<()> {
    files::sync_folder(staging)?;
    let draft = staging.join("plan.json.new");
    let text = serde_json::to_vec(plan)
        .map_err(|error| StoreError::io("writing", &draft, io::Error::other(error)))?;
    let mut file = files::make_file(&draft)?;
    file.write_all(&text)
        .map_err(|error| StoreError::io("writing", &draft, error))?;
    files::sync_file(&draft)?;
    files::rename(&draft, &staging.join(PLAN))
}

/// Carries a decided restore through; may be called again after it was interrupted.
pub(super) fn carry_out(souls: &Path, staging: &Path) -> Result<()> {
    let path = staging.join(PLAN);
    let text = fs::read(&path).map_err(|error| StoreError::io("reading", &path, error))?;
    let plan: Plan = serde_json::from_slice(&text).map_err(|error| StoreError::Corrupt {
        file: path.clone(),
        reason: error.to_string(),
    })?;
    if let Some(aside) = &plan.aside {
        files::make_folder(aside)?;
    }
    for soul in &plan.souls {
        let ready = staging.join(soul.as_str());
        // What is no longer here is in its place already.
        if !ready.exists() {
            continue;
        }
        let place = souls.join(soul.as_str());
        if place.exists() {
            let Some(aside) = &plan.aside else {
                return Err(StoreError::Conflict(format!(
                    "{} has come to exist meanwhile",
                    place.display()
                )));
            };
            let _lock = Lock::take(&place)?;
            files::rename(&place, &aside.join(format!("{soul}-{}", plan.stamp)))?;
        }
        files::rename(&ready, &place)?;
    }
    files::remove_folder(staging)?;
    files::sync_folder(souls)
}

/// The restores in a folder of characters that were begun, decided or not.
pub(super) fn begun(souls: &Path) -> Result<Vec<(PathBuf, bool)>> {
    let said = |error| StoreError::io("listing", souls, error);
    let entries = match fs::read_dir(souls) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(said(error)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.map_err(said)?;
        if entry.file_name().to_string_lossy().starts_with(STAGING) {
            let path = entry.path();
            let decided = path.join(PLAN).exists();
            found.push((path, decided));
        }
    }
    found.sort();
    Ok(found)
}
