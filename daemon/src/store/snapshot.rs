//! Copies from before a change of the schema: the way back to an earlier program.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rusqlite::{Connection, OpenFlags};
use uuid::Uuid;

use super::backup::{Source, copy_database, copy_pages, look_into};
use super::column::{Id, Micros};
use super::connection::{Purpose, connect, header};
use super::error::{Result, StoreError};
use super::files::{self, Layout, Lock};
use super::migrate::{SCHEMA, check_header};
use super::progress::Watcher;
use super::tx::{Seq, View};

/// A copy of the memory as an earlier schema had it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// The file.
    pub file: PathBuf,
    /// Its schema.
    pub schema: u32,
    /// The last change in it.
    pub last_seq: Seq,
}

/// A change that going back to a snapshot undoes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostChange {
    /// Its place in the sequence.
    pub seq: Seq,
    /// When it was made.
    pub at: Timestamp,
    /// What it was, such as `message.push`.
    pub what: String,
    /// The id of what it changed.
    pub subject: Option<Uuid>,
}

/// What going back to a snapshot came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WentBack {
    /// Every change that the snapshot does not have, oldest first.
    pub losses: Vec<LostChange>,
    /// Where the memory as it was before is kept.
    pub kept: PathBuf,
}

impl Snapshot {
    fn at(folder: &Path, schema: u32, last_seq: Seq) -> Self {
        Self {
            file: folder.join(format!("schema-{schema}-{last_seq}.db")),
            schema,
            last_seq,
        }
    }

    fn from_path(file: PathBuf) -> Option<Self> {
        let (schema, last_seq) = file
            .file_name()?
            .to_str()?
            .strip_prefix("schema-")?
            .strip_suffix(".db")?
            .split_once('-')?;
        let (schema, last_seq) = (schema.parse().ok()?, last_seq.parse().ok()?);
        Some(Self {
            file,
            schema,
            last_seq,
        })
    }
}

/// The snapshots in a character's folder, oldest first.
pub fn snapshots(folder: &Path) -> Result<Vec<Snapshot>> {
    let place = Layout::of(folder).snapshots();
    let said = |error| StoreError::io("listing", &place, error);
    let entries = match fs::read_dir(&place) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(said(error)),
    };
    let mut found = Vec::new();
    for entry in entries {
        found.extend(Snapshot::from_path(entry.map_err(said)?.path()));
    }
    found.sort_by_key(|snapshot| (snapshot.last_seq, snapshot.schema));
    Ok(found)
}

/// Keeps a checked copy of a database whose schema is about to change.
pub(super) fn take_snapshot(
    layout: &Layout,
    vfs: Option<&str>,
    watcher: Watcher<'_>,
) -> Result<Snapshot> {
    let source = Source {
        file: layout.database(),
        purpose: Purpose::Read,
        vfs: vfs.map(ToOwned::to_owned),
    };
    let place = layout.snapshots();
    files::make_folder(&place)?;
    let unfinished = place.join("unfinished");
    files::remove_database(&unfinished)?;
    let copied = copy_database(&source, &unfinished, "keeping a snapshot", watcher)?;
    let snapshot = Snapshot::at(&place, copied.header.schema, copied.last_seq);
    files::rename(&unfinished, &snapshot.file)?;
    Ok(snapshot)
}

/// Goes back to a snapshot. The memory must not be open; what it holds now is kept as a snapshot too.
///
/// This works on a database that a later program wrote as well, and is the way back from it.
pub fn go_back(folder: &Path, snapshot: &Snapshot, watcher: Watcher<'_>) -> Result<WentBack> {
    let layout = Layout::of(folder);
    let _lock = Lock::take(folder)?;
    let database = layout.database();
    check_snapshot(&snapshot.file)?;
    let (losses, kept) = keep_present(&layout, snapshot, watcher)?;
    let new = layout.unfinished();
    files::remove_database(&new)?;
    files::copy(&snapshot.file, &new)?;
    // The log's content is in the copy that was just kept; left here it would be taken for that of the snapshot.
    for companion in files::companions(&database) {
        files::remove(&companion)?;
    }
    files::remove(&layout.mark())?;
    files::rename(&new, &database)?;
    Ok(WentBack { losses, kept })
}

fn check_snapshot(file: &Path) -> Result<()> {
    let connection = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY)
        .map_err(|error| StoreError::from(error).in_file(file))?;
    check_header(file, header(&connection)?, SCHEMA)?;
    look_into(connection)
        .map(|_| ())
        .map_err(|error| error.in_file(file))
}

/// Keeps the memory as it is now, whatever schema it has, and lists what the snapshot lacks of it.
fn keep_present(
    layout: &Layout,
    snapshot: &Snapshot,
    watcher: Watcher<'_>,
) -> Result<(Vec<LostChange>, PathBuf)> {
    let database = layout.database();
    let place = layout.snapshots();
    let unfinished = place.join("unfinished");
    files::remove_database(&unfinished)?;
    files::make_file(&unfinished)?;
    let view = View {
        connection: connect(&database, Purpose::Look, None)?,
    };
    let present = header(&view.connection)?.schema;
    let losses = lost_changes(&view, snapshot.last_seq)?;
    let last = losses.last().map_or(snapshot.last_seq, |change| change.seq);
    let mut copy = Connection::open(&unfinished)?;
    copy_pages(
        &view.connection,
        &mut copy,
        "keeping the memory as it is",
        watcher,
    )
    .map_err(|error| error.in_file(&database))?;
    copy.pragma_update_and_check(None, "journal_mode", "DELETE", |_| Ok(()))?;
    copy.close().map_err(|(_, error)| error)?;
    files::sync_file(&unfinished)?;
    let kept = Snapshot::at(&place, present, last).file;
    files::rename(&unfinished, &kept)?;
    Ok((losses, kept))
}

fn lost_changes(view: &View, after: Seq) -> Result<Vec<LostChange>> {
    view.all(
        "SELECT seq, at, what, subject FROM journal WHERE seq > ? ORDER BY seq",
        [after],
        |row| {
            let subject: Option<Id> = row.get(3)?;
            let at = row.get::<_, Micros>(1)?.0;
            Ok(LostChange {
                seq: row.get(0)?,
                at,
                what: row.get(2)?,
                subject: subject.map(|id| id.0),
            })
        },
    )
}
