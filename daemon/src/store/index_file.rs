//! The file in which the indexes are kept from one opening to the next. What is in it is not the store's concern, only that it
//! is replaced in one step, that nobody else reads it, and that it goes where older states of the memory go.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::PathBuf;

use super::Store;
use super::error::{Result, StoreError};
use super::files;

impl Store {
    /// Where the indexes are kept.
    pub fn index_file(&self) -> PathBuf {
        self.inner.layout.index()
    }

    /// Where the database is.
    pub fn database_file(&self) -> PathBuf {
        self.inner.layout.database()
    }

    /// Removes the file, and what is left of one that was not written to its end.
    pub fn remove_index(&self) -> Result<()> {
        let layout = &self.inner.layout;
        files::remove(&layout.index())?;
        files::remove(&layout.unfinished_index())
    }

    /// Writes the file anew, in place of the one before. It is derived, so that its content is not forced to the disk: after a
    /// power cut it may be missing or half there, as its reader sees.
    pub fn write_index<T>(&self, write: impl FnOnce(&mut File) -> io::Result<T>) -> Result<T> {
        let place = self.index_file();
        let new = self.inner.layout.unfinished_index();
        files::remove(&new)?;
        let mut file = files::make_file(&new)?;
        let written = write(&mut file).and_then(|value| {
            file.flush()?;
            fs::rename(&new, &place)?;
            Ok(value)
        });
        written.map_err(|error| {
            // What is half written is of no use, and a full disk needs the room.
            drop(files::remove(&new));
            StoreError::io("writing", &place, error)
        })
    }
}
