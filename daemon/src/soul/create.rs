//! Making characters.

use std::sync::Arc;

use soulmem_proto::ops::soul_owner::Ownership;
use soulmem_proto::{EventName, SoulChange, SoulChangedEvent};

use super::error::{Result, SoulError};
use super::limits::{MAX_CONFIG_BYTES, MAX_LABEL_BYTES, within_bytes};
use super::own_config::OwnConfig;
use super::pool::to_the_end;
use super::registry::Souls;
use crate::store::{Idempotency, NewSoul, Profile, Store, StoreError, Tx};

impl Souls {
    /// Makes a character.
    ///
    /// With a key, a repeat of the same request is no conflict, even if the first attempt was cut off before
    /// the key could be kept.
    pub async fn create(self: &Arc<Self>, about: NewSoul, key: Option<Idempotency>) -> Result<()> {
        self.create_as(about, Ownership::default(), key).await
    }

    /// The same with a copy that is, from its first moment on, something else than the owner.
    pub async fn create_as(
        self: &Arc<Self>,
        about: NewSoul,
        ownership: Ownership,
        key: Option<Idempotency>,
    ) -> Result<()> {
        check_about(&about)?;
        let souls = Arc::clone(self);
        to_the_end(async move {
            let _making = souls.making.lock().await;
            if souls.places().contains_key(&about.soul) {
                souls.create_again(about, key).await
            } else {
                souls.create_anew(about, ownership, key).await
            }
        })
        .await
    }

    async fn create_anew(
        &self,
        about: NewSoul,
        ownership: Ownership,
        key: Option<Idempotency>,
    ) -> Result<()> {
        self.must_be_there()?;
        let name = about.soul.clone();
        let capacity = OwnConfig::read(&about.config)?.window_capacity(&self.settings);
        let (folder, options) = (self.folder_of(&name), self.world.store_options(capacity));
        let make = move || {
            let store = Store::create(&folder, about, &options)?;
            let kept = store.write_once(key, |_| Ok(())).wait();
            store.close();
            kept
        };
        // What it is stands there before it does.
        self.ownerships().begin(&name, ownership)?;
        if let Err(error) = self.world.pool.run(make).await {
            self.ownerships().forget(&name);
            return Err(error.into());
        }
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
}

/// Refuses what would make lists of characters longer than a frame.
fn check_about(about: &NewSoul) -> Result<()> {
    let labels = [
        ("display_name", &about.display_name),
        ("locale", &about.locale),
    ];
    for (field, label) in labels {
        let label = label.as_deref().unwrap_or_default();
        within_bytes(label, MAX_LABEL_BYTES, || field.to_owned())?;
    }
    let config = about.config.to_string();
    within_bytes(&config, MAX_CONFIG_BYTES, || "config".to_owned())
}

/// Whether a memory says of itself what a request to make it says.
fn is_just_made(profile: &Profile, about: &NewSoul) -> bool {
    profile.display_name == about.display_name
        && profile.locale == about.locale
        && profile.config == about.config
}
