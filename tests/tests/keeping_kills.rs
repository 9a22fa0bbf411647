//! A daemon is killed while it backs up, restores, erases and drops a character: each of these is done or not, never by
//! half, what was answered stays so, and the character beside it loses nothing.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fastrand::Rng;
use serde_json::{Value as Json, json};
use soulmem_proto::ops::backup::BackupResponse;
use soulmem_proto::ops::doctor::DoctorResponse;
use soulmem_proto::ops::push::PushResponse;
use soulmem_proto::ops::soul_list::SoulListResponse;
use soulmem_proto::{ErrorCode, Op, SoulName, Value};
use soulmem_tests::{Client, Daemon, Failure, chance};
use tempfile::TempDir;

/// How often the daemon is killed in one round; `SOULMEM_TEST_KILLS` makes it more rounds.
const KILLS: u64 = 24;
/// A daemon is killed within one of these times after it was asked: early in the work, or anywhere in it and after it.
const MOMENTS: [Duration; 2] = [Duration::from_millis(40), Duration::from_millis(400)];
/// Backups that are restored from; the ones before are removed.
const MOST_BACKUPS: usize = 4;

/// What a daemon is killed in.
#[derive(Debug, Clone)]
enum Work {
    BackUp,
    Restore(PathBuf),
    /// The message of that place.
    Erase(usize),
    EraseAll,
    Drop,
}

/// One data directory, and what should be in it.
struct Life {
    data: TempDir,
    backups: TempDir,
    mei: SoulName,
    tom: SoulName,
    /// What was said to Mei, while she is there.
    said: Option<Vec<String>>,
    /// What was said to Tom.
    beside: Vec<String>,
    /// What Mei is told in each backup.
    kept: BTreeMap<PathBuf, Option<Vec<String>>>,
    /// Counts texts and requests.
    next: u64,
    /// How many kills came before the answer.
    unanswered: u64,
}

impl Life {
    fn new() -> Self {
        Self {
            data: tempfile::tempdir().unwrap(),
            backups: tempfile::tempdir().unwrap(),
            mei: "mei".parse().unwrap(),
            tom: "tom".parse().unwrap(),
            said: None,
            beside: Vec::new(),
            kept: BTreeMap::new(),
            next: 0,
            unanswered: 0,
        }
    }

    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// Both are there, and each is told something new.
    fn prepare(&mut self, client: &mut Client) {
        let said = if let Some(said) = &mut self.said {
            said
        } else {
            create(client, &self.mei);
            self.said.insert(Vec::new())
        };
        for _ in 0..3 {
            self.next += 1;
            let text = format!("mei was told the {}th thing", self.next);
            push(client, &self.mei, &text);
            said.push(text);
        }
        let text = format!("tom was told the {}th thing", self.number());
        push(client, &self.tom, &text);
        self.beside.push(text);
    }

    /// A backup to be restored from the beginning on.
    fn back_up(&mut self, client: &mut Client) {
        let payload = json!({"folder": self.backups.path()});
        let made: BackupResponse = client.call(Op::Backup, None, &payload, None).unwrap();
        self.kept.insert(made.folder.into(), self.said.clone());
    }

    fn choose(&self, random: &mut Rng) -> Work {
        let said = self.said.as_ref().map_or(0, Vec::len);
        let backups: Vec<&PathBuf> = self.kept.keys().collect();
        match random.u8(0..12) {
            0..3 => Work::Restore(backups[random.usize(0..backups.len())].clone()),
            3..6 => Work::Erase(random.usize(0..said)),
            6 => Work::EraseAll,
            7..9 => Work::Drop,
            _ => Work::BackUp,
        }
    }

    /// Kills the daemon within the work, and says whether that had been answered.
    fn kill_within(&mut self, work: &Work, daemon: Daemon, random: &mut Rng) -> Asked {
        let mut client = daemon.connect();
        let mut asked = self.asked(work, &mut client);
        client
            .send(asked.op, asked.soul.as_ref(), &asked.payload, asked.key())
            .unwrap();
        let most = MOMENTS[usize::from(random.bool())];
        chance::moment(random, most);
        daemon.kill();
        asked.is_answered = match client.receive() {
            Ok((_, Ok(_))) => true,
            Ok((_, Err(refused))) => panic!("{work:?}: {refused}"),
            Err(_) => false,
        };
        self.unanswered += u64::from(!asked.is_answered);
        asked
    }

    fn asked(&mut self, work: &Work, client: &mut Client) -> Asked {
        let mei = Some(self.mei.clone());
        let (op, soul, payload) = match work {
            Work::BackUp => {
                let folder = self.backups.path();
                (Op::Backup, None, json!({"folder": folder}))
            }
            Work::Restore(folder) => {
                let payload = json!({"folder": folder, "souls": [self.mei], "replace": true});
                (Op::Restore, None, payload)
            }
            Work::Erase(place) => {
                let id = client.messages(&self.mei).unwrap()[*place].id;
                (Op::Erase, mei, json!({"messages": [id]}))
            }
            Work::EraseAll => {
                let payload = json!({"soul": true, "confirm": self.mei});
                (Op::Erase, mei, payload)
            }
            Work::Drop => (Op::SoulDrop, mei, json!({"confirm": self.mei})),
        };
        Asked {
            op,
            soul,
            payload,
            key: format!("request {}", self.number()),
            is_answered: false,
        }
    }

    /// What may be there of Mei after the work, where it was done.
    fn after(&self, work: &Work) -> Option<Vec<String>> {
        match work {
            Work::BackUp => self.said.clone(),
            Work::Restore(folder) => self.kept[folder].clone(),
            Work::Erase(place) => {
                let mut said = self.said.clone().unwrap();
                said.remove(*place);
                Some(said)
            }
            Work::EraseAll | Work::Drop => None,
        }
    }

    /// Nothing that can be seen is half-done, and nothing that was answered is undone.
    fn check(&mut self, work: &Work, asked: &Asked, daemon: &Daemon) {
        let mut client = daemon.connect();
        let there = told(&mut client, &self.mei);
        let after = self.after(work);
        assert!(
            there == after || (!asked.is_answered && there == self.said),
            "{work:?}, answered: {}: there is {there:?}, there was {:?}",
            asked.is_answered,
            self.said
        );
        assert_eq!(told(&mut client, &self.tom).as_ref(), Some(&self.beside));
        for soul in [&self.mei, &self.tom] {
            if told(&mut client, soul).is_some() {
                let found: DoctorResponse = client
                    .call(Op::Doctor, Some(soul), &json!({}), None)
                    .unwrap();
                assert_eq!(found.findings, [], "{work:?} of {soul}");
            }
        }
        self.look_at_backups(work, asked);
        let was = std::mem::replace(&mut self.said, there);
        self.finish(work, asked, was, &mut client);
    }

    /// A backup that can be seen is one of what there was.
    fn look_at_backups(&mut self, work: &Work, asked: &Asked) {
        let entries = fs::read_dir(self.backups.path()).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        let seen: Vec<PathBuf> = paths
            .filter(|path| path.join("manifest.json").exists())
            .collect();
        let finished =
            |path: &&PathBuf| !path.file_name().unwrap().to_str().unwrap().starts_with('.');
        let new: Vec<&PathBuf> = (seen.iter().filter(finished))
            .filter(|path| !self.kept.contains_key(*path))
            .collect();
        let expected = matches!(work, Work::BackUp);
        assert!(new.len() <= usize::from(expected), "{work:?}: {new:?}");
        assert!(
            !(expected && asked.is_answered && new.is_empty()),
            "{work:?}"
        );
        for path in new {
            self.kept.insert(path.clone(), self.said.clone());
        }
        while self.kept.len() > MOST_BACKUPS {
            let (oldest, _) = self.kept.pop_first().unwrap();
            fs::remove_dir_all(oldest).unwrap();
        }
    }

    /// The request is repeated, as a caller does who heard no answer. Then it is done once, and what was erased is in no
    /// byte.
    fn finish(
        &mut self,
        work: &Work,
        asked: &Asked,
        was: Option<Vec<String>>,
        client: &mut Client,
    ) {
        if let Work::BackUp | Work::Restore(_) = work {
            return;
        }
        let again =
            client.call::<Value>(asked.op, asked.soul.as_ref(), &asked.payload, asked.key());
        match again {
            Ok(_) => {}
            // It keeps no key where nothing is left to keep it.
            Err(Failure::Refused(refused)) if refused.code == ErrorCode::UnknownSoul => {}
            Err(failure) => panic!("{work:?} again: {failure:?}"),
        }
        let was = was.unwrap();
        let erased = match work {
            Work::Erase(place) => vec![was[*place].clone()],
            Work::EraseAll => was.clone(),
            _ => vec![],
        };
        for text in erased {
            let found = holding(self.data.path(), &text);
            assert!(found.is_empty(), "{work:?}: {text:?} is in {found:?}");
        }
        let mut left = was;
        let left = match work {
            Work::Erase(place) => {
                left.remove(*place);
                Some(left)
            }
            _ => None,
        };
        assert_eq!(told(client, &self.mei), left, "{work:?} again");
        self.said = left;
    }
}

/// A request that a daemon was killed in.
struct Asked {
    op: Op,
    soul: Option<SoulName>,
    payload: Json,
    key: String,
    is_answered: bool,
}

impl Asked {
    /// The key of one that keeps it.
    fn key(&self) -> Option<&str> {
        self.op.writes().then_some(&*self.key)
    }
}

fn create(client: &mut Client, soul: &SoulName) {
    client
        .call::<Value>(Op::SoulCreate, Some(soul), &json!({}), None)
        .unwrap();
}

fn push(client: &mut Client, soul: &SoulName, text: &str) {
    let payload = json!({"messages": [{"role": "user", "text": text}]});
    let _: PushResponse = client.call(Op::Push, Some(soul), &payload, None).unwrap();
}

/// What was said to a character, if there is one of that name.
fn told(client: &mut Client, soul: &SoulName) -> Option<Vec<String>> {
    let all: SoulListResponse = client.call(Op::SoulList, None, &json!({}), None).unwrap();
    all.souls.iter().find(|entry| entry.soul == *soul)?;
    let messages = client.messages(soul).unwrap();
    Some(messages.into_iter().map(|message| message.text).collect())
}

/// The files in which a text is.
fn holding(folder: &Path, text: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(holding(&path, text));
            continue;
        }
        let bytes = fs::read(&path).unwrap();
        if bytes
            .windows(text.len())
            .any(|part| part == text.as_bytes())
        {
            found.push(path);
        }
    }
    found
}

#[test]
fn nothing_is_half_backed_up_restored_erased_or_dropped_by_kills() {
    let mut random = chance::seeded();
    for kills in chance::rounds(KILLS) {
        round(kills, &mut random);
    }
}

fn round(kills: u64, random: &mut Rng) {
    let mut life = Life::new();
    let mut daemon = Daemon::start(life.data.path());
    create(&mut daemon.connect(), &life.tom);
    life.prepare(&mut daemon.connect());
    life.back_up(&mut daemon.connect());
    let mut works = BTreeMap::<String, u64>::new();
    for _ in 0..kills {
        life.prepare(&mut daemon.connect());
        let work = life.choose(random);
        let name = format!("{work:?}");
        let name = name.split('(').next().unwrap().to_owned();
        *works.entry(name).or_default() += 1;
        let asked = life.kill_within(&work, daemon, random);
        daemon = Daemon::start(life.data.path());
        life.check(&work, &asked, &daemon);
    }
    assert!(daemon.leave().success());
    let unanswered = life.unanswered;
    println!("{kills} kills, {unanswered} before the answer: {works:?}");
}
