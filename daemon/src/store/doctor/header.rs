//! Putting the first hundred bytes of a database right.

use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::super::connection::APPLICATION_ID;
use super::super::error::{Result, StoreError};
use super::super::migrate::SCHEMA;

/// The page size of every memory.
const PAGE: u16 = 4096;

/// Writes what the header of every memory says, as the file format of SQLite has it
/// (<https://sqlite.org/fileformat2.html#the_database_header>). What differs from memory to memory is left alone.
pub(super) fn put_right(file: &Path) -> Result<()> {
    let said = |error| StoreError::io("putting right the header of", file, error);
    let database = OpenOptions::new().write(true).open(file).map_err(said)?;
    let page = PAGE.to_be_bytes();
    let fields: [(u64, &[u8]); 8] = [
        (0, b"SQLite format 3\0"),
        (16, &page),
        // Written and read with a log; no bytes reserved; the three fractions that are always the same.
        (18, &[2, 2, 0, 64, 32, 32]),
        // Schema format.
        (44, &4_u32.to_be_bytes()),
        // No auto-vacuum; text in UTF-8.
        (52, &0_u32.to_be_bytes()),
        (56, &1_u32.to_be_bytes()),
        (60, &SCHEMA.to_be_bytes()),
        (64, &0_u32.to_be_bytes()),
    ];
    for (offset, bytes) in fields {
        database.write_all_at(bytes, offset).map_err(said)?;
    }
    database
        .write_all_at(&APPLICATION_ID.to_be_bytes(), 68)
        .map_err(said)
}
