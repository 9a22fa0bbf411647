//! A change that was cut off before the database had its log: it is undone, by whoever comes first.

use std::fs;
use std::path::Path;

use rusqlite::Connection;
use soulmem::store::{Condition, MessageFilter, Store, View};
use tempfile::{TempDir, tempdir};

use crate::support::{create, message, message_id, options};

/// Enough that the change cannot be kept in memory and is in the file before its end.
const MESSAGES: u128 = 200;

/// What a kill leaves of a change to a database without a log: half of it in the file, and a journal to undo it with.
fn cut_off() -> TempDir {
    let home = tempdir().unwrap();
    let (whole, cut) = (home.path().join("whole"), home.path().join("cut"));
    let store = create(&whole);
    let text = "x".repeat(4_000);
    let push = store
        .write(move |tx| (0..MESSAGES).try_for_each(|n| tx.push(&[message(n, &text)]).map(|_| ())));
    push.wait().unwrap();
    store.close();
    let database = whole.join("memory.db");
    let changing = Connection::open(&database).unwrap();
    let change = "PRAGMA journal_mode = DELETE; PRAGMA cache_size = 1; BEGIN IMMEDIATE; \
                  UPDATE message SET text = 'half'";
    changing.execute_batch(change).unwrap();
    fs::create_dir(&cut).unwrap();
    for entry in fs::read_dir(&whole).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), cut.join(entry.file_name())).unwrap();
    }
    let half = fs::read(cut.join("memory.db")).unwrap();
    assert!(
        half.windows(4).any(|window| window == b"half"),
        "nothing of the change is in the file"
    );
    home
}

fn is_whole(view: &View) -> soulmem::store::Result<()> {
    let all = view.list_messages(&MessageFilter::default(), None, usize::MAX)?;
    let ids: Vec<_> = all.items.iter().map(|message| message.id).collect();
    assert_eq!(ids, (0..MESSAGES).map(message_id).collect::<Vec<_>>());
    assert!(all.items.iter().all(|message| message.text.len() == 4_000));
    Ok(())
}

fn opens_whole(folder: &Path) {
    let store = Store::open(folder, &options()).unwrap();
    assert!(
        matches!(store.condition(), Condition::Ready),
        "{:?}",
        store.condition()
    );
    store.read(is_whole).unwrap();
    store
        .write(|tx| tx.push(&[message(MESSAGES, "more")]))
        .wait()
        .unwrap();
}

#[test]
fn a_change_that_was_cut_off_is_undone_when_the_memory_is_opened() {
    opens_whole(&cut_off().path().join("cut"));
}

#[test]
fn it_is_undone_when_the_memory_is_only_looked_into() {
    let home = cut_off();
    let cut = home.path().join("cut");
    Store::look(&cut, None, is_whole).unwrap().unwrap();
    opens_whole(&cut);
}
