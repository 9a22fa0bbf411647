//! Putting a character into the trash.

use std::sync::Arc;

use soulmem_proto::{EventName, SoulChange, SoulChangedEvent, SoulName};

use crate::soul::Souls;
use crate::soul::error::{Result, SoulError};
use crate::soul::pool::{apart, to_the_end};
use crate::soul::write::WriteOrder;
use crate::store::{
    Discarded, Idempotency, Store, StoreError, TRASH_KEPT, discard, discarded, empty_trash,
};

impl Souls {
    /// Moves a character's files into the trash. What was on its way to it is finished before.
    ///
    /// The key of the request goes with them: a repeat within its time gets the first answer, though another character
    /// of that name may have been made meanwhile.
    pub async fn drop_soul(
        self: &Arc<Self>,
        name: &SoulName,
        mut order: WriteOrder,
    ) -> Result<Discarded> {
        if let Some(turn) = &mut order.turn {
            turn.come().await;
        }
        let (souls, name) = (Arc::clone(self), name.clone());
        to_the_end(async move { souls.drop_once(name, order.key).await }).await
    }

    async fn drop_once(
        self: Arc<Self>,
        name: SoulName,
        key: Option<Idempotency>,
    ) -> Result<Discarded> {
        let _keeping = self.keeping.lock().await;
        if let Some(key) = key {
            if let Some(before) = self.dropped_under(&name, key.clone()).await? {
                return Ok(before);
            }
            self.remember(&name, key).await?;
        }
        let held = self.hold(&name).await?;
        let (folder, trash, soul) = (self.folder.clone(), self.trash.clone(), name.clone());
        let at = self.world.outside.clock.now();
        let dropped = apart(move || discard(&folder, &soul, &trash, at)).await?;
        self.let_go(&name, &held);
        self.uploads().forget(&name);
        self.ownerships().forget(&name);
        let (ledger, gone) = (Arc::clone(self.world.llm.ledger()), name.clone());
        apart(move || ledger.forget(gone.as_str())).await;
        self.tell_change(&name, SoulChange::Dropped);
        Ok(dropped)
    }

    /// The character of that name that a request with this key dropped, as long as it is in the trash.
    async fn dropped_under(&self, name: &SoulName, key: Idempotency) -> Result<Option<Discarded>> {
        let (trash, name, now) = (
            self.trash.clone(),
            name.clone(),
            self.world.outside.clock.now(),
        );
        let find = move || {
            let mut found = discarded(&trash)?;
            found.retain(|gone| {
                // What cannot be read any more remembers nothing.
                gone.soul == name
                    && Store::look(&gone.folder, None, |view| view.has_answered(&key, now))
                        .ok()
                        .flatten()
                        .unwrap_or(false)
            });
            Ok(found.pop())
        };
        apart(find).await
    }

    /// Keeps the key with the character. One that takes nothing in can be dropped all the same.
    async fn remember(self: &Arc<Self>, name: &SoulName, key: Idempotency) -> Result<()> {
        let kept = match self.open(name).await {
            Ok(soul) => soul.store().write_once(Some(key), |_| Ok(())).await,
            Err(SoulError::Store(error)) => Err(error),
            Err(error) => return Err(error),
        };
        match kept {
            Err(conflict @ StoreError::Conflict(_)) => Err(conflict.into()),
            Err(error) => {
                tracing::warn!(soul = %name, %error, "it is dropped without a note of the request's key");
                Ok(())
            }
            Ok(_) => Ok(()),
        }
    }

    /// Removes for good what was dropped long enough ago.
    pub async fn empty_trash(&self) -> Result<Vec<Discarded>> {
        let _keeping = self.keeping.lock().await;
        let (trash, now) = (self.trash.clone(), self.world.outside.clock.now());
        let gone = apart(move || empty_trash(&trash, TRASH_KEPT, now)).await?;
        for dropped in &gone {
            tracing::info!(soul = %dropped.soul, dropped = %dropped.at, "removed from the trash");
        }
        Ok(gone)
    }

    /// Tells subscribers what happened to a character as a whole.
    pub(super) fn tell_change(&self, name: &SoulName, change: SoulChange) {
        let event = SoulChangedEvent { change };
        self.world
            .events
            .publish(name, EventName::SoulChanged, &event);
    }
}
