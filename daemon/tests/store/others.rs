//! Files that belong to somebody else, and another program that has the database locked: a clear error or patience.

use std::env;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use rusqlite::Connection;
use soulmem::store::{Condition, MessageFilter, Pending, Pushed, Store, StoreError};
use soulmem_engine::model::MessageId;
use tempfile::tempdir;

use crate::support::{create, message, message_id, options};

/// Where the child lives that has no more rights than anybody; without it the child's test has nothing to do.
const FOLDER: &str = "STORE_OTHERS_FOLDER";
/// Shorter than the store waits for a lock.
const PATIENCE: Duration = Duration::from_secs(10);
/// A user and a group that own nothing else.
const NOBODY: u32 = 65_534;

fn ids(store: &Store) -> Vec<MessageId> {
    let all = store
        .read(|view| view.list_messages(&MessageFilter::default(), None, usize::MAX))
        .unwrap();
    all.items.into_iter().map(|message| message.id).collect()
}

fn push(store: &Store, n: u128) -> Pending<Pushed> {
    store.write(move |tx| tx.push(&[message(n, "said")]))
}

/// What the owner of a folder may do with it and with what is in it.
fn allow(folder: &Path, for_folder: u32, for_files: u32) {
    // The folder must be open to whoever changes what is in it.
    fs::set_permissions(folder, Permissions::from_mode(0o700)).unwrap();
    for entry in fs::read_dir(folder).unwrap() {
        fs::set_permissions(entry.unwrap().path(), Permissions::from_mode(for_files)).unwrap();
    }
    fs::set_permissions(folder, Permissions::from_mode(for_folder)).unwrap();
}

fn says(error: &StoreError, file: &str) {
    assert!(matches!(error, StoreError::Io { .. }), "{error:?}");
    let error = error.to_string();
    assert!(error.contains(file), "{error}");
    assert!(error.contains("Permission denied"), "{error}");
}

#[test]
fn child() {
    let Some(home) = env::var_os(FOLDER) else {
        return;
    };
    let folder = Path::new(&home).join("x");
    let store = create(&folder);
    push(&store, 1).wait().unwrap();
    drop(store);

    allow(&folder, 0o500, 0o400);
    let store = Store::open(&folder, &options()).unwrap();
    assert_eq!(ids(&store), [message_id(1)]);
    assert!(matches!(store.condition(), Condition::ReadOnly(_)));
    says(&push(&store, 2).wait().unwrap_err(), "memory.lock");
    drop(store);

    // Nobody may look whether there is a memory: that is not to have none.
    allow(&folder, 0o000, 0o600);
    assert!(Store::exists(&folder));
    says(&Store::open(&folder, &options()).unwrap_err(), "memory.db");
    says(
        &Store::look(&folder, None, |_| Ok(())).unwrap_err(),
        "memory.db",
    );

    allow(&folder, 0o700, 0o600);
    let store = Store::open(&folder, &options()).unwrap();
    push(&store, 2).wait().unwrap();
    assert_eq!(ids(&store), [message_id(1), message_id(2)]);
}

#[test]
fn permission_denied_is_said_and_leave_brings_service_back() {
    let home = tempdir().unwrap();
    let mut child = Command::new(env::current_exe().unwrap());
    child
        .args(["--exact", "others::child", "--nocapture"])
        .env(FOLDER, home.path());
    // Permissions mean nothing to root.
    if chown(home.path(), Some(NOBODY), Some(NOBODY)).is_ok() {
        child.uid(NOBODY).gid(NOBODY);
    }
    let output = child.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
}

#[test]
fn a_lock_of_another_program_is_waited_for_while_reads_go_on() {
    let home = tempdir().unwrap();
    let folder = home.path().join("x");
    let store = create(&folder);
    push(&store, 1).wait().unwrap();
    let other = Connection::open(folder.join("memory.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let waiting: Vec<_> = (2..10).map(|n| push(&store, n)).collect();
    assert_eq!(ids(&store), [message_id(1)]);
    other.execute_batch("COMMIT").unwrap();
    for pushed in waiting {
        pushed.wait().unwrap();
    }
    assert_eq!(ids(&store), (1..10).map(message_id).collect::<Vec<_>>());
    assert!(matches!(store.condition(), Condition::Ready));
}

#[test]
fn whoever_reads_for_long_holds_up_neither_a_checkpoint_nor_a_write() {
    let home = tempdir().unwrap();
    let store = create(&home.path().join("x"));
    push(&store, 1).wait().unwrap();
    let (reads, reading_began) = mpsc::channel();
    let (end, ended) = mpsc::channel();
    thread::scope(|scope| {
        let store = &store;
        let reading = scope.spawn(move || {
            store.read(|view| {
                view.last_seq()?;
                reads.send(()).unwrap();
                // A writer that waits for the reader keeps it from ever being told.
                ended.recv_timeout(PATIENCE).unwrap();
                view.list_messages(&MessageFilter::default(), None, 10)
            })
        });
        reading_began.recv().unwrap();
        push(store, 2).wait().unwrap();
        store.checkpoint().wait().unwrap();
        push(store, 3).wait().unwrap();
        end.send(()).unwrap();
        let read = reading.join().unwrap().unwrap();
        assert_eq!(read.items.len(), 1, "what was there when it began");
    });
    store.checkpoint().wait().unwrap();
    let log = home.path().join("x/memory.db-wal");
    assert_eq!(fs::metadata(log).unwrap().len(), 0);
}
