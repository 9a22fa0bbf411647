//! What subscribers are told.

use soulmem_proto::{ErrorCode, Op, Reply};

use crate::support::{Daemon, PATIENCE, code, map};
use crate::wire::{created, note, put, text};

#[test]
fn a_character_that_came_to_rest_has_its_log_emptied() {
    let daemon = Daemon::start_with(&["--set", "souls.idle_after_ms=100"]);
    let mut client = created(&daemon, "ann");
    put(&mut client, "ann", vec![note("rain")]).unwrap();
    let log = daemon.folder().join("souls/ann/memory.db-wal");
    let emptied = |log: &std::path::Path| std::fs::metadata(log).is_ok_and(|log| log.len() == 0);
    let last_try = std::time::Instant::now() + PATIENCE;
    while !emptied(&log) && std::time::Instant::now() < last_try {
        std::thread::yield_now();
    }
    assert!(emptied(&log));
}

#[test]
fn subscribers_are_told_of_talk_rest_and_changed_notes() {
    let daemon = Daemon::start_with(&["--set", "souls.idle_after_ms=200"]);
    let mut client = created(&daemon, "ann");
    client.call(Op::SoulCreate, Some("bo"), map([])).unwrap();
    let mut watcher = daemon.connect();
    let events = map([("events", vec!["state", "note.changed"].into())]);
    watcher.call(Op::Subscribe, Some("ann"), events).unwrap();
    put(&mut client, "bo", vec![note("somebody else's")]).unwrap();
    let id = text(
        &put(&mut client, "ann", vec![note("rain")]).unwrap()[0],
        "id",
    )
    .to_owned();

    let mut next = || match watcher.receive() {
        Some(Reply::Event(event)) => {
            assert_eq!(event.soul.unwrap().as_str(), "ann");
            (event.name, event.payload)
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(
        next(),
        ("state".to_owned(), map([("state", "Working".into())]))
    );
    assert_eq!(
        next(),
        ("note.changed".to_owned(), map([("ids", vec![id].into())]))
    );
    assert_eq!(
        next(),
        ("state".to_owned(), map([("state", "Idle".into())]))
    );

    watcher
        .call(
            Op::Unsubscribe,
            Some("ann"),
            map([("events", vec!["state"].into())]),
        )
        .unwrap();
    put(&mut client, "ann", vec![note("snow")]).unwrap();
    match watcher.receive() {
        Some(Reply::Event(event)) => assert_eq!(event.name, "note.changed"),
        other => panic!("{other:?}"),
    }
    assert_eq!(
        code(watcher.call(
            Op::Subscribe,
            Some("nobody"),
            map([("events", vec!["state"].into())])
        )),
        ErrorCode::UnknownSoul
    );
    let wrong = watcher
        .call(
            Op::Subscribe,
            Some("ann"),
            map([("events", vec!["stae"].into())]),
        )
        .unwrap_err();
    assert_eq!(
        (wrong.code, wrong.field()),
        (ErrorCode::InvalidArgument, Some("events[0]"))
    );
}
