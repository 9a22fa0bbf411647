//! The characters of this daemon: which there are, and which of them are open.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use soulmem_proto::SoulName;
use soulmem_proto::ops::health::State;
use soulmem_proto::ops::soul_owner::{OwnerState, Ownership};
use tokio::sync::{Notify, OwnedMutexGuard, OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep, timeout_at};
use uuid::Uuid;

use super::character::Soul;
use super::error::{Result, SoulError};
use super::glance::Glance;
use super::in_use::InUse;
use super::installation;
use super::keep::{Backups, finish_left};
use super::ownership::Ownerships;
use super::pool::{apart, to_the_end};
use super::settings::SoulSettings;
use super::uploads::Uploads;
use super::world::World;
use crate::store::Store;
use crate::store::backup::finish_restores;

/// The folder of the characters inside the data directory.
const SOULS_FOLDER: &str = "souls";

/// The folder of dropped characters inside the data directory.
const TRASH_FOLDER: &str = "trash";

/// How long a request waits for a place to open its character in. Its own deadline may end it earlier.
const PLACE_PATIENCE: Duration = Duration::from_secs(30);

/// After how long whoever waits for a place looks again, though nobody said that one is free: a place whose lock was
/// held for a moment could not be told from one in use.
const PLACE_LOOK: Duration = Duration::from_millis(50);

/// Every character of this daemon.
pub struct Souls {
    pub(super) world: Arc<World>,
    pub(super) folder: PathBuf,
    /// Where dropped characters wait.
    pub(super) trash: PathBuf,
    pub(super) settings: SoulSettings,
    /// Which data directory this is, among those that keep backups in one folder.
    pub(super) installation: Option<Uuid>,
    /// A permit for each open character.
    room: Arc<Semaphore>,
    /// Told each time that an open character is used no longer.
    released: Arc<Notify>,
    places: Mutex<BTreeMap<SoulName, Arc<Place>>>,
    /// Counts openings and uses, so that the longest unused can be told.
    uses: AtomicU64,
    uploads: Mutex<Uploads>,
    ownerships: Arc<Ownerships>,
    /// Held while a character is made.
    pub(super) making: tokio::sync::Mutex<()>,
    /// Held by what copies, moves or rewrites whole files, so that only one of these goes on at a time.
    pub(super) keeping: tokio::sync::Mutex<()>,
    /// How backups on a schedule went.
    pub(super) backups: Mutex<Backups>,
}

/// A character that is there, open or not.
#[derive(Default)]
pub(super) struct Place {
    /// Held by whoever opens it, waiting for room among it: the others wait for that one.
    opening: Arc<tokio::sync::Mutex<()>>,
    /// Its lock is held while it is opened or closed.
    pub(super) open: Arc<tokio::sync::Mutex<Option<Open>>>,
    last_use: AtomicU64,
    /// What was last seen of it while it was closed; nobody else can change it then.
    glance: Mutex<Option<Glance>>,
}

/// A character that is closed and cannot be opened for as long as this lives.
pub(super) struct Held {
    place: Arc<Place>,
    _opening: OwnedMutexGuard<()>,
    _open: OwnedMutexGuard<Option<Open>>,
}

/// A character that is open, and its permit to be so.
pub(super) struct Open {
    soul: Arc<Soul>,
    _room: OwnedSemaphorePermit,
}

impl Souls {
    /// Looks which characters there are in the data directory. None is opened.
    ///
    /// A restore that was interrupted is completed first.
    pub fn find(world: World, data_dir: &Path, settings: SoulSettings) -> Result<Self> {
        let folder = data_dir.join(SOULS_FOLDER);
        make_private(&folder).map_err(|error| SoulError::Folder(folder.clone(), error))?;
        let completed = finish_restores(&folder)?;
        if completed > 0 {
            tracing::info!(completed, "restores that were interrupted are complete now");
        }
        let mut places = BTreeMap::new();
        for name in names(&folder).map_err(|error| SoulError::Folder(folder.clone(), error))? {
            if Store::exists(&folder.join(name.as_str())) {
                places.insert(name, Arc::default());
            }
        }
        let installation = installation::of(data_dir, || world.outside.ids.next_uuid())?;
        Ok(Self {
            installation,
            world: Arc::new(world),
            ownerships: Arc::new(Ownerships::find(&folder, places.keys())?),
            folder,
            trash: data_dir.join(TRASH_FOLDER),
            room: Arc::new(Semaphore::new(settings.max_open)),
            released: Arc::default(),
            uploads: Mutex::new(Uploads::new(settings.max_upload_bytes)),
            settings,
            places: Mutex::new(places),
            uses: AtomicU64::new(0),
            making: tokio::sync::Mutex::default(),
            keeping: tokio::sync::Mutex::default(),
            backups: Mutex::default(),
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

    /// Which of them this daemon owns.
    pub fn ownerships(&self) -> &Ownerships {
        &self.ownerships
    }

    /// The names of the characters that live here: not those that were handed over, that are not whole yet, or that came
    /// out of a backup and may live elsewhere.
    pub fn living_here(&self) -> Vec<SoulName> {
        let here = |name: &SoulName| {
            let Ownership {
                state, restored, ..
            } = self.ownerships.of(name);
            matches!(state, OwnerState::Owner | OwnerState::Contested) && !restored
        };
        self.names().into_iter().filter(here).collect()
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

    /// An open character, opening it on need; it stays open for as long as the answer lives.
    pub async fn open(self: &Arc<Self>, name: &SoulName) -> Result<InUse> {
        let place = self.place(name)?;
        place
            .last_use
            .store(self.uses.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        if let Some(open) = &*place.open.lock().await
            && !open.soul.store().is_frozen()
        {
            return Ok(self.in_use(&open.soul));
        }
        let (souls, name) = (Arc::clone(self), name.clone());
        to_the_end(async move { souls.open_in(&place, name).await }).await
    }

    async fn open_in(&self, place: &Arc<Place>, name: SoulName) -> Result<InUse> {
        let _opening = place.opening.lock().await;
        self.thaw(place).await;
        if let Some(open) = &*place.open.lock().await {
            return Ok(self.in_use(&open.soul));
        }
        let room = self.make_room().await?;
        let mut open = place.open.lock().await;
        if !self.has(&name, place) {
            return Err(self.unknown(&name));
        }
        let (world, folder, settings, trash) = (
            Arc::clone(&self.world),
            self.folder_of(&name),
            self.settings.clone(),
            self.trash.clone(),
        );
        let opened = self
            .world
            .pool
            .run(move || -> Result<Soul> {
                let soul = Soul::open(world, name, &folder, &settings)?;
                finish_left(soul.store(), soul.name(), &trash);
                Ok(soul)
            })
            .await?;
        let soul = opened.start(Arc::clone(&self.ownerships));
        *place.glance() = None;
        *open = Some(Open {
            soul: Arc::clone(&soul),
            _room: room,
        });
        Ok(self.in_use(&soul))
    }

    /// Closes a character that could only be read, once its disk takes something in again: then it is opened anew.
    async fn thaw(&self, place: &Place) {
        let mut open = Arc::clone(&place.open).lock_owned().await;
        let thaw = move || {
            if let Some(frozen) = open.take_if(|open| open.soul.store().thaws()) {
                frozen.soul.close_entirely();
            }
        };
        apart(thaw).await;
    }

    fn in_use(&self, soul: &Arc<Soul>) -> InUse {
        InUse::new(Arc::clone(soul), Arc::clone(&self.released))
    }

    /// Closes a character, after everything that uses its files, and keeps it closed.
    pub(super) async fn hold(&self, name: &SoulName) -> Result<Held> {
        let place = self.place(name)?;
        let opening = Arc::clone(&place.opening).lock_owned().await;
        let mut open = Arc::clone(&place.open).lock_owned().await;
        if !self.has(name, &place) {
            return Err(self.unknown(name));
        }
        if let Some(open) = open.take() {
            apart(move || open.soul.close_entirely()).await;
        }
        *place.glance() = None;
        Ok(Held {
            place,
            _opening: opening,
            _open: open,
        })
    }

    /// Takes a character out of the registry: its files are no longer here.
    pub(super) fn let_go(&self, name: &SoulName, held: &Held) {
        let mut places = self.places();
        if places
            .get(name)
            .is_some_and(|place| Arc::ptr_eq(place, &held.place))
        {
            places.remove(name);
        }
    }

    fn has(&self, name: &SoulName, place: &Arc<Place>) -> bool {
        self.places()
            .get(name)
            .is_some_and(|there| Arc::ptr_eq(there, place))
    }

    /// A character only if it is open already: for looking without waking.
    pub async fn peek(&self, name: &SoulName) -> Option<InUse> {
        let place = Arc::clone(self.places().get(name)?);
        place
            .open
            .lock()
            .await
            .as_ref()
            .map(|open| self.in_use(&open.soul))
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
        let found = self.places().get(name).cloned();
        found.ok_or_else(|| self.unknown(name))
    }

    pub(super) fn unknown(&self, name: &SoulName) -> SoulError {
        SoulError::Unknown {
            name: name.clone(),
            nearest: nearest(name, self.places().keys()).cloned(),
        }
    }

    /// A permit to open one more, after closing the longest unused of those that nobody uses, if it must be. Where all
    /// are in use it waits for one that is not.
    async fn make_room(&self) -> Result<OwnedSemaphorePermit> {
        let last_look = Instant::now() + PLACE_PATIENCE;
        loop {
            let released = self.released.notified();
            if let Ok(room) = Arc::clone(&self.room).try_acquire_owned() {
                return Ok(room);
            }
            let Some(mut unused) = self.longest_unused() else {
                let waited = async {
                    tokio::select! {
                        room = Arc::clone(&self.room).acquire_owned() => room.ok(),
                        () = released => None,
                        () = sleep(PLACE_LOOK) => None,
                    }
                };
                match timeout_at(last_look, waited).await {
                    Ok(Some(room)) => return Ok(room),
                    Ok(None) => continue,
                    Err(_) => return Err(SoulError::AllInUse(self.settings.max_open)),
                }
            };
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

    /// Refuses to make a folder anew that was taken away while the daemon ran.
    pub(super) fn must_be_there(&self) -> Result<()> {
        match fs::metadata(&self.folder) {
            Ok(_) => Ok(()),
            Err(error) => Err(SoulError::Folder(self.folder.clone(), error)),
        }
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

fn make_private(folder: &Path) -> io::Result<()> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
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
