//! The doctor: finds what is wrong, makes again what is derived, keeps aside what is broken.

use std::fs;
use std::path::Path;

use soulmem::store::{CheckReport, Condition, RepairReport, Severity, Store, StoreError, repair};
use tempfile::tempdir;

use crate::dump::{dump, full_memory};
use crate::support::{Lot, message, message_id, options};

fn check(store: &Store) -> CheckReport {
    store.check(&mut |_| ()).unwrap()
}

fn mend(folder: &Path) -> RepairReport {
    repair(folder, &options(), &mut |_| ()).unwrap()
}

/// Does something to the database that the store would never do.
fn tamper(folder: &Path, sql: &str) {
    let connection = rusqlite::Connection::open(folder.join("memory.db")).unwrap();
    connection.execute_batch(sql).unwrap();
}

#[test]
fn a_healthy_memory_has_no_findings_and_needs_no_repair() {
    let home = tempdir().unwrap();
    let store = full_memory(&home.path().join("x"), 40);
    let mut steps = Vec::new();
    let report = store.check(&mut |step| steps.push(step)).unwrap();
    assert_eq!(report.findings, []);
    assert!(report.rows > 100);
    assert_eq!(
        steps.last().map(|step| step.done),
        steps.last().map(|step| step.total)
    );
    let folder = store.folder().to_owned();
    assert!(matches!(
        repair(&folder, &options(), &mut |_| ()),
        Err(StoreError::InUse { .. })
    ));
    let before = dump(&store).unwrap();
    drop(store);
    let report = mend(&folder);
    assert!(report.before.is_healthy() && report.saved.is_none());
    assert_eq!(
        dump(&Store::open(&folder, &options()).unwrap()).unwrap(),
        before
    );
}

#[test]
fn a_broken_row_is_named_kept_aside_and_the_rest_lives_on() {
    let home = tempdir().unwrap();
    let folder = home.path().join("x");
    let store = full_memory(&folder, 40);
    let before = dump(&store).unwrap();
    drop(store);
    tamper(
        &folder,
        "UPDATE message SET text = 'something else' WHERE seq = (SELECT max(seq) FROM message)",
    );
    let store = Store::open(&folder, &options()).unwrap();
    let report = check(&store);
    assert!(!report.is_healthy());
    assert!(report.findings.iter().any(|finding| {
        finding.severity == Severity::Truth
            && finding.what.contains("table message")
            && finding.what.contains("seal")
    }));
    drop(store);
    let report = mend(&folder);
    assert_eq!(report.aside.len(), 1, "{:?}", report.aside);
    assert_eq!(report.lost, Vec::<String>::new());
    let store = Store::open(&folder, &options()).unwrap();
    assert!(matches!(store.condition(), Condition::Ready));
    assert_eq!(check(&store).findings, []);
    let after = dump(&store).unwrap();
    assert_eq!(after.messages, before.messages[..39]);
    assert_eq!((after.notes, after.links), (before.notes, before.links));
    store
        .write(|tx| tx.push(&[message(1_000, "and on")]))
        .wait()
        .unwrap();
    let saved = report.saved.unwrap();
    assert!(saved.starts_with(folder.join("damaged")) && saved.join("memory.db").exists());
}

#[test]
fn what_is_derived_is_made_again_without_loss() {
    let home = tempdir().unwrap();
    let folder = home.path().join("x");
    let store = full_memory(&folder, 40);
    let before = dump(&store).unwrap();
    drop(store);
    tamper(
        &folder,
        "UPDATE note_vector SET vector = x'00'; DELETE FROM note_evidence; UPDATE message_words SET words = 'x';
         INSERT INTO note_evidence (message, note) SELECT id, (SELECT min(seq) FROM note) FROM message;",
    );
    let store = Store::open(&folder, &options()).unwrap();
    let report = check(&store);
    assert!(!report.is_healthy());
    assert!(
        report
            .findings
            .iter()
            .all(|finding| finding.severity == Severity::Derived),
        "{:?}",
        report.findings
    );
    drop(store);
    let report = mend(&folder);
    assert_eq!((report.aside, report.lost), (vec![], vec![]));
    let store = Store::open(&folder, &options()).unwrap();
    assert_eq!(check(&store).findings, []);
    let after = dump(&store).unwrap();
    assert_eq!(
        (&after.notes, &after.messages),
        (&before.notes, &before.messages)
    );
    assert_eq!((after.note_vectors, after.message_words), (vec![], vec![]));
    assert_eq!(after.message_vectors, before.message_vectors);
}

#[test]
fn an_index_that_lies_is_found() {
    let home = tempdir().unwrap();
    let folder = home.path().join("x");
    drop(full_memory(&folder, 40));
    tamper(
        &folder,
        "PRAGMA writable_schema = ON;
         UPDATE sqlite_schema SET sql = 'CREATE INDEX message_at ON message (session)' WHERE name = 'message_at';",
    );
    let report = check(&Store::open(&folder, &options()).unwrap());
    assert!(!report.is_healthy());
    mend(&folder);
    assert_eq!(
        check(&Store::open(&folder, &options()).unwrap()).findings,
        []
    );
}

#[test]
fn a_log_that_was_lost_is_reported_and_the_memory_goes_on() {
    let home = tempdir().unwrap();
    let folder = home.path().join("x");
    let store = full_memory(&folder, 20);
    store.checkpoint().wait().unwrap();
    let before = dump(&store).unwrap();
    store
        .write(|tx| tx.push(&[message(1_000, "lost")]))
        .wait()
        .unwrap();
    let left = home.path().join("left");
    fs::create_dir(&left).unwrap();
    for name in ["memory.db", "memory.mark"] {
        fs::copy(folder.join(name), left.join(name)).unwrap();
    }
    let store = Store::open(&left, &options()).unwrap();
    assert!(
        check(&store)
            .findings
            .iter()
            .any(|finding| finding.what.contains("missing"))
    );
    drop(store);
    let report = mend(&left);
    assert_eq!(report.lost.len(), 1);
    let store = Store::open(&left, &options()).unwrap();
    assert!(matches!(store.condition(), Condition::Ready));
    assert_eq!(check(&store).findings, []);
    assert_eq!(dump(&store).unwrap(), before);
    store
        .write(|tx| tx.push(&[message(1_001, "new")]))
        .wait()
        .unwrap();
}

#[test]
fn a_header_that_was_overwritten_is_put_right() {
    let home = tempdir().unwrap();
    let folder = home.path().join("x");
    let store = full_memory(&folder, 40);
    let before = dump(&store).unwrap();
    drop(store);
    let file = folder.join("memory.db");
    let mut bytes = fs::read(&file).unwrap();
    bytes[..20].fill(0xFF);
    fs::write(&file, bytes).unwrap();
    assert!(matches!(
        Store::open(&folder, &options()).unwrap().condition(),
        Condition::ReadOnly(_)
    ));
    let report = mend(&folder);
    assert_eq!((report.aside, report.lost), (vec![], vec![]));
    assert_eq!(
        dump(&Store::open(&folder, &options()).unwrap()).unwrap(),
        before
    );
}

#[test]
fn whatever_is_damaged_the_repaired_memory_is_healthy_and_holds_nothing_false() {
    let home = tempdir().unwrap();
    let store = full_memory(&home.path().join("live"), 60);
    let truth = dump(&store).unwrap();
    let good = {
        drop(store);
        fs::read(home.path().join("live/memory.db")).unwrap()
    };
    let mut lot = Lot::new(3);
    for round in 0..60 {
        let folder = home.path().join(format!("{round}"));
        fs::create_dir(&folder).unwrap();
        let mut bytes = good.clone();
        for _ in 0..=lot.below(40) {
            // The header has a test of its own: what application it belongs to must stay readable.
            let at = 100 + lot.below(bytes.len() as u64 - 100) as usize;
            bytes[at] ^= 1 << lot.below(8);
        }
        fs::write(folder.join("memory.db"), bytes).unwrap();
        let report = repair(&folder, &options(), &mut |_| ()).unwrap();
        let store = Store::open(&folder, &options()).unwrap();
        assert!(
            matches!(store.condition(), Condition::Ready),
            "round {round}: {:?}",
            store.condition()
        );
        assert_eq!(check(&store).findings, [], "round {round}");
        let Ok(kept) = dump(&store) else { continue };
        assert!(
            kept.messages
                .iter()
                .all(|message| truth.messages.contains(message)),
            "round {round}"
        );
        for stored in kept.notes {
            let same =
                |true_note: &&soulmem::store::StoredNote| true_note.note.id == stored.note.id;
            let true_note = truth.notes.iter().find(same).unwrap();
            assert_eq!(
                stored.note.mem_type, true_note.note.mem_type,
                "round {round}"
            );
        }
        if report.aside.is_empty() && report.lost.is_empty() {
            assert_eq!(
                kept.messages.len(),
                truth.messages.len(),
                "round {round}: {:?}",
                report.before
            );
        }
    }
    assert!(good.len() > 100_000);
    assert_eq!(truth.messages[0].id, message_id(1));
}
