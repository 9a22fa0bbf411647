//! The characters of this daemon: which there are, and which of them are open.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use soulmem_proto::ops::health::State;
use soulmem_proto::ops::soul_list::SoulEntry;
use soulmem_proto::{EventName, SoulChange, SoulChangedEvent, SoulName};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::character::Soul;
use super::error::{Result, SoulError};
use super::pool::to_the_end;
use super::settings::SoulSettings;
use super::uploads::Uploads;
use super::world::World;
use crate::store::{Idempotency, NewSoul, Profile, Stats, Store, StoreError, Tx};

/// The folder of the characters inside the data directory.
const SOULS_FOLDER: &str = "souls";

/// Every character of this daemon.
pub struct Souls {
    world: Arc<World>,
    folder: PathBuf,
    settings: SoulSettings,
    /// A permit for each open character.
    room: Arc<Semaphore>,
    places: Mutex<BTreeMap<SoulName, Arc<Place>>>,
    /// Counts openings and uses, so that the longest unused can be told.
    uses: AtomicU64,
    uploads: Mutex<Uploads>,
    /// Held while a character is made.
    making: tokio::sync::Mutex<()>,
}

/// A character that is there, open or not. Its lock is held while it is opened or closed.
#[derive(Default)]
struct Place {
    open: tokio::sync::Mutex<Option<Open>>,
    last_use: AtomicU64,
    /// What was last seen of it while it was closed; nobody else can change it then.
    glance: Mutex<Option<Glance>>,
}

/// What can be told of a closed character.
#[derive(Debug, Clone)]
pub struct Glance {
    /// What it says of itself.
    pub profile: Profile,
    /// How much it has.
    pub stats: Stats,
}

struct Open {
    soul: Arc<Soul>,
    _room: OwnedSemaphorePermit,
}

impl Souls {
    /// Looks which characters there are in the data directory. None is opened.
    pub fn find(world: World, data_dir: &Path, settings: SoulSettings) -> io::Result<Self> {
        let folder = data_dir.join(SOULS_FOLDER);
        let mut places = BTreeMap::new();
        for name in names(&folder)? {
            if Store::exists(&folder.join(name.as_str())) {
                places.insert(name, Arc::default());
            }
        }
        Ok(Self {
            world: Arc::new(world),
            folder,
            room: Arc::new(Semaphore::new(settings.max_open)),
            uploads: Mutex::new(Uploads::new(settings.max_upload_bytes)),
            settings,
            places: Mutex::new(places),
            uses: AtomicU64::new(0),
            making: tokio::sync::Mutex::default(),
        })
    }

    /// The names of all characters, in order.
    pub fn names(&self) -> Vec<SoulName> {
        self.places().keys().cloned().collect()
    }

    /// Refuses a name that no character has.
    pub fn must_exist(&self, name: &SoulName) -> Result<()> {
        self.place(name).map(|_| ())
    }

    /// Whether any character is in talk.
    pub fn state(&self) -> State {
        let places: Vec<_> = self.places().values().cloned().collect();
        let works = |place: &Arc<Place>| {
            let open = place.open.try_lock();
            // A place whose lock is held is being opened for somebody.
            open.map_or(true, |open| {
                open.as_ref()
                    .is_some_and(|open| open.soul.state() == State::Working)
            })
        };
        if places.iter().any(works) {
            State::Working
        } else {
            State::Idle
        }
    }

    /// What all characters share.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// What can be set about characters.
    pub fn settings(&self) -> &SoulSettings {
        &self.settings
    }

    /// An open character, opening it on need.
    pub async fn open(self: &Arc<Self>, name: &SoulName) -> Result<Arc<Soul>> {
        let place = self.place(name)?;
        place
            .last_use
            .store(self.uses.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        if let Some(open) = &*place.open.lock().await {
            return Ok(Arc::clone(&open.soul));
        }
        let (souls, name) = (Arc::clone(self), name.clone());
        to_the_end(async move { souls.open_in(&place, name).await }).await
    }

    async fn open_in(&self, place: &Place, name: SoulName) -> Result<Arc<Soul>> {
        let mut open = place.open.lock().await;
        if let Some(open) = &*open {
            return Ok(Arc::clone(&open.soul));
        }
        let room = self.make_room().await?;
        let (world, folder, settings) = (
            Arc::clone(&self.world),
            self.folder_of(&name),
            self.settings.clone(),
        );
        let opened = self
            .world
            .pool
            .run(move || Soul::open(world, name, &folder, &settings))
            .await?;
        let soul = opened.start();
        *place.glance() = None;
        *open = Some(Open {
            soul: Arc::clone(&soul),
            _room: room,
        });
        Ok(soul)
    }

    /// A character only if it is open already: for looking without waking.
    pub async fn peek(&self, name: &SoulName) -> Option<Arc<Soul>> {
        let place = Arc::clone(self.places().get(name)?);
        place
            .open
            .lock()
            .await
            .as_ref()
            .map(|open| Arc::clone(&open.soul))
    }

    /// Makes a character.
    ///
    /// With a key, a repeat of the same request is no conflict, even if the first attempt was cut off before
    /// the key could be kept.
    pub async fn create(self: &Arc<Self>, about: NewSoul, key: Option<Idempotency>) -> Result<()> {
        let souls = Arc::clone(self);
        to_the_end(async move {
            let _making = souls.making.lock().await;
            if souls.places().contains_key(&about.soul) {
                souls.create_again(about, key).await
            } else {
                souls.create_anew(about, key).await
            }
        })
        .await
    }

    async fn create_anew(&self, about: NewSoul, key: Option<Idempotency>) -> Result<()> {
        let name = about.soul.clone();
        let (folder, options) = (
            self.folder_of(&name),
            self.world.store_options(&self.settings),
        );
        let make = move || {
            let store = Store::create(&folder, about, &options)?;
            let kept = store.write_once(key, |_| Ok(())).wait();
            store.close();
            kept
        };
        self.world.pool.run(make).await?;
        self.places().entry(name.clone()).or_default();
        let change = SoulChangedEvent {
            change: SoulChange::Created,
        };
        self.world
            .events
            .publish(&name, EventName::SoulChanged, &change);
        Ok(())
    }

    async fn create_again(
        self: &Arc<Self>,
        about: NewSoul,
        key: Option<Idempotency>,
    ) -> Result<()> {
        let name = about.soul.clone();
        let Some(key) = key else {
            return Err(SoulError::Exists(name));
        };
        let soul = self.open(&name).await?;
        let exists = name.to_string();
        let again = move |tx: &Tx| {
            if is_just_made(&tx.profile()?, &about) && tx.last_seq()? <= 1 {
                return Ok(());
            }
            Err(StoreError::Conflict(exists.clone()))
        };
        match soul.store().write_once(Some(key), again).await {
            Ok(_) => Ok(()),
            Err(StoreError::Conflict(_)) => Err(SoulError::Exists(name)),
            Err(error) => Err(error.into()),
        }
    }

    /// What can be told of a character without opening it, unless its database is of an earlier version.
    pub async fn glance(self: &Arc<Self>, name: &SoulName) -> Result<Glance> {
        let place = self.place(name)?;
        if let Some(glance) = self.glance_at_closed(&place, name).await? {
            return Ok(glance);
        }
        self.open(name).await?.glance().await
    }

    async fn glance_at_closed(&self, place: &Place, name: &SoulName) -> Result<Option<Glance>> {
        // Held, so that nobody opens it meanwhile.
        let open = place.open.lock().await;
        if open.is_some() {
            return Ok(None);
        }
        if let Some(glance) = place.glance().clone() {
            return Ok(Some(glance));
        }
        let (folder, now) = (self.folder_of(name), self.world.outside.clock.now());
        let look = move || {
            Store::look(&folder, None, |view| {
                Ok(Glance {
                    profile: view.profile()?,
                    stats: view.stats(now)?,
                })
            })
        };
        let glance = self.world.pool.run(look).await?;
        place.glance().clone_from(&glance);
        Ok(glance)
    }

    /// Every character with what it says of itself.
    pub async fn list(self: &Arc<Self>) -> Result<Vec<SoulEntry>> {
        let mut entries = Vec::new();
        for soul in self.names() {
            let Profile {
                display_name,
                locale,
                ..
            } = self.glance(&soul).await?.profile;
            entries.push(SoulEntry {
                soul,
                display_name,
                locale,
            });
        }
        Ok(entries)
    }

    /// The files that are on their way in.
    pub fn uploads(&self) -> MutexGuard<'_, Uploads> {
        self.uploads.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Closes every open character: what waits is finished and the logs are emptied.
    pub async fn close(&self) {
        let places: Vec<_> = self.places().values().cloned().collect();
        let closing = places.into_iter().map(|place| async move {
            if let Some(open) = place.open.lock().await.take() {
                self.world.pool.run(move || open.soul.close()).await;
            }
        });
        futures::future::join_all(closing).await;
    }

    fn place(&self, name: &SoulName) -> Result<Arc<Place>> {
        let places = self.places();
        places.get(name).cloned().ok_or_else(|| SoulError::Unknown {
            name: name.clone(),
            nearest: nearest(name, places.keys()).cloned(),
        })
    }

    /// A permit to open one more, after closing the longest unused of those that nobody uses, if it must be.
    async fn make_room(&self) -> Result<OwnedSemaphorePermit> {
        loop {
            if let Ok(room) = Arc::clone(&self.room).try_acquire_owned() {
                return Ok(room);
            }
            let unused = self
                .take_longest_unused()
                .ok_or(SoulError::AllInUse(self.settings.max_open))?;
            self.world.pool.run(move || unused.soul.close()).await;
        }
    }

    fn take_longest_unused(&self) -> Option<Open> {
        let mut places: Vec<_> = self.places().values().cloned().collect();
        places.sort_by_key(|place| place.last_use.load(Ordering::Relaxed));
        places.iter().find_map(|place| {
            // A place whose lock is held is being opened, closed or handed out.
            let mut open = place.open.try_lock().ok()?;
            let unused = open
                .as_ref()
                .is_some_and(|open| Arc::strong_count(&open.soul) == 1);
            if unused { open.take() } else { None }
        })
    }

    fn folder_of(&self, name: &SoulName) -> PathBuf {
        self.folder.join(name.as_str())
    }

    fn places(&self) -> MutexGuard<'_, BTreeMap<SoulName, Arc<Place>>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    fn glance(&self) -> MutexGuard<'_, Option<Glance>> {
        self.glance.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The names of the folders that can be a character's.
fn names(folder: &Path) -> io::Result<Vec<SoulName>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut names = Vec::new();
    for entry in entries {
        names.extend(
            entry?
                .file_name()
                .to_str()
                .and_then(|name| name.parse().ok()),
        );
    }
    Ok(names)
}

/// The name that a misspelt one most likely meant.
fn nearest<'n>(name: &SoulName, known: impl Iterator<Item = &'n SoulName>) -> Option<&'n SoulName> {
    known
        .map(|other| (strsim::jaro_winkler(name.as_str(), other.as_str()), other))
        .filter(|(likeness, _)| *likeness >= 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, other)| other)
}

/// Whether a memory says of itself what a request to make it says.
fn is_just_made(profile: &Profile, about: &NewSoul) -> bool {
    profile.display_name == about.display_name
        && profile.locale == about.locale
        && profile.config == about.config
}
