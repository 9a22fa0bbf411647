//! Whether a copy of a character is the one that is written to.
//!
//! It is a property of the copy, not of the memory: it stands in a file beside the database, so that neither a backup nor
//! an export carries it to another machine. Without the file the copy is the owner.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use soulmem_proto::ops::soul_owner::{Claim, OwnerState, Ownership};
use soulmem_proto::{Op, SoulName};

use super::error::{Result, SoulError};
use super::limits::{MAX_LABEL_BYTES, within_bytes};

const FILE: &str = "ownership.json";

/// More machines than that do not have one character.
const MAX_CLAIMS: usize = 64;

/// The copies of this daemon that are not simply owners.
pub struct Ownerships {
    folder: PathBuf,
    exceptions: Mutex<BTreeMap<SoulName, Ownership>>,
}

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

    /// Refuses what changes the memory of a copy that is not the owner. What takes a copy away, or texts out of it, is
    /// no such change; an arriving one takes what is imported.
    pub fn must_own(&self, name: &SoulName, op: Op) -> Result<()> {
        let Some(ownership) = self.exception(name) else {
            return Ok(());
        };
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

    /// Makes the copy that, for good. It is on the disk when this returns.
    pub fn set(&self, name: &SoulName, ownership: Ownership) -> Result<()> {
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
mod tests {
    use super::*;

    fn contested() -> Ownership {
        let claim = |node: &str, position| Claim {
            node: node.to_owned(),
            position,
        };
        Ownership {
            state: OwnerState::Contested,
            node: None,
            claims: vec![claim("soulmem@desktop", 7), claim("soulmem@laptop", 9)],
        }
    }

    #[test]
    fn what_is_set_is_there_after_a_restart_and_gone_when_it_is_the_owner_again() {
        let home = tempfile::tempdir().unwrap();
        let (mei, tom): (SoulName, SoulName) = ("mei".parse().unwrap(), "tom".parse().unwrap());
        fs::create_dir(home.path().join("mei")).unwrap();
        fs::create_dir(home.path().join("tom")).unwrap();
        let names = [mei.clone(), tom.clone()];

        let ownerships = Ownerships::find(home.path(), names.iter()).unwrap();
        ownerships.must_own(&mei, Op::Push).unwrap();
        ownerships.set(&mei, contested()).unwrap();
        let refused = ownerships.must_own(&mei, Op::Push).unwrap_err().to_string();
        assert!(
            refused.contains("soulmem@desktop at 7, soulmem@laptop at 9"),
            "{refused}"
        );

        let ownerships = Ownerships::find(home.path(), names.iter()).unwrap();
        assert_eq!(ownerships.of(&mei), contested());
        ownerships.must_own(&mei, Op::Push).unwrap_err();
        ownerships.must_own(&tom, Op::Push).unwrap();

        let arriving = Ownership {
            state: OwnerState::Arriving,
            ..Ownership::default()
        };
        ownerships.set(&mei, arriving).unwrap();
        ownerships.must_own(&mei, Op::Import).unwrap();
        ownerships.must_own(&mei, Op::SoulDrop).unwrap();
        ownerships.must_own(&mei, Op::Push).unwrap_err();
        ownerships.set(&mei, Ownership::default()).unwrap();

        let ownerships = Ownerships::find(home.path(), names.iter()).unwrap();
        ownerships.must_own(&mei, Op::Push).unwrap();
    }

    #[test]
    fn a_file_that_cannot_be_read_is_no_leave_to_write() {
        let home = tempfile::tempdir().unwrap();
        let mei: SoulName = "mei".parse().unwrap();
        fs::create_dir(home.path().join("mei")).unwrap();
        fs::write(home.path().join("mei").join(FILE), "{\"state\":\"ow").unwrap();
        let refused = Ownerships::find(home.path(), [mei].iter()).err().unwrap();
        assert!(refused.to_string().contains("ownership.json"), "{refused}");
    }
}
