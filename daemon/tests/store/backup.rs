//! Backups are whole, say what is in them, and bring everything back or nothing.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use age::secrecy::ExposeSecret;
use jiff::{SignedDuration, Timestamp};
use soulmem::store::backup::{
    Backup, BackupOptions, Existing, Identities, Keep, Recipients, RestoreOptions, Restored,
    back_up, finish_restores, is_due, list, newest, read, restore, rotate,
};
use soulmem::store::{NewSoul, Result, Store, StoreError};
use tempfile::tempdir;

use crate::dump::{dump, full_memory};
use crate::support::{Lot, START, message, options, time};

fn backup_to(folder: &Path, stores: &[Store], at: Timestamp) -> Result<Backup> {
    let options = BackupOptions {
        folder: folder.to_owned(),
        recipients: Recipients::default(),
        at,
        installation: None,
    };
    back_up(stores, &options, &mut |_| ())
}

fn restoring(souls: &Path, existing: Existing) -> RestoreOptions<'_> {
    RestoreOptions {
        souls,
        only: &[],
        existing,
        identities: None,
        beside: &[],
        at: time(START),
    }
}

fn bring_back(backup: &Backup, options: &RestoreOptions<'_>) -> Result<Vec<Restored>> {
    restore(backup, options, &mut |_| ())
}

fn named(folder: &Path, name: &str) -> Store {
    Store::create(folder, NewSoul::named(name.parse().unwrap()), &options()).unwrap()
}

#[test]
fn a_backup_made_in_use_brings_the_moment_back() {
    let home = tempdir().unwrap();
    let store = full_memory(&home.path().join("souls/xiaohong"), 60);
    let before = dump(&store).unwrap();
    let other = named(&home.path().join("souls/tom"), "tom");
    let mut steps = Vec::new();
    let at = time(START);
    let options_ = BackupOptions {
        folder: home.path().join("backups"),
        recipients: Recipients::default(),
        at,
        installation: None,
    };
    let backup = back_up(&[store.clone(), other], &options_, &mut |step| {
        steps.push(step);
    })
    .unwrap();
    assert!(
        steps.iter().any(|step| step.what == "copying xiaohong"
            && step.done == step.total
            && step.total > 0)
    );
    assert_eq!(read(&backup.folder).unwrap(), backup);
    assert_eq!(backup.folder.file_name().unwrap(), "20260601T080000Z");
    let entry = &backup.manifest.souls[0];
    assert_eq!(
        (entry.messages, entry.notes, entry.encrypted),
        (60, 18, false)
    );
    assert_eq!(
        fs::metadata(backup.folder.join("xiaohong.db"))
            .unwrap()
            .len(),
        entry.bytes
    );
    store
        .write(|tx| tx.push(&[message(1_000, "after")]))
        .wait()
        .unwrap();
    drop(store);
    let elsewhere = home.path().join("elsewhere");
    let restored = bring_back(&backup, &restoring(&elsewhere, Existing::Refuse)).unwrap();
    assert_eq!(
        restored
            .iter()
            .map(|one| (one.soul.as_str(), one.replaced))
            .collect::<Vec<_>>(),
        [("xiaohong", false), ("tom", false)]
    );
    let store = Store::open(&elsewhere.join("xiaohong"), &options()).unwrap();
    assert_eq!(dump(&store).unwrap(), before);
    assert!(store.check(&mut |_| ()).unwrap().is_healthy());
    assert_eq!(
        fs::read_dir(&elsewhere).unwrap().count(),
        2,
        "nothing is left of the making"
    );
}

#[test]
fn a_backup_is_consistent_while_others_write() {
    let home = tempdir().unwrap();
    let store = full_memory(&home.path().join("souls/x"), 200);
    let stop = AtomicBool::new(false);
    let backup = thread::scope(|scope| {
        scope.spawn(|| {
            let mut n = 10_000;
            while !stop.load(Ordering::Relaxed) {
                store
                    .write(move |tx| {
                        tx.push(&[message(n, "meanwhile"), message(n + 1, "meanwhile")])
                    })
                    .wait()
                    .unwrap();
                n += 2;
            }
        });
        let made = backup_to(
            &home.path().join("b"),
            std::slice::from_ref(&store),
            time(START),
        );
        stop.store(true, Ordering::Relaxed);
        made.unwrap()
    });
    let souls = home.path().join("r");
    bring_back(&backup, &restoring(&souls, Existing::Refuse)).unwrap();
    let store = Store::open(&souls.join("xiaohong"), &options()).unwrap();
    let messages = dump(&store).unwrap().messages;
    assert_eq!(messages.len() % 2, 0, "a push is there whole or not at all");
}

#[test]
fn nothing_is_overwritten_without_being_told_and_nothing_is_lost_by_it() {
    let home = tempdir().unwrap();
    let souls = home.path().join("souls");
    let trash = home.path().join("trash");
    let store = full_memory(&souls.join("xiaohong"), 20);
    let before = dump(&store).unwrap();
    let backup = backup_to(
        &home.path().join("b"),
        std::slice::from_ref(&store),
        time(START),
    )
    .unwrap();
    store
        .write(|tx| tx.push(&[message(1_000, "after")]))
        .wait()
        .unwrap();
    let after = dump(&store).unwrap();
    assert!(matches!(
        bring_back(&backup, &restoring(&souls, Existing::Refuse)),
        Err(StoreError::Conflict(_))
    ));
    let replace = restoring(&souls, Existing::MoveTo(trash.clone()));
    assert!(matches!(
        bring_back(&backup, &replace),
        Err(StoreError::InUse { .. })
    ));
    assert_eq!(dump(&store).unwrap(), after);
    drop(store);
    assert!(bring_back(&backup, &replace).unwrap()[0].replaced);
    let store = Store::open(&souls.join("xiaohong"), &options()).unwrap();
    assert_eq!(dump(&store).unwrap(), before);
    let old = Store::open(&trash.join("xiaohong-20260601T080000Z"), &options()).unwrap();
    assert_eq!(dump(&old).unwrap(), after);
}

#[test]
fn an_interrupted_restore_is_completed_or_forgotten() {
    let home = tempdir().unwrap();
    let souls = home.path().join("souls");
    let store = full_memory(&home.path().join("live"), 20);
    let backup = backup_to(
        &home.path().join("b"),
        std::slice::from_ref(&store),
        time(START),
    )
    .unwrap();
    // Before the plan: only a folder that was being filled.
    let staging = souls.join(".restore-20260601T080000Z");
    fs::create_dir_all(staging.join("xiaohong")).unwrap();
    assert_eq!(finish_restores(&souls).unwrap(), 0);
    assert!(!staging.exists());
    // After the plan: the memory waits beside its place.
    bring_back(&backup, &restoring(&souls, Existing::Refuse)).unwrap();
    fs::create_dir_all(&staging).unwrap();
    fs::rename(souls.join("xiaohong"), staging.join("xiaohong")).unwrap();
    let plan = r#"{"souls":["xiaohong","tom"],"aside":null,"stamp":"20260601T080000Z"}"#;
    fs::write(staging.join("plan.json"), plan).unwrap();
    assert_eq!(finish_restores(&souls).unwrap(), 1);
    assert!(!staging.exists());
    let restored = Store::open(&souls.join("xiaohong"), &options()).unwrap();
    assert_eq!(dump(&restored).unwrap(), dump(&store).unwrap());
}

#[test]
fn a_damaged_backup_restores_nothing() {
    let home = tempdir().unwrap();
    let store = full_memory(&home.path().join("live"), 20);
    let backup = backup_to(
        &home.path().join("b"),
        std::slice::from_ref(&store),
        time(START),
    )
    .unwrap();
    let souls = home.path().join("souls");
    let mut lot = Lot::new(4);
    for name in ["xiaohong.db", "manifest.json"] {
        let file = backup.folder.join(name);
        let good = fs::read(&file).unwrap();
        for round in 0..40 {
            let mut bytes = good.clone();
            let at = lot.below(bytes.len() as u64) as usize;
            bytes[at] ^= 1 << lot.below(8);
            fs::write(&file, bytes).unwrap();
            let outcome = read(&backup.folder)
                .and_then(|read| bring_back(&read, &restoring(&souls, Existing::Refuse)));
            let restored = souls.join("xiaohong");
            assert_eq!(
                outcome.is_ok(),
                restored.exists(),
                "round {round}: {outcome:?}"
            );
            if outcome.is_ok() {
                // Flipped in what only describes the backup: the time of its making, the program, white space.
                assert_eq!(name, "manifest.json");
                let restored = Store::open(&restored, &options()).unwrap();
                assert_eq!(dump(&restored).unwrap(), dump(&store).unwrap());
            }
            drop(fs::remove_dir_all(&souls));
        }
        fs::write(&file, good).unwrap();
    }
}

#[test]
fn an_encrypted_backup_opens_with_its_key_only() {
    let home = tempdir().unwrap();
    let store = full_memory(&home.path().join("live"), 20);
    let key = age::x25519::Identity::generate();
    let recipients = Recipients::parse(&[key.to_public().to_string()]).unwrap();
    let options_ = BackupOptions {
        folder: home.path().join("b"),
        recipients,
        at: time(START),
        installation: None,
    };
    let backup = back_up(std::slice::from_ref(&store), &options_, &mut |_| ()).unwrap();
    let bytes = fs::read(backup.folder.join("xiaohong.db.age")).unwrap();
    assert!(bytes.starts_with(b"age-encryption.org/v1"));
    assert!(!backup.folder.join("xiaohong.db").exists());
    let souls = home.path().join("souls");
    let without = bring_back(&backup, &restoring(&souls, Existing::Refuse));
    assert!(matches!(without, Err(StoreError::Invalid { .. })));
    for (identity, opens) in [(age::x25519::Identity::generate(), false), (key, true)] {
        let file = home.path().join("key.txt");
        fs::write(&file, identity.to_string().expose_secret()).unwrap();
        let identities = Identities::read(&file).unwrap();
        let options_ = RestoreOptions {
            identities: Some(&identities),
            beside: &[],
            ..restoring(&souls, Existing::Refuse)
        };
        assert_eq!(bring_back(&backup, &options_).is_ok(), opens);
    }
    let restored = Store::open(&souls.join("xiaohong"), &options()).unwrap();
    assert_eq!(dump(&restored).unwrap(), dump(&store).unwrap());
    assert!(matches!(
        Recipients::parse(&["age1nonsense"]),
        Err(StoreError::Invalid { .. })
    ));
}

#[test]
fn old_backups_go_by_the_rules() {
    let home = tempdir().unwrap();
    let folder = home.path().join("b");
    let store = named(&home.path().join("x"), "x");
    // Two a day for twenty days, from Monday the first of June on.
    for half_day in 0..40 {
        let at = time("2026-06-01T06:00:00Z") + SignedDuration::from_hours(12 * half_day);
        backup_to(&folder, std::slice::from_ref(&store), at).unwrap();
    }
    let last = newest(&folder, None).unwrap().unwrap();
    assert_eq!(last.manifest.created_at, time("2026-06-20T18:00:00Z"));
    let day = SignedDuration::from_hours(24);
    assert!(!is_due(Some(&last), day, time("2026-06-21T17:59:59Z")));
    assert!(is_due(Some(&last), day, time("2026-06-21T18:00:00Z")));
    assert!(
        is_due(Some(&last), day, time("2026-06-01T00:00:00Z")),
        "the clock went back"
    );
    assert!(is_due(None, day, time(START)));
    let removed = rotate(
        &folder,
        None,
        Keep {
            newest: 2,
            days: 3,
            weeks: 3,
        },
    )
    .unwrap();
    let left: Vec<_> = list(&folder)
        .unwrap()
        .iter()
        .map(|backup| backup.manifest.created_at.to_string())
        .collect();
    // The last of each of three weeks, the last of each of three days, the two newest.
    assert_eq!(
        left,
        [
            "2026-06-07T18:00:00Z",
            "2026-06-14T18:00:00Z",
            "2026-06-18T18:00:00Z",
            "2026-06-19T18:00:00Z",
            "2026-06-20T06:00:00Z",
            "2026-06-20T18:00:00Z",
        ]
    );
    assert_eq!(removed.len(), 34);
}

#[test]
fn who_writes_does_not_wait_for_a_backup_and_the_copy_is_of_one_moment() {
    let home = tempdir().unwrap();
    let store = full_memory(&home.path().join("souls/xiaohong"), 60);
    let options_ = BackupOptions {
        folder: home.path().join("backups"),
        recipients: Recipients::default(),
        at: time(START),
        installation: None,
    };
    let writer = store.clone();
    let mut written = 0;
    // The copying goes no further before each of these writes was acknowledged.
    let backup = back_up(std::slice::from_ref(&store), &options_, &mut |step| {
        if step.what == "copying xiaohong" {
            written += 1;
            let said = message(2_000 + written, "meanwhile");
            let push = writer.write(move |tx| tx.push(std::slice::from_ref(&said)));
            push.wait().unwrap();
        }
    })
    .unwrap();
    assert!(written > 0);
    let messages = store.read(|view| view.stats(time(START))).unwrap().messages;
    assert_eq!(messages, 60 + u64::try_from(written).unwrap());
    assert_eq!(backup.manifest.souls[0].messages, 60);
}
