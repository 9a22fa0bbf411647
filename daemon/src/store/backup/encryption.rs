//! Encrypting copies to a key, in the age format (<https://age-encryption.org/v1>).

use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Write};
use std::path::Path;
use std::str::FromStr;

use age::{Decryptor, Encryptor, IdentityFile, x25519};

use super::super::error::{Result, StoreError};
use super::super::files;

/// To whom something is encrypted: public keys that start with `age1`.
#[derive(Clone, Default)]
pub struct Recipients(Vec<x25519::Recipient>);

/// Keys that decrypt.
pub struct Identities(Vec<Box<dyn age::Identity + Send + Sync>>);

impl Recipients {
    /// Reads public keys.
    pub fn parse<S: AsRef<str>>(keys: &[S]) -> Result<Self> {
        let keys = keys.iter().enumerate().map(|(i, key)| {
            x25519::Recipient::from_str(key.as_ref()).map_err(|reason| StoreError::Invalid {
                field: format!("recipients[{i}]"),
                reason: format!("{:?} is no age public key: {reason}", key.as_ref()),
            })
        });
        keys.collect::<Result<_>>().map(Self)
    }

    /// Whether there is none, so that nothing is encrypted.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Recipients {
    /// The keys with commas between.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keys: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        formatter.write_str(&keys.join(","))
    }
}

impl fmt::Debug for Recipients {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_list()
            .entries(self.0.iter().map(ToString::to_string))
            .finish()
    }
}

impl Identities {
    /// Reads the keys of an identity file, as `age-keygen` writes it.
    pub fn read(path: &Path) -> Result<Self> {
        let text = fs::read(path).map_err(|error| StoreError::io("reading", path, error))?;
        let keys = IdentityFile::from_buffer(text.as_slice())
            .map_err(|error| StoreError::io("reading the keys in", path, error))?
            .into_identities()
            .map_err(|error| {
                StoreError::io(
                    "reading the keys in",
                    path,
                    io::Error::other(error.to_string()),
                )
            })?;
        Ok(Self(keys))
    }
}

/// Encrypts a file into a new one.
pub(super) fn encrypt(plain: &Path, encrypted: &Path, recipients: &Recipients) -> Result<()> {
    let said = |error: io::Error| StoreError::io("encrypting to", encrypted, error);
    let keys = recipients.0.iter().map(|key| key as &dyn age::Recipient);
    let encryptor = Encryptor::with_recipients(keys)
        .map_err(|error| said(io::Error::other(error.to_string())))?;
    let mut source = File::open(plain).map_err(|error| StoreError::io("reading", plain, error))?;
    let target = BufWriter::new(files::make_file(encrypted)?);
    let mut target = encryptor.wrap_output(target).map_err(said)?;
    io::copy(&mut source, &mut target).map_err(said)?;
    target
        .finish()
        .and_then(|mut target| target.flush())
        .map_err(said)?;
    files::sync_file(encrypted)
}

/// Decrypts a file into a new one.
pub(super) fn decrypt(encrypted: &Path, plain: &Path, identities: &Identities) -> Result<()> {
    let corrupt = |reason: String| StoreError::Corrupt {
        file: encrypted.to_owned(),
        reason,
    };
    let source =
        File::open(encrypted).map_err(|error| StoreError::io("reading", encrypted, error))?;
    let keys = identities.0.iter().map(|key| &**key as &dyn age::Identity);
    let mut source = Decryptor::new_buffered(BufReader::new(source))
        .and_then(|decryptor| decryptor.decrypt(keys))
        .map_err(|error| corrupt(format!("it cannot be decrypted with these keys: {error}")))?;
    let mut target = files::make_file(plain)?;
    io::copy(&mut source, &mut target)
        .map_err(|error| StoreError::io("decrypting", encrypted, error))?;
    files::sync_file(plain)
}
