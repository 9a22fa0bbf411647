//! Whether a copy of a character is the one that is written to.
//!
//! It is a property of the copy, not of the memory: it stands in a file beside the database, so that neither a backup nor
//! an export carries it to another machine. Without the file the copy is the owner.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use soulmem_proto::ops::soul_owner::{Claim, OwnerState, Ownership};
use soulmem_proto::{Op, SoulName};
use tokio::sync::{OwnedRwLockReadGuard, RwLock};

use super::error::{Result, SoulError};
use super::limits::{MAX_LABEL_BYTES, within_bytes};

/// Its name in a character's folder.
pub(super) const FILE: &str = "ownership.json";

/// More machines than that do not have one character.
const MAX_CLAIMS: usize = 64;

/// The copies of this daemon that are not simply owners.
pub struct Ownerships {
    folder: PathBuf,
    exceptions: Mutex<BTreeMap<SoulName, Ownership>>,
    /// Of the characters that are written to at this moment, or about to be.
    pens: Mutex<BTreeMap<SoulName, Arc<RwLock<()>>>>,
}

/// The leave to write to a copy. While anybody holds it the copy does not become another: it is given back once the
/// write was handed to the store.
pub type Leave = OwnedRwLockReadGuard<()>;

impl Ownerships {
    /// Reads what is set of these characters, whose folders are in that one.
    pub fn find<'n>(folder: &Path, names: impl Iterator<Item = &'n SoulName>) -> Result<Self> {
        let mut exceptions = BTreeMap::new();
        for name in names {
            let file = folder.join(name.as_str()).join(FILE);
            let found = read(&file).map_err(|error| unusable(&file, &error))?;
            if let Some(ownership) = found {
                exceptions.insert(name.clone(), ownership);
            }
        }
        Ok(Self {
            folder: folder.to_owned(),
            exceptions: Mutex::new(exceptions),
            pens: Mutex::default(),
        })
    }

    /// What the copy is.
    pub fn of(&self, name: &SoulName) -> Ownership {
        self.exceptions().get(name).cloned().unwrap_or_default()
    }

    /// What the copy is, where it is anything but the owner.
    pub fn exception(&self, name: &SoulName) -> Option<Ownership> {
        self.exceptions().get(name).cloned()
    }

    /// Whether it is the one that is written to.
    pub fn is_owner(&self, name: &SoulName) -> bool {
        self.of(name).state == OwnerState::Owner
    }

    /// The leave to write, or why there is none. Whoever makes the copy another waits for those that have it, so that
    /// nothing is written to it, and acknowledged, after it was.
    pub async fn leave(&self, name: &SoulName, op: Op) -> Result<Leave> {
        let leave = self.pen(name).read_owned().await;
        self.must_own(name, op)?;
        Ok(leave)
    }

    /// Refuses what changes the memory of a copy that is not the owner. What takes a copy away, or texts out of it, is
    /// no such change; an arriving one takes what is imported.
    pub fn must_own(&self, name: &SoulName, op: Op) -> Result<()> {
        let Some(ownership) = self.exception(name) else {
            return Ok(());
        };
        if ownership.state == OwnerState::Owner {
            return Ok(());
        }
        match op {
            Op::SoulDrop | Op::Erase | Op::Checkpoint => Ok(()),
            Op::Import if ownership.state == OwnerState::Arriving => Ok(()),
            _ => Err(SoulError::NotOwner {
                name: name.clone(),
                ownership,
            }),
        }
    }

    /// The copy is gone; one that comes to have its name is another.
    pub fn forget(&self, name: &SoulName) {
        self.exceptions().remove(name);
    }

    /// Makes the copy that, for good, once whoever writes to it has handed that on. It is on the disk when this returns.
    pub async fn set(&self, name: &SoulName, ownership: Ownership) -> Result<()> {
        let _pen = self.pen(name).write_owned().await;
        self.set_now(name, ownership)
    }

    /// What a copy is to be that is about to be made; what was left of one that was never made is gone.
    pub fn begin(&self, name: &SoulName, ownership: Ownership) -> Result<()> {
        if ownership != Ownership::default() {
            let folder = self.folder.join(name.as_str());
            let made = fs::DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(&folder);
            made.map_err(|error| unusable(&folder, &error))?;
        }
        self.set_now(name, ownership)
    }

    /// What lies in the folder of a copy that comes out of a backup. Where it takes the place of another it is what that
    /// was; else nobody here knows whether the character lives elsewhere by now.
    pub fn of_restored(&self, name: &SoulName, replaces: bool) -> Result<Option<Vec<u8>>> {
        let before = self.exception(name);
        let ownership = match before {
            None if replaces => return Ok(None),
            Some(before) if before.state != OwnerState::Arriving => before,
            None | Some(_) => Ownership {
                restored: true,
                ..Ownership::default()
            },
        };
        let file = self.folder.join(name.as_str()).join(FILE);
        let bytes = serde_json::to_vec(&ownership);
        bytes
            .map(Some)
            .map_err(|error| unusable(&file, &io::Error::other(error)))
    }

    /// Reads again what the copy is, after its folder was replaced.
    pub fn look_again(&self, name: &SoulName) -> Result<()> {
        let file = self.folder.join(name.as_str()).join(FILE);
        let found = read(&file).map_err(|error| unusable(&file, &error))?;
        let mut exceptions = self.exceptions();
        match found {
            Some(ownership) => exceptions.insert(name.clone(), ownership),
            None => exceptions.remove(name),
        };
        Ok(())
    }

    fn set_now(&self, name: &SoulName, ownership: Ownership) -> Result<()> {
        check(&ownership)?;
        let mut exceptions = self.exceptions();
        let folder = self.folder.join(name.as_str());
        if ownership == Ownership::default() {
            remove(&folder).map_err(|error| unusable(&folder.join(FILE), &error))?;
            exceptions.remove(name);
        } else {
            write(&folder, &ownership).map_err(|error| unusable(&folder.join(FILE), &error))?;
            exceptions.insert(name.clone(), ownership);
        }
        Ok(())
    }

    fn pen(&self, name: &SoulName) -> Arc<RwLock<()>> {
        let mut pens = self.pens.lock().unwrap_or_else(PoisonError::into_inner);
        // Whoever holds one has a share in it.
        pens.retain(|_, pen| Arc::strong_count(pen) > 1);
        Arc::clone(pens.entry(name.clone()).or_default())
    }

    fn exceptions(&self) -> MutexGuard<'_, BTreeMap<SoulName, Ownership>> {
        self.exceptions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// How an error says why a copy is not written to.
pub(super) fn reason(ownership: &Ownership) -> String {
    let claims = |claims: &[Claim]| {
        let each = claims
            .iter()
            .map(|claim| format!("{} at {}", claim.node, claim.position));
        each.collect::<Vec<_>>().join(", ")
    };
    match ownership.state {
        OwnerState::Owner => "it may be written to".to_owned(),
        OwnerState::Contested => format!(
            "more than one machine has it ({}), and until one is chosen (SoulMem.choose) none is written to",
            claims(&ownership.claims)
        ),
        OwnerState::Arriving => {
            "it is being moved here and is not whole yet (SoulMem.adopt goes on with it)".to_owned()
        }
        OwnerState::HandedOver => format!(
            "it lives on {} now, and this copy is only read",
            ownership.node.as_deref().unwrap_or("another machine")
        ),
    }
}

fn check(ownership: &Ownership) -> Result<()> {
    let nodes = ownership.claims.iter().map(|claim| &claim.node);
    for node in nodes.chain(&ownership.node) {
        within_bytes(node, MAX_LABEL_BYTES, || "set.node".to_owned())?;
    }
    if ownership.claims.len() > MAX_CLAIMS {
        let reason = format!("may hold {MAX_CLAIMS} at most");
        return Err(SoulError::invalid("set.claims", reason));
    }
    Ok(())
}

fn unusable(file: &Path, error: &io::Error) -> SoulError {
    SoulError::Ownership(format!("{}: {error}", file.display()))
}

fn read(file: &Path) -> io::Result<Option<Ownership>> {
    let bytes = match fs::read(file) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let ownership = serde_json::from_slice(&bytes);
    ownership.map(Some).map_err(|error| {
        let hint = "remove the file only if no other machine has this character";
        io::Error::other(format!("{error}: {hint}"))
    })
}

fn write(folder: &Path, ownership: &Ownership) -> io::Result<()> {
    let beside = folder.join(format!("{FILE}.new"));
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&beside)?;
    file.write_all(&serde_json::to_vec(ownership)?)?;
    file.sync_all()?;
    fs::rename(&beside, folder.join(FILE))?;
    File::open(folder)?.sync_all()
}

fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_file(folder.join(FILE)) {
        Ok(()) => File::open(folder)?.sync_all(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests;
