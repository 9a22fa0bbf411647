//! Copying characters into a folder while they are in use.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use soulmem_proto::{Op, SoulName};

use super::telling::Telling;
use crate::soul::Souls;
use crate::soul::error::Result;
use crate::soul::in_use::InUse;
use crate::soul::pool::{apart, to_the_end};
use crate::store::backup::{Backup, BackupOptions, Origin, Recipients, back_up_from, free_time};

/// A backup that is asked for.
#[derive(Debug, Clone)]
pub struct BackupPlan {
    /// Folder that keeps backups.
    pub folder: PathBuf,
    /// Which characters; all of them if none are named.
    pub souls: Vec<SoulName>,
    /// To whom it is encrypted.
    pub recipients: Recipients,
}

impl Souls {
    /// Makes a backup. Nobody who reads or writes waits for it.
    pub async fn back_up(self: &Arc<Self>, plan: BackupPlan) -> Result<Backup> {
        let souls = Arc::clone(self);
        to_the_end(async move {
            let _keeping = souls.keeping.lock().await;
            souls.back_up_now(plan).await
        })
        .await
    }

    /// The same, for whoever holds [`Souls::keeping`] already.
    pub(super) async fn back_up_now(&self, plan: BackupPlan) -> Result<Backup> {
        let names = if plan.souls.is_empty() {
            self.names()
        } else {
            plan.souls.clone()
        };
        let mut sources = Vec::with_capacity(names.len());
        for name in &names {
            self.must_exist(name)?;
            sources.push((name.clone(), self.peek(name).await, self.folder_of(name)));
        }
        let BackupPlan {
            folder, recipients, ..
        } = plan;
        let (now, installation) = (self.world.outside.clock.now(), self.installation);
        let events = &self.world.events;
        let each = names.into_iter().map(|name| {
            let telling = Telling::new(events, Op::Backup, name.clone());
            (name, telling)
        });
        let mut tellings: BTreeMap<SoulName, Telling> = each.collect();
        let copy = move || {
            let origins = sources
                .iter()
                .map(|(name, open, folder)| origin(name, open.as_ref(), folder))
                .collect::<crate::store::Result<Vec<_>>>()?;
            let options = BackupOptions {
                at: free_time(&folder, now),
                folder,
                recipients,
                installation,
            };
            back_up_from(&origins, &options, &mut |soul, step| {
                if let Some(telling) = tellings.get_mut(soul) {
                    telling.tell(step);
                }
            })
        };
        Ok(apart(copy).await?)
    }
}

fn origin(name: &SoulName, open: Option<&InUse>, folder: &Path) -> crate::store::Result<Origin> {
    match open {
        Some(soul) => Origin::open(soul.store()),
        None => Ok(Origin::closed(name.clone(), folder)),
    }
}
