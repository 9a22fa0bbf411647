//! Sealed rows: every row carries a hash of its other columns.
//!
//! SQLite notices damage to the structure of a database, not to the bytes of a text or a number in it.
//! The seal does, so that a damaged row is an error that names it and never wrong data given as right.
//! The hash is XXH3 (64 bits, seed 0) over each column's type, length and bytes.

use std::sync::OnceLock;

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, Row, ToSql};
use uuid::Uuid;
use xxhash_rust::xxh3::Xxh3;

use super::column::Id;
use super::error::{Result, StoreError};

/// How a row is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// As a new row.
    Insert,
    /// Over the row with the same key.
    Update,
}

/// A table whose rows are sealed.
pub(super) struct Sealed {
    table: &'static str,
    /// Its columns without the seal; the first `keys` of them identify a row.
    columns: &'static [&'static str],
    keys: usize,
    insert: OnceLock<String>,
    update: OnceLock<String>,
    with_seal: OnceLock<String>,
    select: OnceLock<String>,
}

impl Sealed {
    /// Describes a table by its columns, the key ones first.
    pub const fn new(table: &'static str, keys: usize, columns: &'static [&'static str]) -> Self {
        Self {
            table,
            columns,
            keys,
            insert: OnceLock::new(),
            update: OnceLock::new(),
            with_seal: OnceLock::new(),
            select: OnceLock::new(),
        }
    }

    /// The table's name.
    pub const fn table(&self) -> &'static str {
        self.table
    }

    /// How many columns identify a row.
    pub const fn keys(&self) -> usize {
        self.keys
    }

    /// The columns that identify a row, with commas between.
    pub fn key_columns(&self) -> String {
        self.columns
            .iter()
            .take(self.keys)
            .copied()
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// How many columns a row has before its seal.
    pub const fn width(&self) -> usize {
        self.columns.len()
    }

    /// Adds a row; `values` stand in the order of the columns.
    pub fn insert(&self, connection: &Connection, values: &[&dyn ToSql]) -> Result<()> {
        let sql = self.insert.get_or_init(|| {
            let marks = vec!["?"; self.width() + 1].join(", ");
            format!(
                "INSERT INTO {} ({}, seal) VALUES ({marks})",
                self.table,
                self.columns.join(", ")
            )
        });
        self.run(connection, sql, values).map(|_| ())
    }

    /// Rewrites the row with the key that `values` start with; false if there is none.
    pub fn update(&self, connection: &Connection, values: &[&dyn ToSql]) -> Result<bool> {
        let sql = self.update.get_or_init(|| {
            let number = |(i, column): (usize, &&str)| format!("{column} = ?{}", i + 1);
            let set: Vec<String> = self
                .columns
                .iter()
                .enumerate()
                .skip(self.keys)
                .map(number)
                .collect();
            let key: Vec<String> = self
                .columns
                .iter()
                .enumerate()
                .take(self.keys)
                .map(number)
                .collect();
            let seal = self.width() + 1;
            format!(
                "UPDATE {} SET {}, seal = ?{seal} WHERE {}",
                self.table,
                set.join(", "),
                key.join(" AND ")
            )
        });
        self.run(connection, sql, values).map(|changed| changed > 0)
    }

    /// Adds the row, or rewrites the one with the same key.
    pub fn put(&self, connection: &Connection, values: &[&dyn ToSql]) -> Result<()> {
        if self.update(connection, values)? {
            Ok(())
        } else {
            self.insert(connection, values)
        }
    }

    fn run(&self, connection: &Connection, sql: &str, values: &[&dyn ToSql]) -> Result<usize> {
        debug_assert_eq!(values.len(), self.width(), "columns of {}", self.table);
        fail::fail_point!("store::write", |_| Err(StoreError::injected()));
        let seal = hash_outputs(values)?;
        let mut statement = connection.prepare_cached(sql)?;
        for (i, value) in values.iter().enumerate() {
            statement.raw_bind_parameter(i + 1, value)?;
        }
        statement.raw_bind_parameter(values.len() + 1, seal)?;
        Ok(statement.raw_execute()?)
    }

    /// All columns and the seal, to be selected from the table and others.
    pub fn columns(&self) -> &str {
        self.with_seal.get_or_init(|| {
            let named = |column: &&str| format!("{}.{column}", self.table);
            let columns: Vec<String> = self.columns.iter().chain([&"seal"]).map(named).collect();
            columns.join(", ")
        })
    }

    /// `SELECT` of all columns and the seal; what selects the rows is appended.
    pub fn select(&self) -> &str {
        self.select
            .get_or_init(|| format!("SELECT {} FROM {}", self.columns(), self.table))
    }

    /// Checks the row's seal, where its columns stand in `row` from `first` on.
    pub fn check(&self, row: &Row<'_>, first: usize) -> Result<()> {
        let mut hash = Xxh3::new();
        for i in first..first + self.width() {
            add(&mut hash, row.get_ref(i)?);
        }
        let seal: i64 = row.get(first + self.width())?;
        if seal == as_seal(&hash) {
            return Ok(());
        }
        Err(self.damaged(row, first, "its content does not match its seal"))
    }

    /// The id of what the row belongs to, which stands behind the row's own columns.
    pub fn owner(&self, row: &Row<'_>) -> Result<Uuid> {
        let owner: Option<Id> = row.get(self.width() + 1)?;
        owner
            .map(|id| id.0)
            .ok_or_else(|| self.damaged(row, 0, "what it belongs to is missing"))
    }

    /// An error that names the row.
    pub fn damaged(
        &self,
        row: &Row<'_>,
        first: usize,
        reason: impl std::fmt::Display,
    ) -> StoreError {
        let key: Vec<String> = (0..self.keys)
            .map(|i| {
                let value = row
                    .get_ref(first + i)
                    .map_or_else(|_| "?".to_owned(), shown);
                format!("{} {value}", self.columns[i])
            })
            .collect();
        StoreError::corrupt(format!(
            "table {}, {}: {reason}",
            self.table,
            key.join(", ")
        ))
    }
}

fn shown(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => "null".to_owned(),
        ValueRef::Integer(n) => n.to_string(),
        ValueRef::Real(x) => x.to_string(),
        // Keys that are text or bytes may be private or damaged: their length is enough to find them.
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => format!("of {} bytes", bytes.len()),
    }
}

fn hash_outputs(values: &[&dyn ToSql]) -> Result<i64> {
    let mut hash = Xxh3::new();
    for value in values {
        match value.to_sql()? {
            ToSqlOutput::Borrowed(value) => add(&mut hash, value),
            ToSqlOutput::Owned(ref value) => add(&mut hash, value.into()),
            other => {
                let said = format!("a sealed column cannot hold {other:?}");
                return Err(rusqlite::Error::ToSqlConversionFailure(said.into()).into());
            }
        }
    }
    Ok(as_seal(&hash))
}

fn add(hash: &mut Xxh3, value: ValueRef<'_>) {
    match value {
        ValueRef::Null => hash.update(&[0]),
        ValueRef::Integer(n) => {
            hash.update(&[1]);
            hash.update(&n.to_le_bytes());
        }
        ValueRef::Real(x) => {
            hash.update(&[2]);
            // SQLite does not keep the sign of a zero.
            hash.update(&(x + 0.0).to_bits().to_le_bytes());
        }
        ValueRef::Text(bytes) => add_bytes(hash, 3, bytes),
        ValueRef::Blob(bytes) => add_bytes(hash, 4, bytes),
    }
}

fn add_bytes(hash: &mut Xxh3, kind: u8, bytes: &[u8]) {
    hash.update(&[kind]);
    hash.update(&(bytes.len() as u64).to_le_bytes());
    hash.update(bytes);
}

fn as_seal(hash: &Xxh3) -> i64 {
    hash.digest().cast_signed()
}
