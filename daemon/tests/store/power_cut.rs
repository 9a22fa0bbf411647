//! A power cut at any moment: whatever was not synced is lost, wholly or in part, and what was acknowledged is there.
//!
//! A memory lives on a VFS that takes down each write and sync. Then the cut is played after every entry of that
//! record: a disk is made of what was synced by then and, of the rest, nothing, all, or a random part with torn
//! writes. SIGKILL cannot tell a store that syncs from one that does not; this can, as the last test shows.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::thread;

use soulmem::store::{Condition, MessageFilter, Store, StoreOptions};
use tempfile::tempdir;

use crate::support::{Lot, create, created, message, note, options};
use crate::unsafe_vfs::{Event, NAME, Record, acknowledged, record, register};

/// What a disk sector is written in: all of it or nothing.
const SECTOR: usize = 512;

/// What becomes of writes that were not synced.
enum Unsynced<'l> {
    Lost,
    Kept,
    /// Each sector by lot.
    Drawn(&'l mut Lot),
}

/// The files as a power cut after these events leaves them.
fn after_the_cut(
    record: &Record,
    cut: usize,
    mut unsynced: Unsynced<'_>,
) -> BTreeMap<String, Vec<u8>> {
    let mut disk = record.before.clone();
    let mut waiting: BTreeMap<&str, Vec<&Event>> = BTreeMap::new();
    for event in &record.events[..cut] {
        match event {
            Event::Write { path, .. } | Event::Truncate { path, .. } => {
                waiting.entry(path).or_default().push(event);
            }
            Event::Sync { path } => {
                for event in waiting.remove(path.as_str()).unwrap_or_default() {
                    apply(disk.entry(path.clone()).or_default(), event, |_| true);
                }
            }
            Event::Delete { path } => {
                waiting.remove(path.as_str());
                disk.remove(path);
            }
            Event::Acknowledged(_) => {}
        }
    }
    for (path, events) in waiting {
        let file = disk.entry(path.to_owned()).or_default();
        for event in events {
            match &mut unsynced {
                Unsynced::Lost => {}
                Unsynced::Kept => apply(file, event, |_| true),
                Unsynced::Drawn(lot) => apply(file, event, |_| lot.below(2) == 0),
            }
        }
    }
    disk
}

fn apply(file: &mut Vec<u8>, event: &Event, mut takes: impl FnMut(usize) -> bool) {
    match event {
        Event::Write { offset, bytes, .. } => {
            for (i, sector) in bytes.chunks(SECTOR).enumerate() {
                let start = offset + i * SECTOR;
                if takes(start) {
                    file.resize(file.len().max(start + sector.len()), 0);
                    file[start..start + sector.len()].copy_from_slice(sector);
                }
            }
        }
        Event::Truncate { length, .. } if takes(*length) => file.resize(*length, 0),
        _ => {}
    }
}

fn write_disk(files: &BTreeMap<String, Vec<u8>>, folder: &Path) {
    fs::create_dir(folder).unwrap();
    for (path, bytes) in files {
        fs::write(folder.join(Path::new(path).file_name().unwrap()), bytes).unwrap();
    }
}

fn acknowledged_by(record: &Record, cut: usize, range: std::ops::Range<u128>) -> Vec<u128> {
    let of = |event: &Event| match event {
        Event::Acknowledged(n) if range.contains(n) => Some(*n),
        _ => None,
    };
    record.events[..cut].iter().filter_map(of).collect()
}

fn on_the_vfs() -> StoreOptions {
    StoreOptions {
        vfs: Some(NAME.to_owned()),
        ..options()
    }
}

/// Three clients push pairs of messages; meanwhile notes are written, and the log is emptied twice.
fn live(folder: &Path) {
    drop(create(folder));
    let store = Store::open(folder, &on_the_vfs()).unwrap();
    thread::scope(|scope| {
        for client in 0..3 {
            let store = &store;
            scope.spawn(move || {
                for i in 0..12 {
                    let n = client * 1_000 + i * 2;
                    store
                        .write(move |tx| tx.push(&[message(n, "first"), message(n + 1, "second")]))
                        .wait()
                        .unwrap();
                    acknowledged(n);
                }
            });
        }
        for n in 0..6 {
            store
                .write(move |tx| tx.put_notes(&[created(note(n + 1, "tea"))]))
                .wait()
                .unwrap();
            if n % 3 == 2 {
                store.checkpoint().wait().unwrap();
            }
        }
    });
}

#[test]
fn what_was_acknowledged_outlives_a_power_cut_at_any_moment() {
    register();
    let home = tempdir().unwrap();
    let folder = home.path().canonicalize().unwrap().join("x");
    live(&folder);
    let record = record(folder.to_str().unwrap());
    let mut lot = Lot::new(5);
    for cut in 0..=record.events.len() {
        let must = acknowledged_by(&record, cut, 0..3_000);
        // The cheap way through so many cuts: each kind of loss at every third, all of them right after a sync.
        let all = cut == 0 || matches!(record.events[cut - 1], Event::Sync { .. });
        for kind in (0..3).filter(|kind| all || cut % 3 == *kind) {
            let unsynced = match kind {
                0 => Unsynced::Lost,
                1 => Unsynced::Kept,
                _ => Unsynced::Drawn(&mut lot),
            };
            let place = home.path().join(format!("{cut}-{kind}"));
            write_disk(&after_the_cut(&record, cut, unsynced), &place);
            check(&place, &must);
            fs::remove_dir_all(place).unwrap();
        }
    }
    assert!(
        record
            .events
            .iter()
            .filter(|event| matches!(event, Event::Sync { .. }))
            .count()
            > 10
    );
    assert_eq!(
        acknowledged_by(&record, record.events.len(), 0..3_000).len(),
        36
    );
}

fn check(folder: &Path, must: &[u128]) {
    let store = Store::open(folder, &options()).unwrap();
    assert!(
        matches!(store.condition(), Condition::Ready),
        "{:?}",
        store.condition()
    );
    let all = store
        .read(|view| view.list_messages(&MessageFilter::default(), None, usize::MAX))
        .unwrap()
        .items;
    let there: Vec<u128> = all.iter().map(|message| message.id.0.as_u128()).collect();
    for n in must {
        assert!(there.contains(n), "{n} was acknowledged and is lost");
    }
    for n in &there {
        let other = n ^ 1;
        assert!(
            there.contains(&other),
            "of {n} and {other} only one is there"
        );
    }
    store
        .write(|tx| tx.push(&[message(9_000, "and on")]))
        .wait()
        .unwrap();
}

#[test]
fn a_store_that_does_not_sync_would_be_caught() {
    register();
    let home = tempdir().unwrap();
    let file = home.path().canonicalize().unwrap().join("careless.db");
    let flags =
        rusqlite::OpenFlags::SQLITE_OPEN_READ_WRITE | rusqlite::OpenFlags::SQLITE_OPEN_CREATE;
    let connection = rusqlite::Connection::open_with_flags_and_vfs(&file, flags, NAME).unwrap();
    connection
        .execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; CREATE TABLE kept (n INTEGER)",
        )
        .unwrap();
    for n in 0..20_u32 {
        connection
            .execute("INSERT INTO kept VALUES (?)", [n])
            .unwrap();
        acknowledged(10_000 + u128::from(n));
    }
    let record = record(file.to_str().unwrap());
    let must = acknowledged_by(&record, record.events.len(), 10_000..20_000);
    assert_eq!(must.len(), 20);
    let place = home.path().join("cut");
    write_disk(
        &after_the_cut(&record, record.events.len(), Unsynced::Lost),
        &place,
    );
    let left = rusqlite::Connection::open(place.join("careless.db")).unwrap();
    let kept = left.query_row("SELECT count(*) FROM kept", [], |row| row.get::<_, i64>(0));
    assert!(
        kept.map_or(true, |kept| kept < 20),
        "nothing was lost without a sync"
    );
}
