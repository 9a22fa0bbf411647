//! What is erased is in no byte of any file any more; what is only hidden can come back.

use std::fs;
use std::path::{Path, PathBuf};

use jiff::SignedDuration;
use soulmem::store::backup::{BackupOptions, Recipients, back_up};
use soulmem::store::{
    Erase, Idempotency, Links, MessageWords, NoteWords, NoteWrite, OnExisting, OwnWord, Store,
    StoreError, TRASH_KEPT, Tx, discard, discarded, empty_trash, erase_soul, put_back, repair,
};
use soulmem_engine::model::{Field, Source};
use tempfile::tempdir;
use uuid::Uuid;

use crate::dump::{SEGMENTER, dump, full_memory};
use crate::support::{START, create, created, message, message_id, note, note_id, options, time};

/// A text that nothing else contains, with characters that look different inside JSON.
const SECRET: &str = "他说\"绝密的话\"就不再开口";

/// Files in a folder that contain the text in UTF-8 or UTF-16, either way round.
fn holding(folder: &Path, text: &str) -> Vec<PathBuf> {
    let wide: Vec<u16> = text.encode_utf16().collect();
    let needles = [
        text.as_bytes().to_vec(),
        wide.iter().flat_map(|unit| unit.to_le_bytes()).collect(),
        wide.iter().flat_map(|unit| unit.to_be_bytes()).collect(),
    ];
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let bytes = fs::read(&path).unwrap();
            if needles.iter().any(|needle| {
                bytes
                    .windows(needle.len())
                    .any(|window| window == needle.as_slice())
            }) {
                found.push(path);
            }
        }
    }
    found
}

/// Leaves the secret in every place where a memory may come to keep it.
fn confide(tx: &Tx) -> soulmem::store::Result<()> {
    tx.push(&[message(700, SECRET)])?;
    tx.put_message_words(
        SEGMENTER,
        &[MessageWords {
            message: message_id(700),
            words: SECRET.to_owned(),
        }],
    )?;
    let mut only = note(701, SECRET);
    only.source = vec![
        Source::Message {
            id: message_id(700),
        },
        Source::Consolidation {
            job: "j".to_owned(),
        },
    ];
    let mut also = note(702, "两件事");
    also.source = vec![
        Source::Message {
            id: message_id(700),
        },
        Source::Message { id: message_id(1) },
    ];
    tx.put_notes(&[created(only), created(also)])?;
    tx.put_note_words(
        SEGMENTER,
        &[NoteWords {
            note: note_id(701),
            field: Field::Content,
            part: 0,
            words: SECRET.to_owned(),
        }],
    )?;
    tx.set_summary(&format!("摘要：{SECRET}"), message_id(700))?;
    let job = Uuid::from_u128(703);
    tx.queue_job(
        job,
        "consolidate",
        &format!("{{\"text\":{}}}", serde_json::to_string(SECRET).unwrap()),
    )?;
    tx.start_job(job)?;
    tx.put_llm_reply(job, [1; 32], SECRET)?;
    tx.finish_job(job, SECRET)?;
    tx.put_own_words(&[OwnWord {
        word: SECRET.to_owned(),
        weight: None,
        tag: None,
    }])?;
    tx.set_meta("last", SECRET)
}

/// An earlier wording leaves its bytes on pages that were given free.
fn reword(tx: &Tx) -> soulmem::store::Result<()> {
    for content in [SECRET, "换了说法"] {
        let note = note(706, content);
        let write = NoteWrite {
            note,
            on_existing: OnExisting::Replace,
            links: Links::Set,
        };
        tx.put_notes(&[write])?;
    }
    Ok(())
}

/// What a repair keeps holds the secret too.
fn damage_and_repair(folder: &Path) {
    let tamper = rusqlite::Connection::open(folder.join("memory.db")).unwrap();
    let id = message_id(705).0;
    tamper
        .execute(
            "UPDATE message SET tz = 'x' WHERE id = ?",
            [id.as_bytes().as_slice()],
        )
        .unwrap();
    drop(tamper);
    repair(folder, &options(), &mut |_| ()).unwrap();
}

#[test]
fn an_erased_message_is_in_no_byte_of_any_file() {
    let home = tempdir().unwrap();
    let souls = home.path().join("souls");
    let folder = souls.join("xiaohong");
    let store = full_memory(&folder, 60);
    let before = dump(&store).unwrap();
    store.write(confide).wait().unwrap();
    let key = || Some(Idempotency::new("k", "push", b"p"));
    store
        .write_once(key(), |tx| {
            tx.push(&[message(704, "另一句"), message(705, SECRET)])
        })
        .wait()
        .unwrap();
    store.write(reword).wait().unwrap();
    let place = home.path().join("backups");
    let options_ = BackupOptions {
        folder: place.clone(),
        recipients: Recipients::default(),
        at: time(START),
        installation: None,
    };
    let backup = back_up(std::slice::from_ref(&store), &options_, &mut |_| ()).unwrap();
    store.checkpoint().wait().unwrap();
    drop(store);
    damage_and_repair(&folder);
    let store = Store::open(&folder, &options()).unwrap();
    assert!(holding(&folder, SECRET).len() >= 2);

    let what = Erase {
        messages: vec![message_id(700), message_id(705), message_id(9_999)],
        notes: vec![],
    };
    let erased = store.erase(&what, &mut |_| ()).unwrap();
    assert_eq!(
        holding(&souls, SECRET),
        Vec::<PathBuf>::new(),
        "while it is open"
    );
    assert_eq!(
        erased.messages,
        [message_id(700)],
        "the other one was set aside by the repair"
    );
    assert_eq!(erased.notes, [note_id(701)]);
    assert_eq!(erased.changed, [note_id(702)]);
    assert_eq!(erased.quoted_by, []);
    assert!(erased.summary_dropped);
    assert_eq!(
        (erased.answers, erased.aside, erased.llm_replies),
        (1, 1, 2)
    );
    assert_eq!(erased.traces, 4, "a job's input and report, a fact, a word");
    let again = store
        .write_once(key(), |tx| tx.push(&[message(705, SECRET)]))
        .wait();
    assert!(
        matches!(again, Err(StoreError::Conflict(_))),
        "a repeat does not bring it back"
    );
    let backups = erased.still_in(&place).unwrap();
    assert_eq!(backups, [backup]);

    let left = store
        .read(|view| view.note(note_id(702)))
        .unwrap()
        .unwrap()
        .note;
    assert_eq!(left.source, [Source::Message { id: message_id(1) }]);
    let after = dump(&store).unwrap();
    assert_eq!(after.messages[..60], before.messages);
    assert_eq!(after.links, before.links);
    assert!(store.check(&mut |_| ()).unwrap().is_healthy());
    store
        .write(|tx| tx.push(&[message(800, "and on")]))
        .wait()
        .unwrap();
    drop(store);
    assert_eq!(
        holding(&souls, SECRET),
        Vec::<PathBuf>::new(),
        "once it is closed"
    );
}

#[test]
fn erasing_notes_takes_their_links_and_leaves_the_messages() {
    let home = tempdir().unwrap();
    let store = full_memory(&home.path().join("x"), 20);
    store
        .write(|tx| tx.delete_notes(&[note_id(2)]))
        .wait()
        .unwrap();
    let before = dump(&store).unwrap();
    let what = Erase {
        notes: vec![note_id(1), note_id(2)],
        messages: vec![],
    };
    let erased = store.erase(&what, &mut |_| ()).unwrap();
    assert_eq!(erased.notes, [note_id(1), note_id(2)]);
    assert_eq!(holding(store.folder(), "记忆1 2"), Vec::<PathBuf>::new());
    assert_eq!(holding(store.folder(), "记忆2 2"), Vec::<PathBuf>::new());
    let after = dump(&store).unwrap();
    assert_eq!(
        (after.messages, after.summary),
        (before.messages, before.summary)
    );
    assert_eq!(after.notes.len(), before.notes.len() - 1);
    assert!(store.check(&mut |_| ()).unwrap().is_healthy());
}

#[test]
fn what_a_message_is_quoted_in_is_named() {
    let home = tempdir().unwrap();
    let store = create(&home.path().join("x"));
    store
        .write(|tx| {
            tx.push(&[message(1, SECRET)])?;
            tx.put_notes(&[created(note(2, &format!("有人说：{SECRET}")))])
        })
        .wait()
        .unwrap();
    let erased = store
        .erase(
            &Erase {
                messages: vec![message_id(1)],
                notes: vec![],
            },
            &mut |_| (),
        )
        .unwrap();
    assert_eq!((erased.quoted_by, erased.notes), (vec![note_id(2)], vec![]));
}

#[test]
fn readers_go_on_while_the_database_is_written_anew() {
    let home = tempdir().unwrap();
    let store = full_memory(&home.path().join("x"), 60);
    let before = dump(&store).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for _ in 0..20 {
                    assert_eq!(dump(&store).unwrap().messages, before.messages);
                }
            });
        }
        for _ in 0..5 {
            store.compact().wait().unwrap();
        }
    });
    assert_eq!(dump(&store).unwrap(), before);
}

#[test]
fn a_dropped_character_waits_in_the_trash_for_thirty_days() {
    let home = tempdir().unwrap();
    let (souls, trash) = (home.path().join("souls"), home.path().join("trash"));
    let soul = "xiao-hong".parse().unwrap();
    let store = full_memory(&souls.join("xiao-hong"), 20);
    let before = dump(&store).unwrap();
    assert!(matches!(
        discard(&souls, &soul, &trash, time(START)),
        Err(StoreError::InUse { .. })
    ));
    drop(store);
    let gone = discard(&souls, &soul, &trash, time(START)).unwrap();
    assert!(!souls.join("xiao-hong").exists());
    assert_eq!(discarded(&trash).unwrap(), std::slice::from_ref(&gone));
    put_back(&gone, &souls).unwrap();
    assert_eq!(
        dump(&Store::open(&souls.join("xiao-hong"), &options()).unwrap()).unwrap(),
        before
    );
    discard(&souls, &soul, &trash, time(START)).unwrap();
    let almost = time(START) + TRASH_KEPT - SignedDuration::from_secs(1);
    assert_eq!(empty_trash(&trash, TRASH_KEPT, almost).unwrap(), []);
    assert_eq!(
        empty_trash(&trash, TRASH_KEPT, time(START) + TRASH_KEPT).unwrap(),
        [gone]
    );
    assert_eq!(discarded(&trash).unwrap(), []);
    assert!(matches!(
        discard(&souls, &soul, &trash, time(START)),
        Err(StoreError::NotFound(_))
    ));
}

#[test]
fn an_erased_character_is_gone_from_the_trash_too() {
    let home = tempdir().unwrap();
    let (souls, trash, place) = (
        home.path().join("souls"),
        home.path().join("trash"),
        home.path().join("backups"),
    );
    let soul = "xiaohong".parse().unwrap();
    let store = full_memory(&souls.join("xiaohong"), 20);
    let options_ = BackupOptions {
        folder: place.clone(),
        recipients: Recipients::default(),
        at: time(START),
        installation: None,
    };
    let backup = back_up(std::slice::from_ref(&store), &options_, &mut |_| ()).unwrap();
    assert!(matches!(
        erase_soul(&souls, &soul, &trash),
        Err(StoreError::InUse { .. })
    ));
    drop(store);
    discard(&souls, &soul, &trash, time(START)).unwrap();
    drop(create(&souls.join("xiaohong")));
    let erased = erase_soul(&souls, &soul, &trash).unwrap();
    assert_eq!(
        erased.folders,
        [
            souls.join("xiaohong"),
            trash.join("xiaohong-20260601T080000Z")
        ]
    );
    assert_eq!(erased.still_in(&place).unwrap(), [backup]);
    assert_eq!(holding(&souls, "第1句话"), Vec::<PathBuf>::new());
    assert_eq!(holding(&trash, "第1句话"), Vec::<PathBuf>::new());
    assert!(matches!(
        erase_soul(&souls, &soul, &trash),
        Err(StoreError::NotFound(_))
    ));
}

/// Requests that share a commit see each other's rows before the tally does; going through all notes in the middle
/// of such a commit once took that for damage.
#[test]
fn erasing_in_a_commit_that_adds_links_is_no_damage() {
    let home = tempdir().unwrap();
    let store = full_memory(&home.path().join("x"), 20);
    let linked = store.write(|tx| {
        tx.push(&[message(900, SECRET)])?;
        let mut linked = note(900, "新的");
        linked.mem_links = vec![crate::support::link(900, 900, 1)];
        tx.put_notes(&[created(linked)])?;
        let mut links = 0;
        tx.for_each_note(|stored| {
            links += stored.note.mem_links.len();
            Ok(())
        })?;
        Ok(links)
    });
    assert!(linked.wait().unwrap() > 1);
    let what = Erase {
        messages: vec![message_id(900)],
        notes: vec![],
    };
    assert_eq!(
        store.erase(&what, &mut |_| ()).unwrap().messages,
        [message_id(900)]
    );
}
