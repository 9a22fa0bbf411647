//! Looking into a memory that is not open, without a trace.

use std::path::Path;

use super::Store;
use super::connection::{Purpose, connect, header};
use super::error::{Result, StoreError};
use super::files::{self, Layout};
use super::migrate::{SCHEMA, check_header};
use super::tx::View;

impl Store {
    /// Whether there is a memory in this folder. One that may not be looked at is there: opening it says why it cannot
    /// be read, where it would be missed without a word.
    pub fn exists(folder: &Path) -> bool {
        files::exists(&Layout::of(folder).database()).unwrap_or(true)
    }

    /// Reads from the memory in a folder without opening it for writing. Meant for one that is closed. None
    /// where its schema is of an earlier version: then it has to be opened, which brings it up to date.
    pub fn look<T>(
        folder: &Path,
        vfs: Option<&str>,
        work: impl FnOnce(&View) -> Result<T>,
    ) -> Result<Option<T>> {
        let file = Layout::of(folder).database();
        if !files::exists(&file)? {
            return Err(StoreError::NotFound(format!(
                "there is no memory in {}",
                folder.display()
            )));
        }
        let connection = connect(&file, Purpose::Look, vfs)?;
        let found = header(&connection).map_err(|error| error.in_file(&file))?;
        check_header(&file, found, SCHEMA)?;
        if found.schema < SCHEMA {
            return Ok(None);
        }
        work(&View { connection })
            .map(Some)
            .map_err(|error| error.in_file(&file))
    }
}
