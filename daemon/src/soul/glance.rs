//! Looking at characters without opening them.

use std::sync::Arc;

use jiff::Timestamp;
use soulmem_proto::SoulName;
use soulmem_proto::ops::soul_list::SoulEntry;

use super::consolidation::CONSOLIDATE;
use super::error::Result;
use super::registry::{Place, Souls};
use crate::store::{Profile, Stats, Store, View};

/// What can be told of a closed character.
#[derive(Debug, Clone)]
pub struct Glance {
    /// What it says of itself.
    pub profile: Profile,
    /// How much it has.
    pub stats: Stats,
    /// When its last consolidation ended.
    pub last_consolidation: Option<Timestamp>,
}

impl Glance {
    /// What there is to see of a memory.
    pub fn of(view: &View, now: Timestamp) -> crate::store::Result<Self> {
        let last = view.last_done_job(CONSOLIDATE)?;
        Ok(Self {
            profile: view.profile()?,
            stats: view.stats(now)?,
            last_consolidation: last.map(|job| job.updated_at),
        })
    }
}

impl Souls {
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
        let look = move || Store::look(&folder, None, |view| Glance::of(view, now));
        let glance = self.world.pool.run(look).await?;
        place.glance().clone_from(&glance);
        Ok(glance)
    }

    /// Every character with what it says of itself.
    pub async fn list(self: &Arc<Self>) -> Vec<SoulEntry> {
        let mut entries = Vec::new();
        for soul in self.names() {
            // One that cannot be read is there all the same; `health` says what is wrong with it.
            let profile = self.glance(&soul).await.ok().map(|glance| glance.profile);
            let (display_name, locale) = profile
                .map(|profile| (profile.display_name, profile.locale))
                .unwrap_or_default();
            let ownership = self.ownerships().exception(&soul);
            entries.push(SoulEntry {
                soul,
                display_name,
                locale,
                ownership,
            });
        }
        entries
    }
}
