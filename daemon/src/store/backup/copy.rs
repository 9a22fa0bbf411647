//! Copying a database that is in use.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};

use super::super::Store;
use super::super::connection::{Header, Purpose, connect, header};
use super::super::doctor::integrity;
use super::super::error::{Result, StoreError};
use super::super::files;
use super::super::profile::Profile;
use super::super::progress::{Watcher, tell};
use super::super::tx::{Seq, View};

/// Pages that are copied between two reports.
const PAGES: i32 = 1_024;

/// How long to wait for another program's lock before trying again.
const PATIENCE: Duration = Duration::from_millis(50);

/// A database to be copied.
#[derive(Debug, Clone)]
pub(in super::super) struct Source {
    pub file: PathBuf,
    pub purpose: Purpose,
    pub vfs: Option<String>,
}

impl Store {
    pub(in super::super) fn source(&self) -> Source {
        let (purpose, vfs) = self.inner.pool.access();
        Source {
            file: self.inner.layout.database(),
            purpose,
            vfs,
        }
    }
}

/// What a copy holds.
#[derive(Debug, Clone)]
pub(in super::super) struct Copied {
    pub profile: Profile,
    pub header: Header,
    pub last_seq: Seq,
    pub notes: u64,
    pub links: u64,
    pub messages: u64,
}

/// Copies a database as it is at this moment into a new file, and checks the copy.
pub(in super::super) fn copy_database(
    source: &Source,
    target: &Path,
    what: &str,
    watcher: Watcher<'_>,
) -> Result<Copied> {
    files::make_file(target)?;
    let from = connect(&source.file, source.purpose, source.vfs.as_deref())?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let in_target = |error: rusqlite::Error| StoreError::from(error).in_file(target);
    let mut to = Connection::open_with_flags(target, flags).map_err(in_target)?;
    copy_pages(&from, &mut to, what, watcher).map_err(|error| error.in_file(&source.file))?;
    drop(from);
    // One file, without a log, wherever it is carried.
    to.pragma_update_and_check(None, "journal_mode", "DELETE", |_| Ok(()))
        .map_err(in_target)?;
    tell(watcher, what, 0, 0);
    let copied = look_into(to).map_err(|error| error.in_file(target))?;
    files::sync_file(target)?;
    Ok(copied)
}

/// Copies every page as it is at this moment.
pub(in super::super) fn copy_pages(
    from: &Connection,
    to: &mut Connection,
    what: &str,
    watcher: Watcher<'_>,
) -> Result<()> {
    // With a view of one moment held open, writes that go on meanwhile do not make the copy start over.
    from.execute_batch("BEGIN")?;
    from.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
    let copy = Backup::new(from, to)?;
    loop {
        fail::fail_point!("store::copy", |_| Err(StoreError::injected()));
        let step = copy.step(PAGES)?;
        let progress = copy.progress();
        let total = u64::try_from(progress.pagecount).unwrap_or(0);
        let left = u64::try_from(progress.remaining).unwrap_or(0);
        tell(watcher, what, total.saturating_sub(left), total);
        match step {
            StepResult::Done => return Ok(()),
            StepResult::Busy | StepResult::Locked => std::thread::sleep(PATIENCE),
            _ => {}
        }
    }
}

/// Checks a database that nobody else uses, and says what is in it.
pub(in super::super) fn look_into(connection: Connection) -> Result<Copied> {
    if let Some(damage) = integrity(&connection)?.into_iter().next() {
        return Err(StoreError::corrupt(damage));
    }
    let view = View { connection };
    view.check_tally()?;
    let mut report = super::super::CheckReport::default();
    view.check_seals(&mut report);
    if let Some(finding) = report.findings.into_iter().next() {
        return Err(StoreError::corrupt(finding.what));
    }
    let tally = view.tally()?;
    Ok(Copied {
        profile: view.profile()?,
        header: header(&view.connection)?,
        last_seq: view.last_seq()?,
        notes: tally.notes.cast_unsigned(),
        links: tally.links.cast_unsigned(),
        messages: tally.messages.cast_unsigned(),
    })
}
