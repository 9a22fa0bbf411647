use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use soulmem_engine::model::{FixedClock, MessageId, SequentialIds};
use soulmem_proto::ops::push::Role;
use tempfile::tempdir;
use uuid::Uuid;

use super::super::open::open_with;
use super::super::{
    Condition, MessageFilter, NewMessage, NewSoul, Snapshot, Store, StoreError, StoreOptions, View,
    go_back, snapshots,
};
use super::{MIGRATIONS, Migration, SCHEMA};

/// What a later program might add.
const SECOND: Migration = Migration {
    version: SCHEMA + 1,
    sql: "ALTER TABLE note ADD COLUMN mood TEXT; CREATE TABLE place (id INTEGER PRIMARY KEY, name TEXT) STRICT;",
};
const THIRD: Migration = Migration {
    version: SCHEMA + 2,
    sql: "DROP TABLE place;",
};
/// A step that fails in the middle.
const BROKEN: Migration = Migration {
    version: SCHEMA + 1,
    sql: "CREATE TABLE half (id INTEGER); SELECT nothing FROM nowhere;",
};

fn options() -> StoreOptions {
    StoreOptions::new(
        Arc::new(FixedClock(Timestamp::UNIX_EPOCH)),
        Arc::new(SequentialIds::new()),
    )
}

fn create(folder: &Path) -> Store {
    Store::create(folder, NewSoul::named("x".parse().unwrap()), &options()).unwrap()
}

fn steps(more: &[Migration]) -> Vec<Migration> {
    [MIGRATIONS, more].concat()
}

fn push(store: &Store, n: u128) {
    let message = NewMessage {
        id: MessageId(Uuid::from_u128(n)),
        role: Role::User,
        name: None,
        text: format!("message {n}"),
        at: Timestamp::UNIX_EPOCH,
        tz: None,
        session: None,
        source: None,
        tag: None,
    };
    store
        .write(move |tx| tx.push(std::slice::from_ref(&message)))
        .wait()
        .unwrap();
}

fn texts(store: &Store) -> Vec<String> {
    let all = store
        .read(|view| view.list_messages(&MessageFilter::default(), None, 100))
        .unwrap();
    all.items.into_iter().map(|message| message.text).collect()
}

#[test]
fn the_steps_are_numbered_without_gap() {
    assert!(MIGRATIONS.iter().map(|step| step.version).eq(1..=SCHEMA));
}

#[test]
fn a_new_schema_keeps_a_snapshot_and_the_program_before_still_works() {
    let home = tempdir().unwrap();
    let folder = home.path().join("x");
    let store = create(&folder);
    push(&store, 1);
    let last = store.read(View::last_seq).unwrap();
    drop(store);

    let store = open_with(&folder, &options(), &steps(&[SECOND])).unwrap();
    assert!(matches!(store.condition(), Condition::Ready));
    push(&store, 2);
    drop(store);
    let file = folder.join(format!("snapshots/schema-{SCHEMA}-{last}.db"));
    assert_eq!(
        snapshots(&folder).unwrap(),
        [Snapshot {
            file,
            schema: SCHEMA,
            last_seq: last
        }]
    );

    let store = Store::open(&folder, &options()).unwrap();
    assert!(matches!(store.condition(), Condition::Ready));
    push(&store, 3);
    assert_eq!(texts(&store), ["message 1", "message 2", "message 3"]);
    drop(store);
    let store = open_with(&folder, &options(), &steps(&[SECOND])).unwrap();
    assert_eq!(texts(&store).len(), 3);
    assert!(store.check(&mut |_| ()).unwrap().is_healthy());
    assert_eq!(snapshots(&folder).unwrap().len(), 1);
}

#[test]
fn a_database_further_ahead_is_refused_untouched_and_the_snapshot_is_the_way_back() {
    let home = tempdir().unwrap();
    let folder = home.path().join("x");
    let store = create(&folder);
    push(&store, 1);
    drop(store);
    let store = open_with(&folder, &options(), &steps(&[SECOND, THIRD])).unwrap();
    push(&store, 2);
    drop(store);
    let database = folder.join("memory.db");
    let before = std::fs::read(&database).unwrap();
    let refused = Store::open(&folder, &options()).unwrap_err();
    assert!(
        matches!(
            refused,
            StoreError::Newer {
                found,
                known: SCHEMA,
                ..
            } if found == SCHEMA + 2
        ),
        "{refused}"
    );
    assert!(refused.to_string().contains("snapshot"), "{refused}");
    assert_eq!(std::fs::read(&database).unwrap(), before);

    let snapshot = snapshots(&folder).unwrap().remove(0);
    let back = go_back(&folder, &snapshot, &mut |_| ()).unwrap();
    let lost: Vec<_> = back
        .losses
        .iter()
        .map(|change| (change.what.as_str(), change.subject))
        .collect();
    assert_eq!(lost, [("message.push", Some(Uuid::from_u128(2)))]);
    let store = Store::open(&folder, &options()).unwrap();
    assert!(matches!(store.condition(), Condition::Ready));
    assert_eq!(texts(&store), ["message 1"]);
    push(&store, 4);
    drop(store);

    // What the later program wrote is kept too.
    let later = snapshots(&folder)
        .unwrap()
        .into_iter()
        .find(|kept| kept.schema == SCHEMA + 2)
        .unwrap();
    assert_eq!(later.file, back.kept);
    std::fs::copy(&later.file, &database).unwrap();
    std::fs::remove_file(folder.join("memory.mark")).unwrap();
    let store = open_with(&folder, &options(), &steps(&[SECOND, THIRD])).unwrap();
    assert_eq!(texts(&store), ["message 1", "message 2"]);
}

#[test]
fn a_step_that_fails_leaves_the_old_schema_and_a_memory_that_can_be_read() {
    let home = tempdir().unwrap();
    let folder = home.path().join("x");
    let store = create(&folder);
    push(&store, 1);
    drop(store);
    let store = open_with(&folder, &options(), &steps(&[BROKEN])).unwrap();
    assert!(matches!(store.condition(), Condition::ReadOnly(_)));
    assert_eq!(texts(&store), ["message 1"]);
    drop(store);
    let store = Store::open(&folder, &options()).unwrap();
    assert!(matches!(store.condition(), Condition::Ready));
    push(&store, 2);
    drop(store);
    let store = open_with(&folder, &options(), &steps(&[SECOND])).unwrap();
    assert_eq!(texts(&store), ["message 1", "message 2"]);
}
