//! A disk that is full, read-only or gone: a clear error, reads go on, and service returns by itself.

use std::fs;
use std::path::Path;
use std::process::Command;

use soulmem::store::{Condition, MessageFilter, Store, StoreError};
use soulmem_engine::model::MessageId;
use tempfile::{TempDir, tempdir};

use crate::support::{create, message, message_id, options};

/// A small file system in memory, gone when dropped.
struct SmallDisk(TempDir);

impl SmallDisk {
    /// None where mounting is not permitted; the test says so and passes.
    fn mount(size: &str) -> Option<Self> {
        let point = tempdir().unwrap();
        let options = format!("size={size}");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &options, "tmpfs"])
            .arg(point.path())
            .output();
        if mounted.is_ok_and(|output| output.status.success()) {
            return Some(Self(point));
        }
        eprintln!("skipped: mounting a tmpfs is not permitted here");
        None
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn remount(&self, how: &str) {
        let option = format!("remount,{how}");
        assert!(
            Command::new("mount")
                .args(["-o", &option])
                .arg(self.path())
                .status()
                .unwrap()
                .success()
        );
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        Command::new("umount")
            .arg("-l")
            .arg(self.path())
            .status()
            .unwrap();
    }
}

fn ids(store: &Store) -> Vec<MessageId> {
    let all = store
        .read(|view| view.list_messages(&MessageFilter::default(), None, usize::MAX))
        .unwrap();
    all.items.into_iter().map(|message| message.id).collect()
}

fn push(store: &Store, n: u128, size: usize) -> Result<(), StoreError> {
    let text = "x".repeat(size);
    store
        .write(move |tx| tx.push(&[message(n, &text)]))
        .wait()
        .map(|_| ())
}

#[test]
fn a_full_disk_is_said_reads_go_on_and_room_brings_service_back() {
    let Some(disk) = SmallDisk::mount("3m") else {
        return;
    };
    let filler = disk.path().join("filler");
    fs::write(&filler, vec![0; 1_000_000]).unwrap();
    let store = create(&disk.path().join("x"));
    let mut acknowledged = Vec::new();
    let error = loop {
        let n = acknowledged.len() as u128;
        match push(&store, n, 50_000) {
            Ok(()) => acknowledged.push(message_id(n)),
            Err(error) => break error,
        }
    };
    assert!(matches!(error, StoreError::Full { .. }), "{error}");
    assert_eq!(error.code(), soulmem_proto::ErrorCode::StorageFull);
    assert!(matches!(
        store.condition(),
        Condition::Failing(StoreError::Full { .. })
    ));
    assert_eq!(ids(&store), acknowledged);
    assert!(matches!(
        push(&store, 1_000, 50_000),
        Err(StoreError::Full { .. })
    ));
    fs::remove_file(filler).unwrap();
    push(&store, 2_000, 50_000).unwrap();
    acknowledged.push(message_id(2_000));
    assert!(matches!(store.condition(), Condition::Ready));
    drop(store);
    let store = Store::open(&disk.path().join("x"), &options()).unwrap();
    assert_eq!(ids(&store), acknowledged);
}

#[test]
fn a_memory_that_is_opened_on_a_full_disk_can_be_read_and_opened_whole_once_there_is_room() {
    let Some(disk) = SmallDisk::mount("3m") else {
        return;
    };
    let folder = disk.path().join("x");
    let store = create(&folder);
    push(&store, 1, 10).unwrap();
    drop(store);
    let filler = disk.path().join("filler");
    // It takes what there is before it fails.
    fs::write(&filler, vec![0; 3_000_000]).unwrap_err();
    let store = Store::open(&folder, &options()).unwrap();
    assert_eq!(ids(&store), [message_id(1)]);
    assert!(store.is_frozen() && !store.thaws());
    assert!(matches!(push(&store, 2, 10), Err(StoreError::Full { .. })));
    fs::remove_file(filler).unwrap();
    assert!(store.thaws());
    store.close_entirely();
    let store = Store::open(&folder, &options()).unwrap();
    assert!(!store.is_frozen());
    push(&store, 2, 10).unwrap();
    assert_eq!(ids(&store), [message_id(1), message_id(2)]);
}

#[test]
fn one_write_too_large_for_the_disk_fails_alone() {
    let Some(disk) = SmallDisk::mount("2m") else {
        return;
    };
    let store = create(&disk.path().join("x"));
    let huge = "x".repeat(10_000_000);
    let pending: Vec<_> = (0..20_u128)
        .map(|n| {
            let text = if n == 7 {
                huge.clone()
            } else {
                "small".to_owned()
            };
            store.write(move |tx| tx.push(&[message(n, &text)]))
        })
        .collect();
    for (n, pending) in (0..).zip(pending) {
        let outcome = pending.wait();
        assert_eq!(
            matches!(outcome, Err(StoreError::Full { .. })),
            n == 7,
            "{n}: {outcome:?}"
        );
    }
    assert_eq!(
        ids(&store),
        (0..20)
            .filter(|n| *n != 7)
            .map(message_id)
            .collect::<Vec<_>>()
    );
}

#[test]
fn a_memory_on_a_read_only_disk_can_be_read() {
    let Some(disk) = SmallDisk::mount("8m") else {
        return;
    };
    let folder = disk.path().join("a folder? #1 100%");
    let store = create(&folder);
    push(&store, 1, 10).unwrap();
    drop(store);
    disk.remount("ro");
    let store = Store::open(&folder, &options()).unwrap();
    assert_eq!(ids(&store), [message_id(1)]);
    assert!(matches!(store.condition(), Condition::ReadOnly(_)));
    let error = push(&store, 2, 10).unwrap_err();
    assert!(error.to_string().contains("memory.lock"), "{error}");
    drop(store);
    disk.remount("rw");
    let store = Store::open(&folder, &options()).unwrap();
    push(&store, 2, 10).unwrap();
    assert_eq!(ids(&store), [message_id(1), message_id(2)]);
}

#[test]
fn a_folder_that_vanishes_is_said_and_its_return_is_noticed() {
    let home = tempdir().unwrap();
    let folder = home.path().join("x");
    let away = home.path().join("away");
    let store = create(&folder);
    push(&store, 1, 10).unwrap();
    fs::rename(&folder, &away).unwrap();
    let error = push(&store, 2, 10).unwrap_err();
    assert!(error.to_string().contains("memory.db"), "{error}");
    assert!(matches!(store.condition(), Condition::Failing(_)));
    fs::rename(&away, &folder).unwrap();
    push(&store, 3, 10).unwrap();
    assert!(matches!(store.condition(), Condition::Ready));
    drop(store);
    let store = Store::open(&folder, &options()).unwrap();
    assert_eq!(ids(&store), [message_id(1), message_id(3)]);
}

#[test]
fn a_database_that_is_replaced_under_the_store_is_left_alone() {
    let home = tempdir().unwrap();
    let folder = home.path().join("x");
    let other = home.path().join("other");
    let store = create(&folder);
    push(&store, 1, 10).unwrap();
    let second = create(&other);
    push(&second, 9, 10).unwrap();
    fs::rename(&folder, home.path().join("away")).unwrap();
    fs::rename(&other, &folder).unwrap();
    assert!(
        push(&store, 2, 10)
            .unwrap_err()
            .to_string()
            .contains("replaced")
    );
    drop(store);
    drop(second);
    let files = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect::<Vec<_>>();
    let kept = Store::open(&folder, &options()).unwrap();
    assert_eq!(ids(&kept), [message_id(9)], "{files:?}");
}
