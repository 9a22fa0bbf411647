//! Characters as a whole: backups on a schedule and the trash, told by a clock that the tests set, and places to be open in.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use age::secrecy::ExposeSecret;
use jiff::{SignedDuration, Timestamp};
use soulmem::llm::Llm;
use soulmem::soul::events::EventHub;
use soulmem::soul::outside::{Outside, TimedIds};
use soulmem::soul::pool::Pool;
use soulmem::soul::{
    BackupSettings, RestorePlan, SoulError, SoulSettings, Souls, World, WriteOrder,
};
use soulmem::store::backup::{Keep, Recipients, list};
use soulmem::store::{Erase, NewSoul, Store, Tx, View};
use soulmem_embed::LexicalModel;
use soulmem_engine::model::Clock;
use soulmem_engine::text::estimate_tokens;
use soulmem_proto::SoulName;
use soulmem_proto::ops::health::Condition;
use soulmem_proto::ops::push::{PushMessage, PushRequest, Role};
use soulmem_proto::ops::soul_owner::{OwnerState, Ownership};
use tempfile::TempDir;
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// A clock that goes on when it is told to.
#[derive(Debug)]
struct Hands(Mutex<Timestamp>);

impl Clock for Hands {
    fn now(&self) -> Timestamp {
        *self.0.lock().unwrap()
    }
}

impl Hands {
    fn go_on(&self, hours: f64) {
        let mut now = self.0.lock().unwrap();
        *now += SignedDuration::from_secs_f64(hours * 3_600.0);
    }
}

struct Home {
    folder: TempDir,
    clock: Arc<Hands>,
    souls: Arc<Souls>,
}

impl Home {
    fn new(backup: BackupSettings) -> Self {
        Self::with(SoulSettings {
            backup,
            ..SoulSettings::default()
        })
    }

    fn with(mut settings: SoulSettings) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(Hands(Mutex::new("2026-06-01T08:00:00Z".parse().unwrap())));
        let world = World {
            outside: Outside {
                clock: clock.clone(),
                ids: Arc::new(TimedIds),
            },
            model: Arc::new(LexicalModel::new()),
            tokens: Arc::new(estimate_tokens),
            events: Arc::new(EventHub::default()),
            llm: Arc::new(Llm::none()),
            reimagine: None,
            pool: Pool::new(2),
            jobs: Arc::new(Semaphore::new(1)),
        };
        let backups = &mut settings.backup.folder;
        *backups = backups.take().map(|name| folder.path().join(name));
        let souls = Souls::find(world, &folder.path().join("data"), settings).unwrap();
        Self {
            folder,
            clock,
            souls: Arc::new(souls),
        }
    }

    fn backups(&self) -> std::path::PathBuf {
        self.folder.path().join("backups")
    }

    async fn create(&self, name: &str) {
        let about = NewSoul::named(name.parse().unwrap());
        self.souls.create(about, None).await.unwrap();
    }

    async fn push(&self, name: &str, text: &str) {
        let message = PushMessage {
            role: Role::User,
            text: text.to_owned(),
            name: None,
            at: None,
            tz: None,
            session: None,
            tag: None,
            source: None,
        };
        let request = PushRequest {
            messages: vec![message],
            origin: None,
        };
        let soul = self.souls.open(&name.parse().unwrap()).await.unwrap();
        soul.push(request, WriteOrder::default()).await.unwrap();
    }

    /// The hours after the beginning at which the backups that are there were made.
    fn made(&self) -> Vec<i64> {
        let begun: Timestamp = "2026-06-01T08:00:00Z".parse().unwrap();
        let hours = |at: Timestamp| at.duration_since(begun).as_hours();
        let found = list(&self.backups()).unwrap();
        found
            .iter()
            .map(|backup| hours(backup.manifest.created_at))
            .collect()
    }

    async fn condition(&self) -> (Condition, String) {
        let health = self.souls.backup_health().await.unwrap();
        (health.condition, health.reason.unwrap_or_default())
    }
}

fn every(hours: i64, keep: Keep) -> BackupSettings {
    BackupSettings {
        folder: Some("backups".into()),
        every: SignedDuration::from_hours(hours),
        keep,
        warn_after: SignedDuration::from_hours(2 * hours),
        ..BackupSettings::default()
    }
}

#[tokio::test]
async fn a_backup_is_made_when_it_is_due_and_old_ones_go() {
    let keep = Keep {
        newest: 2,
        days: 3,
        weeks: 0,
    };
    let home = Home::new(every(6, keep));
    fs::create_dir(home.backups()).unwrap();
    assert!(
        home.souls.back_up_if_due().await.unwrap().is_none(),
        "nobody to back up"
    );
    home.create("ann").await;
    home.push("ann", "hello").await;
    assert_eq!(home.condition().await.0, Condition::Loading);
    assert!(home.souls.back_up_if_due().await.unwrap().is_some());
    assert_eq!(home.condition().await.0, Condition::Ready);
    assert!(home.souls.back_up_if_due().await.unwrap().is_none());
    home.clock.go_on(5.9);
    assert!(home.souls.back_up_if_due().await.unwrap().is_none());
    for _ in 0..15 {
        home.clock.go_on(6.0);
        assert!(home.souls.back_up_if_due().await.unwrap().is_some());
    }
    // Begun at 8:00 on the first, every 6 hours from 13:54 on the same day: the last two, and the last of each of the
    // last three days (19:54, but 1:54 on the last).
    assert_eq!(home.made(), [59, 83, 89, 95]);
}

#[tokio::test]
async fn daemons_that_share_a_folder_leave_the_backups_of_each_other_alone_and_say_so() {
    let shared = tempfile::tempdir().unwrap();
    let settings = BackupSettings {
        folder: Some(shared.path().to_owned()),
        ..every(
            6,
            Keep {
                newest: 1,
                days: 0,
                weeks: 0,
            },
        )
    };
    let (one, other) = (Home::new(settings.clone()), Home::new(settings));
    for (home, name) in [(&one, "ann"), (&other, "bo")] {
        home.create(name).await;
        home.push(name, "hello").await;
        // Due for each, whatever the other did a moment ago.
        assert!(home.souls.back_up_if_due().await.unwrap().is_some());
    }
    for _ in 0..3 {
        one.clock.go_on(6.0);
        assert!(one.souls.back_up_if_due().await.unwrap().is_some());
    }
    let left = list(shared.path()).unwrap().into_iter();
    let left: Vec<String> = left
        .flat_map(|backup| backup.manifest.souls)
        .map(|entry| entry.soul.to_string())
        .collect();
    assert_eq!(left, ["bo", "ann"], "the newest of each");
    for home in [one, other] {
        let health = home.souls.backup_health().await.unwrap();
        assert_eq!(
            (health.condition, health.of_others),
            (Condition::Ready, Some(1))
        );
    }
}

#[tokio::test]
async fn a_character_that_comes_back_where_it_was_not_has_to_be_asked_about_and_one_handed_over_stays_so()
 {
    let home = Home::new(every(6, Keep::default()));
    fs::create_dir(home.backups()).unwrap();
    home.create("ann").await;
    let made = home.souls.back_up_if_due().await.unwrap().unwrap();
    let plan = RestorePlan {
        folder: made.folder,
        souls: Vec::new(),
        replace: true,
        identity: None,
    };
    let ann: SoulName = "ann".parse().unwrap();

    home.souls.restore(plan.clone()).await.unwrap();
    assert_eq!(home.souls.ownerships().exception(&ann), None);
    assert_eq!(home.souls.living_here(), vec![ann.clone()]);

    let handed_over = Ownership {
        state: OwnerState::HandedOver,
        node: Some("soulmem@desktop".to_owned()),
        ..Ownership::default()
    };
    let set = home.souls.ownerships().set(&ann, handed_over.clone());
    set.await.unwrap();
    home.souls.restore(plan.clone()).await.unwrap();
    assert_eq!(home.souls.ownerships().of(&ann), handed_over);
    assert_eq!(home.souls.living_here(), []);

    let elsewhere = Home::new(BackupSettings::default());
    elsewhere.souls.restore(plan).await.unwrap();
    let found = elsewhere.souls.ownerships().of(&ann);
    assert_eq!((found.state, found.restored), (OwnerState::Owner, true));
    assert_eq!(
        elsewhere.souls.living_here(),
        [],
        "until it was asked about"
    );
    elsewhere.push("ann", "but it is written to").await;
}

#[tokio::test]
async fn a_folder_that_is_gone_and_a_backup_that_is_old_are_told() {
    let home = Home::new(every(6, Keep::default()));
    home.create("ann").await;
    assert!(home.souls.back_up_if_due().await.is_err());
    let (condition, reason) = home.condition().await;
    assert_eq!(condition, Condition::Down);
    assert!(reason.contains("is not there"), "{reason}");
    assert!(!home.backups().exists(), "it is not made on the wrong disk");

    fs::create_dir(home.backups()).unwrap();
    assert!(
        home.souls.back_up_if_due().await.unwrap().is_none(),
        "it waits after a failure"
    );
    home.clock.go_on(0.17);
    assert!(home.souls.back_up_if_due().await.unwrap().is_some());
    assert_eq!(home.condition().await, (Condition::Ready, String::new()));
    home.clock.go_on(12.0);
    assert_eq!(home.condition().await.0, Condition::Ready);
    home.clock.go_on(1.0);
    let (condition, reason) = home.condition().await;
    assert_eq!(condition, Condition::Down);
    assert!(reason.contains("13 hours old"), "{reason}");
}

#[tokio::test]
async fn a_damaged_character_keeps_no_other_from_being_backed_up() {
    let home = Home::new(every(
        6,
        Keep {
            newest: 1,
            days: 0,
            weeks: 0,
        },
    ));
    fs::create_dir(home.backups()).unwrap();
    for name in ["ann", "bo"] {
        home.create(name).await;
        home.push(name, "hello").await;
    }
    assert_eq!(
        home.souls
            .back_up_if_due()
            .await
            .unwrap()
            .unwrap()
            .manifest
            .souls
            .len(),
        2
    );
    home.souls.close().await;
    let database = home.folder.path().join("data/souls/bo/memory.db");
    let tamper = rusqlite::Connection::open(database).unwrap();
    tamper.execute("UPDATE message SET tz = 'x'", []).unwrap();
    drop(tamper);
    home.clock.go_on(6.0);
    let made = home.souls.back_up_if_due().await.unwrap().unwrap();
    let names: Vec<&str> = made
        .manifest
        .souls
        .iter()
        .map(|entry| entry.soul.as_str())
        .collect();
    assert_eq!(names, ["ann"]);
    let (condition, reason) = home.condition().await;
    assert_eq!(condition, Condition::Down);
    assert!(reason.starts_with("bo could not be backed up"), "{reason}");
    assert_eq!(home.made(), [0, 6], "the one that has bo whole stays");
}

#[tokio::test]
async fn an_encrypted_backup_is_read_with_its_key_alone() {
    let identity = age::x25519::Identity::generate();
    let key = identity.to_public().to_string();
    let home = Home::new(BackupSettings {
        recipients: Recipients::parse(&[key]).unwrap(),
        ..every(6, Keep::default())
    });
    fs::create_dir(home.backups()).unwrap();
    home.create("ann").await;
    home.push("ann", "only for the one with the key").await;
    let made = home.souls.back_up_if_due().await.unwrap().unwrap();
    let file = made.folder.join("ann.db.age");
    let needle = b"only for the one with the key";
    let bytes = fs::read(&file).unwrap();
    assert!(!bytes.windows(needle.len()).any(|part| part == needle));

    let mut plan = RestorePlan {
        folder: made.folder,
        souls: Vec::new(),
        replace: true,
        identity: None,
    };
    assert!(home.souls.restore(plan.clone()).await.is_err());
    let key_file = home.folder.path().join("key.txt");
    fs::write(&key_file, identity.to_string().expose_secret()).unwrap();
    plan.identity = Some(key_file);
    assert_eq!(home.souls.restore(plan).await.unwrap()[0].messages, 1);
}

#[tokio::test]
async fn an_erasure_that_was_cut_short_is_completed_at_the_next_opening() {
    let home = Home::new(BackupSettings::default());
    home.create("ann").await;
    home.push("ann", "to be erased").await;
    home.souls.close().await;
    // The rows go, and then there is a crash: an older state of the memory is left.
    let folder = home.folder.path().join("data/souls/ann");
    fs::create_dir(folder.join("snapshots")).unwrap();
    fs::copy(
        folder.join("memory.db"),
        folder.join("snapshots/schema-1-2.db"),
    )
    .unwrap();
    let options = home.souls.world().store_options(12.try_into().unwrap());
    let store = Store::open(&folder, &options).unwrap();
    let erase = |tx: &Tx| {
        let messages = tx.window()?.iter().map(|message| message.id).collect();
        tx.erase(&Erase {
            notes: Vec::new(),
            messages,
        })
    };
    assert_eq!(store.write(erase).await.unwrap().messages.len(), 1);
    store.close();
    assert!(folder.join("snapshots").exists());

    let soul = home.souls.open(&"ann".parse().unwrap()).await.unwrap();
    assert!(!folder.join("snapshots").exists());
    assert!(!soul.read(View::is_erasing).await.unwrap());
}

#[tokio::test]
async fn what_was_interrupted_long_ago_is_cleared_away_and_what_is_under_way_is_not() {
    let home = Home::new(every(6, Keep::default()));
    let unfinished = |name: &str| home.backups().join(format!(".unfinished-{name}"));
    fs::create_dir_all(unfinished("20260530T080000Z")).unwrap();
    fs::create_dir_all(unfinished("20260601T070000Z")).unwrap();
    home.create("ann").await;
    home.souls.back_up_if_due().await.unwrap().unwrap();
    let is_there = |path: &Path| path.exists();
    assert!(!is_there(&unfinished("20260530T080000Z")));
    assert!(is_there(&unfinished("20260601T070000Z")));
}

#[tokio::test]
async fn who_finds_every_place_in_use_waits_for_one_as_long_as_it_likes() {
    let home = Home::with(SoulSettings {
        max_open: 1,
        ..SoulSettings::default()
    });
    for name in ["ann", "bo"] {
        home.create(name).await;
    }
    let [ann, bo] = ["ann", "bo"].map(|name| name.parse().unwrap());
    let in_use = home.souls.open(&ann).await.unwrap();
    let gave_up = timeout(Duration::from_millis(100), home.souls.open(&bo)).await;
    assert!(gave_up.is_err(), "the only place is in use");
    assert_eq!(
        home.souls.health().await.len(),
        2,
        "looking waits for nobody"
    );
    drop(in_use);
    assert_eq!(home.souls.open(&bo).await.unwrap().name(), &bo);
}

#[tokio::test]
async fn a_data_directory_that_is_gone_is_not_made_again() {
    let home = Home::new(BackupSettings::default());
    let data = home.folder.path().join("data");
    fs::remove_dir_all(&data).unwrap();
    let about = NewSoul::named("ann".parse().unwrap());
    let refused = home.souls.create(about, None).await;
    assert!(matches!(refused, Err(SoulError::Folder(..))), "{refused:?}");
    assert!(!data.exists());
}

#[tokio::test]
async fn the_trash_is_emptied_after_thirty_days() {
    let home = Home::new(BackupSettings::default());
    home.create("ann").await;
    let ann = "ann".parse().unwrap();
    let dropped = home
        .souls
        .drop_soul(&ann, WriteOrder::default())
        .await
        .unwrap();
    home.clock.go_on(30.0 * 24.0 - 0.1);
    assert!(home.souls.empty_trash().await.unwrap().is_empty());
    assert!(dropped.folder.exists());
    home.clock.go_on(0.1);
    let gone = home.souls.empty_trash().await.unwrap();
    assert_eq!(gone, std::slice::from_ref(&dropped));
    assert!(!dropped.folder.exists());
}
