//! Bringing characters back from a backup while the others go on.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use soulmem_proto::{SoulChange, SoulName};

use crate::soul::error::{Result, SoulError};
use crate::soul::pool::{apart, to_the_end};
use crate::soul::{Souls, ownership};
use crate::store::backup::{self, Beside, Existing, Identities, RestoreOptions, Restored};

/// What is to be brought back.
#[derive(Debug, Clone)]
pub struct RestorePlan {
    /// The backup's own folder.
    pub folder: PathBuf,
    /// Which characters; all that are in the backup if none are named.
    pub souls: Vec<SoulName>,
    /// Whether characters that are there make way, into the trash.
    pub replace: bool,
    /// File with the keys that decrypt.
    pub identity: Option<PathBuf>,
}

impl Souls {
    /// Restores characters: closed, replaced and there again, all of them or none. Those that are not in the plan go on
    /// being used.
    pub async fn restore(self: &Arc<Self>, plan: RestorePlan) -> Result<Vec<Restored>> {
        let souls = Arc::clone(self);
        to_the_end(async move { souls.restore_now(plan).await }).await
    }

    async fn restore_now(self: Arc<Self>, plan: RestorePlan) -> Result<Vec<Restored>> {
        let _keeping = self.keeping.lock().await;
        let _making = self.making.lock().await;
        self.must_be_there()?;
        let folder = plan.folder.clone();
        let backup = apart(move || backup::read(&folder)).await?;
        let chosen: BTreeSet<SoulName> = if plan.souls.is_empty() {
            let all = backup.manifest.souls.iter();
            all.map(|entry| entry.soul.clone()).collect()
        } else {
            plan.souls.iter().cloned().collect()
        };
        let mut held = Vec::new();
        for name in chosen.iter().filter(|name| self.must_exist(name).is_ok()) {
            if !plan.replace {
                return Err(SoulError::Exists(name.clone()));
            }
            held.push(self.hold(name).await?);
        }
        let mut beside = Vec::new();
        for name in &chosen {
            let replaces = self.must_exist(name).is_ok();
            if let Some(bytes) = self.ownerships().of_restored(name, replaces)? {
                let file = ownership::FILE;
                beside.push((name.clone(), Beside { file, bytes }));
            }
        }
        let (souls, trash) = (self.folder.clone(), self.trash.clone());
        let at = self.world.outside.clock.now();
        let only: Vec<SoulName> = chosen.iter().cloned().collect();
        let restore = move || {
            let identities = plan.identity.as_deref().map(Identities::read).transpose()?;
            let options = RestoreOptions {
                souls: &souls,
                only: &only,
                existing: if plan.replace {
                    Existing::MoveTo(trash)
                } else {
                    Existing::Refuse
                },
                identities: identities.as_ref(),
                beside: &beside,
                at,
            };
            backup::restore(&backup, &options, &mut |_| ())
        };
        let restored = apart(restore).await?;
        for soul in &restored {
            self.places().entry(soul.soul.clone()).or_default();
            self.uploads().forget(&soul.soul);
            self.ownerships().look_again(&soul.soul)?;
        }
        drop(held);
        for soul in &restored {
            self.tell_change(&soul.soul, SoulChange::Restored);
        }
        Ok(restored)
    }
}
