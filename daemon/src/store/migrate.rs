//! Schema versions: forward only, one numbered file each, one transaction each.
//!
//! A step only adds, so that the program of the version before still reads and writes the file: new tables, and new
//! columns that may be null and are not part of a seal, which that program makes and checks without them.

use std::path::Path;

use rusqlite::Connection;

use super::connection::{APPLICATION_ID, Header, header};
use super::error::{Result, StoreError};
use super::tx::in_transaction;

/// One step from a schema version to the next.
#[derive(Debug, Clone, Copy)]
pub(super) struct Migration {
    /// The version that it leads to.
    pub version: u32,
    /// What it does.
    pub sql: &'static str,
}

/// Every step, oldest first.
pub(super) const MIGRATIONS: &[Migration] = &[
    Migration {
        version: 1,
        sql: include_str!("migrations/0001_memory.sql"),
    },
    Migration {
        version: 2,
        sql: include_str!("migrations/0002_origin.sql"),
    },
];

/// The latest schema version that this program knows.
pub const SCHEMA: u32 = latest(MIGRATIONS);

/// The version that the steps lead to.
pub(super) const fn latest(steps: &[Migration]) -> u32 {
    match steps.last() {
        Some(step) => step.version,
        None => 0,
    }
}

/// Refuses a database that is not a memory, or one that is too new to be touched.
pub(super) fn check_header(file: &Path, found: Header, known: u32) -> Result<()> {
    if found.application_id != APPLICATION_ID {
        return Err(StoreError::Foreign {
            file: file.to_owned(),
            application_id: found.application_id,
        });
    }
    if found.schema == 0 {
        let reason = "its header says that it has no schema".to_owned();
        return Err(StoreError::Corrupt {
            file: file.to_owned(),
            reason,
        });
    }
    // The next version only adds to this one; what comes after it may have taken something away.
    if found.schema > known + 1 {
        return Err(StoreError::Newer {
            file: file.to_owned(),
            found: found.schema,
            known,
        });
    }
    Ok(())
}

/// Takes the database through every step that it has not been through.
pub(super) fn migrate(connection: &Connection, steps: &[Migration]) -> Result<()> {
    let found = header(connection)?.schema;
    for step in steps.iter().filter(|step| step.version > found) {
        in_transaction(connection, || {
            connection.execute_batch(step.sql)?;
            connection.pragma_update(None, "application_id", APPLICATION_ID)?;
            connection.pragma_update(None, "user_version", step.version)?;
            Ok(())
        })?;
        tracing::info!(
            version = step.version,
            "the schema of the memory was brought up to date"
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests;
