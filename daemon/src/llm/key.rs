//! The key to an endpoint: where it is kept, and reading it. It is read for each request, so that a new one counts at
//! once; it is never logged and never shown.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use secrecy::SecretString;
use thiserror::Error;

/// A key file that is longer is none.
const MAX_BYTES: u64 = 16 << 10;

/// Where the key is kept. Where both are named the file counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeySource {
    /// The variable of the environment that holds it.
    pub variable: Option<String>,
    /// The file that holds it, readable by its owner alone.
    pub file: Option<PathBuf>,
}

/// Why there is no key.
#[derive(Debug, Error)]
pub enum KeyError {
    /// The variable is not set.
    #[error("llm.key_env: the environment of the daemon has no {0}; set it, or name another")]
    NoVariable(String),
    /// The file cannot be read.
    #[error("llm.key_file: {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Others than its owner can read the file.
    #[error("llm.key_file: {} can be read by others (mode {mode:03o}); `chmod 600 {}` first", path.display(), path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// What is there is no key.
    #[error("{place}: {reason}")]
    NotAKey {
        /// Where it stands.
        place: String,
        /// What is wrong with it.
        reason: &'static str,
    },
}

impl KeySource {
    /// Whether there is to be a key.
    pub fn is_some(&self) -> bool {
        self.variable.is_some() || self.file.is_some()
    }

    /// The key. None where none is configured.
    pub fn read(&self) -> Result<Option<SecretString>, KeyError> {
        match (&self.file, &self.variable) {
            (Some(file), _) => checked("llm.key_file", &from_file(file)?).map(Some),
            (None, Some(name)) => match std::env::var(name) {
                Ok(text) => checked("llm.key_env", &text).map(Some),
                Err(_) => Err(KeyError::NoVariable(name.clone())),
            },
            (None, None) => Ok(None),
        }
    }
}

fn from_file(path: &Path) -> Result<String, KeyError> {
    let unreadable = |source| KeyError::Unreadable {
        path: path.to_owned(),
        source,
    };
    // Opening a pipe would wait for whoever writes to it.
    if !fs::metadata(path).map_err(unreadable)?.is_file() {
        return Err(unreadable(io::Error::other("it is not a file")));
    }
    let file = File::open(path).map_err(unreadable)?;
    let mode = file.metadata().map_err(unreadable)?.mode() & 0o777;
    if mode & 0o077 != 0 {
        return Err(KeyError::Open {
            path: path.to_owned(),
            mode,
        });
    }
    let mut text = String::new();
    file.take(MAX_BYTES)
        .read_to_string(&mut text)
        .map_err(unreadable)?;
    Ok(text)
}

fn checked(place: &str, text: &str) -> Result<SecretString, KeyError> {
    let key = text.trim();
    let reason = if key.is_empty() {
        "there is nothing in it"
    } else if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
        "a key is one line of letters, digits and signs"
    } else {
        return Ok(SecretString::from(key));
    };
    Err(KeyError::NotAKey {
        place: place.to_owned(),
        reason,
    })
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    use secrecy::ExposeSecret;

    use super::*;

    fn kept(text: &[u8], mode: u32) -> (tempfile::TempDir, KeySource) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        let source = KeySource {
            variable: None,
            file: Some(path),
        };
        (folder, source)
    }

    #[test]
    fn a_file_of_its_owner_gives_the_key_without_the_line_end() {
        let (_folder, source) = kept(b"sk-123\n", 0o600);
        assert_eq!(source.read().unwrap().unwrap().expose_secret(), "sk-123");
    }

    #[test]
    fn a_file_that_others_can_read_is_refused_with_what_to_do() {
        for mode in [0o640, 0o604, 0o644] {
            let (_folder, source) = kept(b"sk-123", mode);
            let said = source.read().unwrap_err().to_string();
            assert!(said.contains(&format!("mode {mode:03o}")), "{said}");
            assert!(said.contains("chmod 600"), "{said}");
            assert!(!said.contains("sk-123"), "{said}");
        }
    }

    #[test]
    fn what_is_no_key_is_refused_without_being_shown() {
        for text in [&b""[..], b"  \n", b"two lines\nof text", b"\xff\xfe"] {
            let (_folder, source) = kept(text, 0o600);
            let said = source.read().unwrap_err().to_string();
            assert!(said.contains("llm.key_file"), "{said}");
            assert!(!said.contains("two lines"), "{said}");
        }
    }

    #[test]
    fn a_variable_that_is_not_set_is_named() {
        let source = KeySource {
            variable: Some("SOULMEM_NO_SUCH_KEY".to_owned()),
            file: None,
        };
        let said = source.read().unwrap_err().to_string();
        assert!(said.contains("SOULMEM_NO_SUCH_KEY"), "{said}");
        assert!(KeySource::default().read().unwrap().is_none());
    }
}
