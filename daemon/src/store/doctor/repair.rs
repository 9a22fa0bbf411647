//! Repairing a memory: a new database out of everything in the old one that is whole.
//!
//! What is derived is made again. What is not and is broken is kept aside: the row in table `aside`, the old
//! files as they were in a folder beside the new ones.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rusqlite::Connection;

use super::super::column::Micros;
use super::super::connection::{Purpose, connect};
use super::super::error::{Result, StoreError};
use super::super::files::{self, Lock, Mark};
use super::super::migrate::{MIGRATIONS, migrate};
use super::super::options::StoreOptions;
use super::super::progress::{Step, Watcher, tell};
use super::super::seal::Sealed;
use super::super::tables::{TABLES, Worth, since};
use super::super::trash::{first_free, stamp};
use super::super::tx::{Seq, Tx, View, in_transaction};
use super::salvage::{Salvaged, read_table};
use super::{CheckReport, Layout, Severity, complete, header};

/// What a repair did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepairReport {
    /// What was wrong. If nothing was, nothing was done.
    pub before: CheckReport,
    /// Rows that the new database took over.
    pub kept: u64,
    /// Rows that could be read but not trusted or placed; they are in the table `aside`.
    pub aside: Vec<String>,
    /// What could not be read at all.
    pub lost: Vec<String>,
    /// What was made again.
    pub remade: Vec<String>,
    /// Where the old files are kept.
    pub saved: Option<PathBuf>,
}

/// Repairs the memory in a character's folder, which must not be open.
pub fn repair(folder: &Path, options: &StoreOptions, watcher: Watcher<'_>) -> Result<RepairReport> {
    let layout = Layout::of(folder);
    if !layout.database().exists() {
        return Err(StoreError::NotFound(format!(
            "there is no memory in {}",
            folder.display()
        )));
    }
    let _lock = Lock::take(folder)?;
    // Made from the rows; whether they are right cannot be seen here.
    files::remove(&layout.index())?;
    files::remove(&layout.unfinished_index())?;
    let mut repair = Repair::new(&layout, options, watcher);
    if repair.look() {
        return Ok(repair.report);
    }
    repair.save_old_files()?;
    repair.rebuild()?;
    repair.put_in_place()?;
    Ok(repair.report)
}

/// Looks at the memory in a character's folder, which must not be open, as a repair would before it begins.
pub fn examine(folder: &Path, options: &StoreOptions, watcher: Watcher<'_>) -> Result<CheckReport> {
    let layout = Layout::of(folder);
    let _lock = Lock::take(folder)?;
    let mut repair = Repair::new(&layout, options, watcher);
    repair.look();
    Ok(repair.report.before)
}

struct Repair<'r> {
    layout: &'r Layout,
    options: &'r StoreOptions,
    watcher: Watcher<'r>,
    now: Timestamp,
    report: RepairReport,
}

impl<'r> Repair<'r> {
    fn new(layout: &'r Layout, options: &'r StoreOptions, watcher: Watcher<'r>) -> Self {
        let report = RepairReport {
            before: CheckReport::default(),
            kept: 0,
            aside: Vec::new(),
            lost: Vec::new(),
            remade: Vec::new(),
            saved: None,
        };
        Self {
            layout,
            options,
            watcher,
            now: options.clock.now(),
            report,
        }
    }

    /// Looks at the old database; true if nothing is wrong with it.
    fn look(&mut self) -> bool {
        let file = self.layout.database();
        let opened = connect(&file, Purpose::Look, None).map(|connection| View { connection });
        match opened {
            Err(error) => self.report.before.add(Severity::Truth, error.to_string()),
            Ok(view) => {
                view.check_everything(&mut self.report.before, self.watcher);
                let last = view.last_seq().unwrap_or(0);
                self.check_mark(last);
            }
        }
        self.report.before.is_healthy()
    }

    fn marked(&self) -> Seq {
        Mark::read(&self.layout.mark()).unwrap_or(0)
    }

    fn check_mark(&mut self, last: Seq) {
        let marked = self.marked();
        if marked > last {
            let what = format!("the changes {} to {marked} are missing", last + 1);
            self.report.before.add(Severity::Truth, what);
        }
    }

    /// Copies the old files to where they stay.
    fn save_old_files(&mut self) -> Result<()> {
        let place = self.layout.damaged();
        let at = first_free(self.now, |name| place.join(name).exists());
        let saved = place.join(stamp(at));
        files::make_folder(&saved)?;
        let database = self.layout.database();
        let [log, ..] = files::companions(&database);
        for file in [&database, &log] {
            if let Some(name) = file.file_name()
                && file.exists()
            {
                files::copy(file, &saved.join(name))?;
            }
        }
        files::sync_folder(&saved)?;
        self.report.saved = Some(saved);
        Ok(())
    }

    fn rebuild(&mut self) -> Result<()> {
        let new = self.layout.unfinished();
        files::remove_database(&new)?;
        files::make_file(&new)?;
        let tx = Tx::over(connect(&new, Purpose::Create, None)?);
        migrate(&tx.connection, MIGRATIONS)?;
        let old = self.open_old()?;
        tx.set_now(self.now);
        in_transaction(&tx.connection, || {
            for (done, (table, worth)) in (0..).zip(&TABLES) {
                let what = format!("taking over table {}", table.table());
                tell(self.watcher, &what, done, TABLES.len() as u64);
                // A database of an earlier schema has nothing there to be taken over.
                if since(table) == 1 || is_there(&old, table) {
                    self.take_over(&old, &tx, table, *worth)?;
                }
            }
            let last = tx.last_seq()?;
            if self.marked() > last {
                self.report
                    .lost
                    .push(format!("the changes {} to {}", last + 1, self.marked()));
            }
            let marked = self.marked();
            let remade = &mut self.report.remade;
            complete::profile(&tx, &self.layout.folder, self.options, remade)?;
            complete::states(&tx, remade)?;
            complete::window(&tx, self.options.window_capacity, remade)?;
            complete::evidence(&tx)?;
            complete::journal(&tx, marked)?;
            complete::tally(&tx)
        })?;
        drop(old);
        tx.into_connection()
            .close()
            .map_err(|(_, error)| StoreError::from(error).in_file(&new))
    }

    /// Opens the old database to read, with its header put right if it cannot be read as it is.
    fn open_old(&mut self) -> Result<Connection> {
        let file = self.layout.database();
        let readable = |connection: &Connection| {
            connection
                .query_row("SELECT count(*) FROM sqlite_schema", [], |row| {
                    row.get::<_, i64>(0)
                })
                .is_ok()
        };
        let connection = connect(&file, Purpose::Read, None)?;
        if readable(&connection) {
            return Ok(connection);
        }
        drop(connection);
        let patched = self.layout.folder.join("memory.db.patched");
        files::remove(&patched)?;
        files::copy(&file, &patched)?;
        header::put_right(&patched)?;
        self.report
            .remade
            .push("the header of the database".to_owned());
        connect(&patched, Purpose::Read, None)
    }

    fn take_over(&mut self, old: &Connection, tx: &Tx, table: &Sealed, worth: Worth) -> Result<()> {
        let mut derived = 0_u64;
        let read = read_table(old, table, |row| {
            if let Some(doubt) = &row.doubt {
                return match worth {
                    Worth::Truth => self.set_aside(tx, table, &row, doubt),
                    Worth::Derived => {
                        derived += 1;
                        Ok(())
                    }
                };
            }
            match table.insert(&tx.connection, &row.parameters()) {
                Ok(()) => self.report.kept += 1,
                Err(StoreError::Internal { source, .. }) if worth == Worth::Truth => {
                    self.set_aside(tx, table, &row, &source.to_string())?;
                }
                Err(StoreError::Internal { .. }) => derived += 1,
                Err(error) => return Err(error),
            }
            Ok(())
        })?;
        if derived > 0 || (worth == Worth::Derived && !read.gaps.is_empty()) {
            self.report.remade.push(format!(
                "table {}: what is missing is made again when needed",
                table.table()
            ));
        }
        if worth == Worth::Truth {
            self.report.lost.extend(read.gaps);
        }
        Ok(())
    }

    fn set_aside(&mut self, tx: &Tx, table: &Sealed, row: &Salvaged, reason: &str) -> Result<()> {
        let sql = "INSERT INTO aside (at, origin, reason, content) VALUES (?, ?, ?, ?)";
        tx.connection.execute(
            sql,
            (
                Micros(self.now),
                table.table(),
                reason,
                row.as_text().into_bytes(),
            ),
        )?;
        self.report
            .aside
            .push(format!("table {}: {reason}", table.table()));
        Ok(())
    }

    /// The new database takes the place of the old one, whose files are saved.
    fn put_in_place(&mut self) -> Result<()> {
        let new = self.layout.unfinished();
        let database = self.layout.database();
        files::sync_file(&new)?;
        files::remove(&self.layout.folder.join("memory.db.patched"))?;
        // A log that stayed would be taken for that of the new database.
        for companion in files::companions(&database) {
            files::remove(&companion)?;
        }
        files::remove(&self.layout.mark())?;
        files::remove(&self.layout.index())?;
        files::rename(&new, &database)?;
        (self.watcher)(Step {
            what: "repaired".to_owned(),
            done: 1,
            total: 1,
        });
        Ok(())
    }
}

/// Whether there is such a table, or no telling.
fn is_there(connection: &Connection, table: &Sealed) -> bool {
    let sql = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?";
    let count = connection.query_row(sql, [table.table()], |row| row.get::<_, i64>(0));
    count.map_or(true, |count| count > 0)
}
