//! Which data directory this is, among those that keep their backups in one folder.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use uuid::Uuid;

use super::error::{Result, SoulError};

const FILE: &str = "installation";

/// The id of a data directory; a `new` one for one that has none. None where the disk does not take it: that is no reason
/// not to answer. A file that holds none is said, and not written over.
pub fn of(data_dir: &Path, new: impl FnOnce() -> Uuid) -> Result<Option<Uuid>> {
    let file = data_dir.join(FILE);
    let found = match fs::read_to_string(&file) {
        Ok(text) => text.trim().parse().map(Some).map_err(|error| {
            io::Error::other(format!("{error}; remove the file, and a new one is made"))
        }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => match make(&file, new()) {
            Ok(id) => Ok(Some(id)),
            Err(error) => {
                tracing::warn!(file = %file.display(), %error, "cannot be written");
                Ok(None)
            }
        },
        Err(error) => Err(error),
    };
    found.map_err(|error| SoulError::Folder(file, error))
}

fn make(file: &Path, id: Uuid) -> io::Result<Uuid> {
    let draft = file.with_extension("new");
    let mut made = File::create(&draft)?;
    made.write_all(format!("{id}\n").as_bytes())?;
    made.sync_all()?;
    fs::rename(&draft, file)?;
    Ok(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_stays_the_same_and_what_is_none_is_said() {
        let home = tempfile::tempdir().unwrap();
        let id = Uuid::from_u128(7);
        assert_eq!(of(home.path(), || id).unwrap(), Some(id));
        assert_eq!(of(home.path(), || Uuid::from_u128(8)).unwrap(), Some(id));
        assert_eq!(of(&home.path().join("not there"), || id).unwrap(), None);
        fs::write(home.path().join(FILE), "x").unwrap();
        let refused = of(home.path(), || id).unwrap_err().to_string();
        assert!(refused.contains("remove the file"), "{refused}");
    }
}
