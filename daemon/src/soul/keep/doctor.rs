//! Checking what is on the disk of a character, and repairing it.

use std::sync::Arc;

use soulmem_proto::{Op, SoulName};

use super::telling::Telling;
use crate::soul::Souls;
use crate::soul::error::{Result, SoulError};
use crate::soul::own_config::OwnConfig;
use crate::soul::pool::{apart, to_the_end};
use crate::store::{
    CheckReport, Finding, RepairReport, Severity, Store, StoreError, View, examine, repair,
};

/// What was found, and done about it.
#[derive(Debug)]
pub struct Diagnosis {
    /// What was wrong, before a repair.
    pub report: CheckReport,
    /// What a repair did, where one was asked for and needed.
    pub repair: Option<RepairReport>,
}

impl Souls {
    /// Checks everything of a character, which stays in use; one that cannot be opened is checked as it lies there.
    pub async fn examine(self: &Arc<Self>, name: &SoulName) -> Result<Diagnosis> {
        let (souls, name) = (Arc::clone(self), name.clone());
        to_the_end(async move {
            let report = match souls.open(&name).await {
                Ok(soul) => {
                    let (store, mind) = (soul.store().clone(), Arc::clone(soul.mind()));
                    let mut telling = Telling::new(&souls.world.events, Op::Doctor, name.clone());
                    let check = move || -> Result<CheckReport> {
                        let mut report = store.check(&mut |step| telling.tell(step))?;
                        match mind.differences() {
                            Ok(found) => report.findings.extend(found.into_iter().map(derived)),
                            // What cannot be read stands in the report already.
                            Err(SoulError::Store(StoreError::Corrupt { .. })) => {}
                            Err(error) => return Err(error),
                        }
                        Ok(report)
                    };
                    apart(check).await?
                }
                Err(SoulError::Store(_)) => souls.examine_closed(&name).await?,
                Err(error) => return Err(error),
            };
            Ok(Diagnosis {
                report,
                repair: None,
            })
        })
        .await
    }

    async fn examine_closed(&self, name: &SoulName) -> Result<CheckReport> {
        let _keeping = self.keeping.lock().await;
        let _held = self.hold(name).await?;
        let (folder, options) = (
            self.folder_of(name),
            self.world.store_options(self.settings.window_capacity),
        );
        Ok(apart(move || examine(&folder, &options, &mut |_| ())).await?)
    }

    /// Builds what is wrong with a character anew. It is closed for that long, and made again in memory from what is
    /// on the disk when it is next asked for.
    pub async fn repair(self: &Arc<Self>, name: &SoulName) -> Result<Diagnosis> {
        let (souls, name) = (Arc::clone(self), name.clone());
        to_the_end(async move {
            let in_memory = souls.differences(&name).await;
            let _keeping = souls.keeping.lock().await;
            let _held = souls.hold(&name).await?;
            let mut telling = Telling::new(&souls.world.events, Op::Doctor, name.clone());
            let (folder, world) = (souls.folder_of(&name), Arc::clone(&souls.world));
            let settings = souls.settings.clone();
            let mend = move || {
                let profile = Store::look(&folder, None, View::profile).ok().flatten();
                let own = profile.and_then(|profile| OwnConfig::read(&profile.config).ok());
                let capacity = own.unwrap_or_default().window_capacity(&settings);
                let options = world.store_options(capacity);
                repair(&folder, &options, &mut |step| telling.tell(step))
            };
            let mut done = apart(mend).await?;
            if !in_memory.is_empty() {
                done.before.findings.extend(in_memory);
                let what =
                    "the indexes, at the next opening: the file in which they were kept is gone";
                done.remade.push(what.to_owned());
            }
            Ok(Diagnosis {
                report: done.before.clone(),
                repair: Some(done).filter(|done| !done.before.is_healthy()),
            })
        })
        .await
    }
}

impl Souls {
    /// Where what is searched is not what the rows make. Nothing of a memory that cannot be opened.
    async fn differences(self: &Arc<Self>, name: &SoulName) -> Vec<Finding> {
        let Ok(soul) = self.open(name).await else {
            return Vec::new();
        };
        let mind = Arc::clone(soul.mind());
        let found = apart(move || mind.differences()).await.unwrap_or_default();
        found.into_iter().map(derived).collect()
    }
}

/// What memory holds is made from the rows: nothing is lost by a difference.
fn derived(what: String) -> Finding {
    Finding {
        severity: Severity::Derived,
        what,
    }
}
