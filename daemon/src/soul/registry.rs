//! The characters of this daemon: which there are, and which of them are open.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use soulmem_proto::SoulName;
use soulmem_proto::ops::health::State;
use tokio::sync::{OwnedMutexGuard, OwnedSemaphorePermit, Semaphore};

use super::character::Soul;
use super::error::{Result, SoulError};
use super::glance::Glance;
use super::pool::to_the_end;
use super::settings::SoulSettings;
use super::uploads::Uploads;
use super::world::World;
use crate::store::Store;

/// The folder of the characters inside the data directory.
const SOULS_FOLDER: &str = "souls";

/// Every character of this daemon.
pub struct Souls {
    pub(super) world: Arc<World>,
    folder: PathBuf,
    pub(super) settings: SoulSettings,
    /// A permit for each open character.
    room: Arc<Semaphore>,
    places: Mutex<BTreeMap<SoulName, Arc<Place>>>,
    /// Counts openings and uses, so that the longest unused can be told.
    uses: AtomicU64,
    uploads: Mutex<Uploads>,
    /// Held while a character is made.
    pub(super) making: tokio::sync::Mutex<()>,
}

/// A character that is there, open or not. Its lock is held while it is opened or closed.
#[derive(Default)]
pub(super) struct Place {
    pub(super) open: Arc<tokio::sync::Mutex<Option<Open>>>,
    last_use: AtomicU64,
    /// What was last seen of it while it was closed; nobody else can change it then.
    glance: Mutex<Option<Glance>>,
}

/// A character that is open, and its permit to be so.
pub(super) struct Open {
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

    /// The files that are on their way in.
    pub fn uploads(&self) -> MutexGuard<'_, Uploads> {
        self.uploads.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Closes every open character: what waits is finished and the logs are emptied.
    pub async fn close(&self) {
        let places: Vec<_> = self.places().values().cloned().collect();
        let closing = places.into_iter().map(|place| async move {
            let mut place = Arc::clone(&place.open).lock_owned().await;
            let close = move || {
                if let Some(open) = place.take() {
                    open.soul.close();
                }
            };
            self.world.pool.run(close).await;
        });
        futures::future::join_all(closing).await;
    }

    pub(super) fn place(&self, name: &SoulName) -> Result<Arc<Place>> {
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
            let mut unused = self
                .longest_unused()
                .ok_or(SoulError::AllInUse(self.settings.max_open))?;
            // Its place stays locked until it is closed: whoever wants it meanwhile opens it again after that.
            let close = move || {
                if let Some(open) = unused.take() {
                    open.soul.close();
                }
            };
            self.world.pool.run(close).await;
        }
    }

    /// The place, locked, of the open character that was not used for the longest time and is not now.
    fn longest_unused(&self) -> Option<OwnedMutexGuard<Option<Open>>> {
        let mut places: Vec<_> = self.places().values().cloned().collect();
        places.sort_by_key(|place| place.last_use.load(Ordering::Relaxed));
        places.iter().find_map(|place| {
            // A place whose lock is held is being opened, closed or handed out.
            let open = Arc::clone(&place.open).try_lock_owned().ok()?;
            let unused = open
                .as_ref()
                .is_some_and(|open| Arc::strong_count(&open.soul) == 1);
            unused.then_some(open)
        })
    }

    pub(super) fn folder_of(&self, name: &SoulName) -> PathBuf {
        self.folder.join(name.as_str())
    }

    pub(super) fn places(&self) -> MutexGuard<'_, BTreeMap<SoulName, Arc<Place>>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    pub(super) fn glance(&self) -> MutexGuard<'_, Option<Glance>> {
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
