//! A life of a memory in which everything that writes happens, and what must be true of what it leaves.

use std::fs;
use std::path::{Path, PathBuf};

use soulmem::store::backup::{
    BackupOptions, Existing, Recipients, RestoreOptions, back_up, finish_restores, list, restore,
};
use soulmem::store::{
    Condition, Erase, MessageFilter, NewMessage, NewSoul, Result, Store, StoreError, discard,
    discarded, put_back,
};

use crate::support::{self, START, created, link, message, message_id, note, note_id, time};

/// What the erased message says.
const SECRET: &str = "nobody must ever read this again";

/// The folders of one life.
pub struct Home(PathBuf);

impl Home {
    pub fn at(folder: &Path) -> Self {
        Self(folder.to_owned())
    }

    fn souls(&self) -> PathBuf {
        self.0.join("souls")
    }

    fn soul(&self) -> PathBuf {
        self.souls().join("xiaohong")
    }

    fn trash(&self) -> PathBuf {
        self.0.join("trash")
    }

    fn backups(&self) -> PathBuf {
        self.0.join("backups")
    }
}

/// Steps of the life, each acknowledged when it is done.
pub const STEPS: [&str; 10] = [
    "create",
    "first push",
    "second push",
    "notes",
    "backup",
    "erase",
    "checkpoint",
    "later push",
    "drop and back",
    "restore",
];

/// Takes one step.
pub fn take(home: &Home, step: usize) -> Result<()> {
    match STEPS[step] {
        "create" => Store::create(
            &home.soul(),
            NewSoul::named("xiaohong".parse().unwrap()),
            &support::options(),
        )
        .map(drop),
        "first push" => push(home, [message(1, "one"), message(2, SECRET)]),
        "second push" => push(home, [message(3, "three"), message(4, "four")]),
        "notes" => open(home)?.write(put_notes).wait().map(|_| ()),
        "backup" => {
            let options = BackupOptions {
                folder: home.backups(),
                recipients: Recipients::default(),
                at: time(START),
                installation: None,
            };
            match back_up(&[open(home)?], &options, &mut |_| ()) {
                // The step was taken before, but not acknowledged.
                Ok(_) | Err(StoreError::Conflict(_)) => Ok(()),
                Err(error) => Err(error),
            }
        }
        "erase" => {
            let what = Erase {
                messages: vec![message_id(2)],
                notes: vec![],
            };
            open(home)?.erase(&what, &mut |_| ()).map(|_| ())
        }
        "checkpoint" => open(home)?.checkpoint().wait().map(|_| ()),
        "later push" => push(home, [message(5, "five"), message(6, "six")]),
        "drop and back" => {
            let gone = discard(
                &home.souls(),
                &"xiaohong".parse().unwrap(),
                &home.trash(),
                time(START),
            )?;
            put_back(&gone, &home.souls())
        }
        "restore" => {
            let backups = list(&home.backups())?;
            let options = RestoreOptions {
                souls: &home.souls(),
                only: &[],
                existing: Existing::MoveTo(home.0.join("aside")),
                identities: None,
                beside: &[],
                at: time(START),
            };
            restore(&backups[0], &options, &mut |_| ()).map(|_| ())
        }
        other => unreachable!("{other}"),
    }
}

fn open(home: &Home) -> Result<Store> {
    Store::open(&home.soul(), &support::options())
}

fn push(home: &Home, messages: [NewMessage; 2]) -> Result<()> {
    open(home)?
        .write(move |tx| tx.push(&messages))
        .wait()
        .map(|_| ())
}

fn put_notes(tx: &soulmem::store::Tx) -> Result<Vec<soulmem::store::NoteWritten>> {
    let mut first = note(1, "tea");
    first.mem_links = vec![link(1, 1, 2)];
    tx.put_notes(&[created(first), created(note(2, "Tom"))])
}

/// Checks what a life left that ended in the middle of the step after the acknowledged ones.
///
/// `doing` may have happened or not, wholly.
pub fn check(home: &Home, acknowledged: usize) {
    finish_restores(&home.souls()).unwrap();
    for gone in discarded(&home.trash()).unwrap() {
        put_back(&gone, &home.souls()).unwrap();
    }
    if !Store::exists(&home.soul()) {
        assert_eq!(
            acknowledged,
            0,
            "the memory is gone after {}",
            STEPS[acknowledged - 1]
        );
        return;
    }
    let store = open(home).unwrap();
    assert!(
        matches!(store.condition(), Condition::Ready),
        "{:?}",
        store.condition()
    );
    assert_eq!(store.check(&mut |_| ()).unwrap().findings, []);
    let pushed = messages(&store);
    let possible = possible_messages(acknowledged);
    assert!(
        possible.contains(&pushed),
        "{pushed:?} after {acknowledged} steps, possible are {possible:?}"
    );
    let notes = store
        .read(|view| view.notes(&[note_id(1), note_id(2)]))
        .unwrap();
    let links = notes
        .iter()
        .map(|stored| stored.note.mem_links.len())
        .sum::<usize>();
    match acknowledged {
        0..=2 => assert_eq!((notes.len(), links), (0, 0)),
        3 => assert!(matches!((notes.len(), links), (0, 0) | (2, 1))),
        _ => assert_eq!((notes.len(), links), (2, 1)),
    }
    check_backups(home, acknowledged);
    drop(store);
    if (5..10).contains(&acknowledged) && !pushed.contains(&2) {
        check_erased(&home.soul());
    }
}

fn messages(store: &Store) -> Vec<u128> {
    let all = store
        .read(|view| view.list_messages(&MessageFilter::default(), None, 100))
        .unwrap();
    all.items
        .iter()
        .map(|message| message.id.0.as_u128())
        .collect()
}

/// What the log may hold after so many acknowledged steps, with the next one done or not.
fn possible_messages(acknowledged: usize) -> Vec<Vec<u128>> {
    let all = || vec![1, 2, 3, 4];
    let erased = || vec![1, 3, 4];
    let later = || vec![1, 3, 4, 5, 6];
    match acknowledged {
        0 => vec![vec![]],
        1 => vec![vec![], vec![1, 2]],
        2 => vec![vec![1, 2], all()],
        3 | 4 | 10.. => vec![all()],
        5 => vec![all(), erased()],
        6 => vec![erased()],
        7 => vec![erased(), later()],
        8 => vec![later()],
        9 => vec![later(), all()],
    }
}

fn check_backups(home: &Home, acknowledged: usize) {
    let backups = list(&home.backups()).unwrap();
    match acknowledged {
        0..=3 => assert_eq!(backups, []),
        4 => assert!(backups.len() <= 1),
        _ => assert_eq!(backups.len(), 1),
    }
    for backup in backups {
        let elsewhere = tempfile::tempdir().unwrap();
        let options = RestoreOptions {
            souls: elsewhere.path(),
            only: &[],
            existing: Existing::Refuse,
            identities: None,
            beside: &[],
            at: time(START),
        };
        restore(&backup, &options, &mut |_| ()).unwrap();
        let store = Store::open(&elsewhere.path().join("xiaohong"), &support::options()).unwrap();
        assert_eq!(messages(&store), [1, 2, 3, 4]);
    }
}

fn check_erased(folder: &Path) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            let bytes = fs::read(&path).unwrap();
            let found = bytes
                .windows(SECRET.len())
                .any(|window| window == SECRET.as_bytes());
            assert!(!found, "{} still holds what was erased", path.display());
        }
    }
}
