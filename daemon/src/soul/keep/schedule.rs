//! Backups on a schedule, and what `health` says of them.

use std::path::{Path, PathBuf};
use std::sync::{Arc, MutexGuard, PoisonError};

use jiff::{SignedDuration, Timestamp};
use soulmem_proto::SoulName;
use soulmem_proto::ops::health::{BackupHealth, Condition};

use super::backup::BackupPlan;
use crate::soul::Souls;
use crate::soul::error::{Result, SoulError};
use crate::soul::pool::{apart, to_the_end};
use crate::store::StoreError;
use crate::store::backup::{
    Backup, Keep, Recipients, is_due, newest, of_others, remove_unfinished, rotate,
};

/// After a failure the next attempt waits this long.
const RETRY: SignedDuration = SignedDuration::from_mins(10);

/// Where backups go by themselves, and how often.
#[derive(Debug, Clone)]
pub struct BackupSettings {
    /// Folder that keeps them, which must be there; no backups are made without one.
    pub folder: Option<PathBuf>,
    /// Time from one to the next.
    pub every: SignedDuration,
    /// Which old ones stay.
    pub keep: Keep,
    /// To whom they are encrypted.
    pub recipients: Recipients,
    /// Age of the last good one from which on `health` warns.
    pub warn_after: SignedDuration,
}

impl Default for BackupSettings {
    fn default() -> Self {
        Self {
            folder: None,
            every: SignedDuration::from_hours(24),
            keep: Keep::default(),
            recipients: Recipients::default(),
            warn_after: SignedDuration::from_hours(48),
        }
    }
}

/// How backups on a schedule went so far.
#[derive(Debug, Default)]
pub struct Backups {
    failure: Option<String>,
    not_before: Option<Timestamp>,
}

impl Souls {
    /// Makes a backup if the last one is older than it should be, and lets old ones go. Gives the backup.
    ///
    /// A character that is damaged does not keep the others from being backed up; no backup is removed then, because
    /// one of them may be the last that has it whole.
    pub async fn back_up_if_due(self: &Arc<Self>) -> Result<Option<Backup>> {
        let Some(folder) = self.settings.backup.folder.clone() else {
            return Ok(None);
        };
        let now = self.world.outside.clock.now();
        if self
            .backups()
            .not_before
            .is_some_and(|not_before| now < not_before)
        {
            return Ok(None);
        }
        let souls = Arc::clone(self);
        let made = to_the_end(async move { souls.back_up_on_schedule(folder, now).await }).await;
        let mut backups = self.backups();
        match &made {
            Ok(None) => {}
            Ok(Some((_, left_out))) => {
                backups.failure.clone_from(left_out);
                backups.not_before = None;
            }
            Err(error) => {
                tracing::warn!(%error, "the scheduled backup failed");
                backups.failure = Some(error.to_string());
                backups.not_before = now.checked_add(RETRY).ok();
            }
        }
        Ok(made?.map(|(backup, _)| backup))
    }

    /// Gives the backup, and in words which characters are not in it.
    async fn back_up_on_schedule(
        &self,
        folder: PathBuf,
        now: Timestamp,
    ) -> Result<Option<(Backup, Option<String>)>> {
        let settings = self.settings.backup.clone();
        let (place, installation) = (folder.clone(), self.installation);
        let last = apart(move || {
            must_be_there(&place)?;
            newest(&place, installation)
        })
        .await?;
        if self.names().is_empty() || !is_due(last.as_ref(), settings.every, now) {
            return Ok(None);
        }
        let _keeping = self.keeping.lock().await;
        let (backup, left_out) = self.back_up_what_is_whole(&folder).await?;
        let whole = left_out.is_none();
        let tidy = move || {
            remove_unfinished(&folder, now)?;
            if whole {
                rotate(&folder, installation, settings.keep)?;
            }
            Ok::<_, StoreError>(())
        };
        apart(tidy).await?;
        tracing::info!(folder = %backup.folder.display(), "a scheduled backup was made");
        Ok(Some((backup, left_out)))
    }

    async fn back_up_what_is_whole(&self, folder: &Path) -> Result<(Backup, Option<String>)> {
        let mut souls = self.names();
        let mut left_out = Vec::new();
        loop {
            let plan = BackupPlan {
                folder: folder.to_owned(),
                souls: souls.clone(),
                recipients: self.settings.backup.recipients.clone(),
            };
            let error = match self.back_up_now(plan).await {
                Ok(backup) => {
                    let said = (!left_out.is_empty()).then(|| left_out.join("; "));
                    return Ok((backup, said));
                }
                Err(error) => error,
            };
            let Some(damaged) = self.whose(&error, &souls).filter(|_| souls.len() > 1) else {
                return Err(error);
            };
            tracing::error!(soul = %damaged, %error, "it is not in the scheduled backup");
            left_out.push(format!("{damaged} could not be backed up: {error}"));
            souls.retain(|soul| *soul != damaged);
        }
    }

    /// Which of the characters an error of a copy is about, where it is the damage of one.
    fn whose(&self, error: &SoulError, souls: &[SoulName]) -> Option<SoulName> {
        let SoulError::Store(StoreError::Corrupt { file, .. }) = error else {
            return None;
        };
        let copy = file.file_stem().and_then(|stem| stem.to_str());
        let about = |soul: &&SoulName| {
            file.starts_with(self.folder_of(soul)) || copy == Some(soul.as_str())
        };
        souls.iter().find(about).cloned()
    }

    /// How backups on a schedule are, where they are configured.
    pub async fn backup_health(&self) -> Option<BackupHealth> {
        let settings = self.settings.backup.clone();
        let folder = settings.folder?;
        let (place, installation) = (folder.clone(), self.installation);
        let found = apart(move || {
            must_be_there(&place)?;
            let others = of_others(&place, installation)?;
            Ok::<_, StoreError>((newest(&place, installation)?, others))
        })
        .await;
        let now = self.world.outside.clock.now();
        let failure = self.backups().failure.clone();
        let (last, of_others, reason) = match found {
            Err(error) => (None, 0, Some(error.to_string())),
            Ok((last, of_others)) => {
                let last = last.map(|backup| backup.manifest.created_at);
                let old = last.and_then(|last| too_old(last, settings.warn_after, now));
                (last, of_others, failure.or(old))
            }
        };
        let condition = match (&reason, last) {
            (Some(_), _) => Condition::Down,
            (None, None) => Condition::Loading,
            (None, Some(_)) => Condition::Ready,
        };
        Some(BackupHealth {
            folder: folder.display().to_string(),
            last,
            condition,
            reason,
            of_others: (of_others > 0).then_some(of_others as u64),
        })
    }

    fn backups(&self) -> MutexGuard<'_, Backups> {
        self.backups.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A folder that is gone is most often a disk that is not mounted: what would be written there would fill this one.
fn must_be_there(folder: &Path) -> crate::store::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    Err(StoreError::NotFound(format!(
        "the folder for backups, {}, is not there: make it, or mount its disk",
        folder.display()
    )))
}

fn too_old(last: Timestamp, most: SignedDuration, now: Timestamp) -> Option<String> {
    let age = now.duration_since(last);
    (age > most).then(|| format!("the last good backup is {} hours old", age.as_hours()))
}
