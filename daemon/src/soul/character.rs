//! One character, open.

use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use soulmem_proto::ops::health::State;
use soulmem_proto::{EventName, SoulName, StateEvent};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::activity::Activity;
use super::error::{Result, SoulError};
use super::forgetting::reimagining::Reteller;
use super::jobs::Jobs;
use super::mind::Mind;
use super::own_config::OwnConfig;
use super::ownership::Ownerships;
use super::settings::SoulSettings;
use super::world::World;
use super::write::WriteOrder;
use crate::store::{Condition, Outcome, Profile, Store, StoreError, Tx, View};

/// A character that is open: its store and what is kept of it in memory.
pub struct Soul {
    name: SoulName,
    world: Arc<World>,
    store: Store,
    mind: Arc<Mind>,
    activity: Arc<Activity>,
    settings: SoulSettings,
    jobs: Jobs,
    last_failure: Mutex<Option<String>>,
    /// Has blurred memories told anew, where anybody can.
    pub(super) reteller: Option<Arc<Reteller>>,
    /// Held by the round of forgetting that runs.
    pub(super) forgetting: tokio::sync::Mutex<()>,
    /// Ends the task that waits for it to be idle.
    resting: Mutex<Option<DropGuard>>,
    /// Itself, for the work that it goes on with by itself.
    own: OnceLock<Weak<Soul>>,
    /// Whether this copy is the one that is written to; set with `own`.
    ownerships: OnceLock<Arc<Ownerships>>,
}

/// After which a copy that is not the owner looks whether it has become it.
const ELSEWHERE: Duration = Duration::from_secs(60);

impl Soul {
    /// Opens the memory in `folder`. Blocks until it is ready to be recalled from.
    pub fn open(
        world: Arc<World>,
        name: SoulName,
        folder: &Path,
        settings: &SoulSettings,
    ) -> Result<Self> {
        // A memory that cannot be looked into is opened as the daemon's settings say.
        let profile = Store::look(folder, None, View::profile).ok().flatten();
        let own = profile.map_or_else(OwnConfig::default, |profile| own_config(&name, &profile));
        let store = Store::open(folder, &world.store_options(own.window_capacity(settings)))?;
        let mind = Mind::wake(
            store.clone(),
            Arc::clone(&world.model),
            settings.working_notes,
            own.curves(settings),
        )?;
        let mind = Arc::new(mind);
        let reteller = world.reimagine.as_ref().map(|model| {
            let (store, mind) = (store.clone(), Arc::clone(&mind));
            Arc::new(Reteller::new(name.clone(), store, mind, Arc::clone(model)))
        });
        Ok(Self {
            name,
            world,
            store,
            mind,
            reteller,
            activity: Arc::new(Activity::new(settings.idle_after)),
            settings: settings.clone(),
            jobs: Jobs::default(),
            last_failure: Mutex::default(),
            forgetting: tokio::sync::Mutex::default(),
            resting: Mutex::default(),
            own: OnceLock::new(),
            ownerships: OnceLock::new(),
        })
    }

    /// Lets it come to rest by itself from now on. Needs the runtime.
    pub fn start(self, ownerships: Arc<Ownerships>) -> Arc<Self> {
        let soul = Arc::new(self);
        // They are set once, here.
        let _ = soul.own.set(Arc::downgrade(&soul));
        let _ = soul.ownerships.set(ownerships);
        let end = CancellationToken::new();
        let resting = rest(Arc::downgrade(&soul), Arc::clone(&soul.activity));
        tokio::spawn(end.clone().run_until_cancelled_owned(resting));
        *soul.resting.lock().unwrap_or_else(PoisonError::into_inner) = Some(end.drop_guard());
        tokio::spawn(Arc::clone(&soul).go_on());
        soul
    }

    /// Itself, to be kept open by work of its own; none before it was started.
    pub(super) fn own(&self) -> Option<Arc<Self>> {
        self.own.get().and_then(Weak::upgrade)
    }

    /// Whether it may change without being asked: a copy that is not the owner only answers, or the copies would drift
    /// apart by themselves.
    pub(super) fn lives_here(&self) -> bool {
        let ownerships = self.ownerships.get();
        ownerships.is_none_or(|all| all.is_owner(&self.name))
    }

    /// Its name.
    pub fn name(&self) -> &SoulName {
        &self.name
    }

    /// What all characters share.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Its memory on the disk.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// What of it is kept in memory, to be recalled from.
    pub fn mind(&self) -> &Arc<Mind> {
        &self.mind
    }

    /// What it works at by itself.
    pub fn jobs(&self) -> &Jobs {
        &self.jobs
    }

    /// What can be set about characters.
    pub fn settings(&self) -> &SoulSettings {
        &self.settings
    }

    /// What it does: also whether its disk lets it take anything in.
    pub fn state(&self) -> State {
        match self.store.condition() {
            Condition::Ready => self.activity.state(),
            Condition::Failing(_) | Condition::ReadOnly(_) => State::ReadOnly,
        }
    }

    /// Notes that it was asked something.
    pub fn touch(&self) {
        self.activity.touch(|state| self.tell_state(state));
    }

    /// Why it takes nothing in, or else the last thing of its own work that failed.
    pub fn last_error(&self) -> Option<String> {
        let last_failure = || {
            self.last_failure
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone()
        };
        self.store.condition().reason().or_else(last_failure)
    }

    /// Reads what was true at one moment.
    pub async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&View) -> crate::store::Result<T> + Send + 'static,
    ) -> Result<T> {
        let store = self.store.clone();
        Ok(self.world.pool.run(move || store.read(work)).await?)
    }

    /// Writes: done in order, at most once where there is a key, on the disk and in the indexes when this returns.
    pub async fn write<T: Serialize + DeserializeOwned + Send + 'static>(
        &self,
        order: WriteOrder,
        work: impl FnMut(&Tx) -> crate::store::Result<T> + Send + 'static,
    ) -> Result<Outcome<T>> {
        let outcome = order.submit(&self.store, work).await.await?;
        if let Err(error) = self.mind.follow(&self.world.pool).await {
            // It is kept all the same; the next write tries again.
            self.failed("what was written cannot be recalled yet", &error);
        }
        self.keep_if_due();
        Ok(outcome)
    }

    /// Moves the log into the database. Returns how many bytes were moved.
    pub async fn checkpoint(&self) -> Result<u64> {
        Ok(self.store.checkpoint().await?)
    }

    /// The same, once for each key.
    pub async fn checkpoint_once(&self, mut order: WriteOrder) -> Result<u64> {
        if let Some(turn) = &mut order.turn {
            turn.come().await;
        }
        let Some(key) = order.key else {
            return self.checkpoint().await;
        };
        let now = self.world.outside.clock.now();
        let asked = key.clone();
        if self
            .read(move |view| view.has_answered(&asked, now))
            .await?
        {
            let lost = || StoreError::Conflict("the key was forgotten meanwhile".to_owned());
            return Ok(self
                .store
                .write_once(Some(key), move |_| Err(lost()))
                .await?
                .value);
        }
        let bytes = self.checkpoint().await?;
        Ok(self
            .store
            .write_once(Some(key), move |_| Ok(bytes))
            .await?
            .value)
    }

    /// Finishes what waits and closes it. Blocks.
    pub fn close(&self) {
        drop(
            self.resting
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take(),
        );
        self.jobs.ending().cancel();
        self.keep_indexes();
        self.store.close();
        self.mind.closed();
        self.activity.end(|state| self.tell_state(state));
        tracing::debug!(soul = %self.name, "closed");
    }

    /// The same, once nobody reads any more: its files may be moved or replaced then. Blocks.
    pub fn close_entirely(&self) {
        self.keep_indexes();
        self.store.close_entirely();
        self.close();
    }

    /// Tells subscribers about it.
    pub fn publish(&self, event: EventName, payload: &impl Serialize) {
        self.world.events.publish(&self.name, event, payload);
    }

    fn tell_state(&self, state: State) {
        self.publish(EventName::State, &StateEvent { state });
    }

    /// Keeps what failed in its own work for `health`.
    pub(super) fn failed(&self, what: &str, error: &SoulError) {
        tracing::error!(soul = %self.name, %error, "{what}");
        *self
            .last_failure
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = Some(format!("{what}: {error}"));
    }

    /// Keeps the indexes after many changes, so that a kill leaves little to be read again.
    fn keep_if_due(&self) {
        if self.mind.keeping_is_due() {
            let mind = Arc::clone(&self.mind);
            let pool = self.world.pool.clone();
            tokio::spawn(async move { pool.run(move || log_unkept(mind.keep_if_due())).await });
        }
    }

    fn keep_indexes(&self) {
        log_unkept(self.mind.keep());
    }

    /// What is done when it was left alone: the talk is over and is thought over, and time does its work. Says after which time
    /// there is something to do again.
    async fn at_rest(&self) -> Duration {
        let next = if self.lives_here() {
            self.think_over().await;
            self.forget_when_due().await
        } else {
            ELSEWHERE
        };
        match self.checkpoint().await {
            // It was closed in this moment, and with that its log was emptied.
            Ok(_) | Err(SoulError::Store(StoreError::Closed)) => {}
            Err(error) => self.failed("the checkpoint failed", &error),
        }
        let mind = Arc::clone(&self.mind);
        let rested = self.world.pool.run(move || {
            log_unkept(mind.keep());
            mind.look_through()
        });
        if let Err(error) = rested.await {
            self.failed("looking through the memory failed", &error);
        }
        next
    }
}

/// Indexes that were not kept cost time at the next opening, nothing else.
fn log_unkept(kept: Result<()>) {
    if let Err(error) = kept {
        tracing::warn!(%error, "the indexes were not kept");
    }
}

/// What a memory says of its own settings. A later version may have written what this one does not know: that is no
/// reason not to remember.
fn own_config(name: &SoulName, profile: &Profile) -> OwnConfig {
    OwnConfig::read(&profile.config).unwrap_or_else(|error| {
        tracing::warn!(soul = %name, %error, "its own settings are not understood; the daemon's hold");
        OwnConfig::default()
    })
}

/// Brings a character to rest each time that it was left alone, until it is closed.
async fn rest(soul: Weak<Soul>, activity: Arc<Activity>) {
    loop {
        let tell = |state| {
            if let Some(soul) = soul.upgrade() {
                soul.tell_state(state);
            }
        };
        activity.rest(tell).await;
        while activity.state() == State::Idle {
            let next = match soul.upgrade() {
                Some(soul) => soul.at_rest().await,
                None => return,
            };
            tokio::select! {
                () = activity.woken() => {}
                () = tokio::time::sleep(next) => {}
            }
        }
    }
}
