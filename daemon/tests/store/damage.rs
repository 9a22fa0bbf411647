//! Bytes that change on the disk: an error that says what and where, never a panic, never wrong data given as right.

use std::fs;
use std::path::{Path, PathBuf};

use soulmem::store::{Condition, Store, StoreError};
use tempfile::{TempDir, tempdir};

use crate::dump::{Dump, dump, full_memory};
use crate::support::{Lot, create, message, options};

/// Copies the files of a memory, as a crash would leave them.
fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for name in ["memory.db", "memory.db-wal", "memory.mark"] {
        if from.join(name).exists() {
            fs::copy(from.join(name), to.join(name)).unwrap();
        }
    }
}

/// A memory of which only the files are left, and what was in it.
struct Left {
    home: TempDir,
    files: PathBuf,
    truth: Dump,
}

fn left(messages: u128, emptied_log: bool) -> Left {
    let home = tempdir().unwrap();
    let store = full_memory(&home.path().join("live"), messages);
    if emptied_log {
        store.checkpoint().wait().unwrap();
    }
    let truth = dump(&store).unwrap();
    let files = home.path().join("left");
    copy(store.folder(), &files);
    Left { home, files, truth }
}

/// Flips bits of one file in a copy, opens it, and checks that nothing wrong is given as right.
fn flipped(left: &Left, file: &str, lot: &mut Lot, round: u32) -> bool {
    let folder = left.home.path().join(format!("{file}-{round}"));
    copy(&left.files, &folder);
    let path = folder.join(file);
    let mut bytes = fs::read(&path).unwrap();
    for _ in 0..=lot.below(4) {
        let at = lot.below(bytes.len() as u64) as usize;
        bytes[at] ^= 1 << lot.below(8);
    }
    fs::write(&path, bytes).unwrap();
    let noticed = match Store::open(&folder, &options()) {
        Err(error) => says_what_and_where(&error),
        Ok(store) => check_opened(&store, &left.truth),
    };
    fs::remove_dir_all(&folder).unwrap();
    noticed
}

fn check_opened(store: &Store, truth: &Dump) -> bool {
    let read = dump(store);
    let wrote = store
        .write(|tx| tx.push(&[message(1_000_000, "late")]))
        .wait();
    if let Condition::ReadOnly(error) | Condition::Failing(error) = store.condition() {
        says_what_and_where(&error);
        if wrote.is_ok() {
            assert!(
                read.is_err(),
                "a write was taken by a memory that was read-only before"
            );
        }
    }
    match read {
        Err(error) => says_what_and_where(&error),
        Ok(read) => {
            // A memory that is known to lack something may show the rest.
            let whole = matches!(store.condition(), Condition::Ready) || wrote.is_ok();
            assert!(!whole || read == *truth, "wrong data was given as right");
            !whole
        }
    }
}

fn says_what_and_where(error: &StoreError) -> bool {
    assert!(!matches!(error, StoreError::Panicked(_)), "{error}");
    assert!(error.to_string().contains("memory.db"), "{error}");
    true
}

#[test]
fn flipped_bits_in_the_database_are_noticed_or_harmless() {
    let left = left(60, true);
    let mut lot = Lot::new(1);
    let noticed = (0..300)
        .filter(|round| flipped(&left, "memory.db", &mut lot, *round))
        .count();
    assert!(
        noticed > 50,
        "only {noticed} of 300 damaged databases were noticed"
    );
}

#[test]
fn flipped_bits_in_the_log_are_noticed_or_harmless() {
    let left = left(60, false);
    let mut lot = Lot::new(2);
    let noticed = (0..300)
        .filter(|round| flipped(&left, "memory.db-wal", &mut lot, *round))
        .count();
    assert!(
        noticed > 250,
        "only {noticed} of 300 damaged logs were noticed"
    );
}

#[test]
fn a_log_that_is_gone_or_cut_is_noticed() {
    let left = left(20, false);
    for keep in [0, 1, 3] {
        let folder = left.home.path().join(format!("cut-{keep}"));
        copy(&left.files, &folder);
        let log = folder.join("memory.db-wal");
        let length = fs::metadata(&log).unwrap().len() * keep / 4;
        fs::File::options()
            .write(true)
            .open(&log)
            .unwrap()
            .set_len(length)
            .unwrap();
        let store = Store::open(&folder, &options()).unwrap();
        let Condition::ReadOnly(error) = store.condition() else {
            panic!("{:?}", store.condition())
        };
        assert!(error.to_string().contains("missing"), "{error}");
        let refused = store
            .write(|tx| tx.push(&[message(1_000_000, "late")]))
            .wait();
        assert!(matches!(refused, Err(StoreError::Corrupt { .. })));
    }
}

#[test]
fn what_is_no_memory_is_refused_and_left_alone() {
    let home = tempdir().unwrap();
    let folder = home.path().join("x");
    drop(create(&folder));
    let file = folder.join("memory.db");
    let good = fs::read(&file).unwrap();
    // Offsets of user_version and application_id in the header of a SQLite file.
    for (offset, value) in [(60, 7_u32), (68, 0xDEAD_BEEF)] {
        let mut bytes = good.clone();
        bytes[offset..offset + 4].copy_from_slice(&value.to_be_bytes());
        fs::write(&file, &bytes).unwrap();
        let error = Store::open(&folder, &options()).unwrap_err();
        assert!(
            matches!(
                error,
                StoreError::Newer {
                    found: 7,
                    known: soulmem::store::SCHEMA,
                    ..
                } | StoreError::Foreign { .. }
            ),
            "{error}"
        );
        assert_eq!(fs::read(&file).unwrap(), bytes);
    }
    fs::write(&file, b"not a database at all, but long enough to have a header of one hundred bytes, which this is, nearly, not quite").unwrap();
    let store = Store::open(&folder, &options()).unwrap();
    assert!(matches!(
        store.condition(),
        Condition::ReadOnly(StoreError::Corrupt { .. })
    ));
    assert!(matches!(dump(&store), Err(StoreError::Corrupt { .. })));
}
