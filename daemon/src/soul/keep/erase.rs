//! Erasing: notes, messages or a whole character, out of every file.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use soulmem_engine::model::NoteId;
use soulmem_proto::{Op, SoulChange, SoulName};

use super::telling::Telling;
use crate::soul::Souls;
use crate::soul::error::{Result, SoulError};
use crate::soul::pool::{apart, to_the_end};
use crate::soul::write::WriteOrder;
use crate::store::backup::Backup;
use crate::store::{Erase, Erased, ErasedSoul, Store, Tx, erase_discarded_copies, erase_soul};

/// What was erased, and what still holds it.
#[derive(Debug)]
pub struct Erasure<T> {
    /// What was erased.
    pub erased: T,
    /// Backups that still hold it.
    pub backups: Vec<Backup>,
}

impl Souls {
    /// Erases notes and messages of a character. Nothing of them can be recalled, or is on any page of its files, when
    /// this returns.
    pub async fn erase(
        self: &Arc<Self>,
        name: &SoulName,
        what: Erase,
        order: WriteOrder,
        backups: Vec<PathBuf>,
    ) -> Result<Erasure<Erased>> {
        let (souls, name) = (Arc::clone(self), name.clone());
        to_the_end(async move { souls.erase_in(name, what, order, backups).await }).await
    }

    async fn erase_in(
        self: Arc<Self>,
        name: SoulName,
        what: Erase,
        order: WriteOrder,
        backups: Vec<PathBuf>,
    ) -> Result<Erasure<Erased>> {
        let soul = self.open(&name).await?;
        let outcome = soul.write(order, move |tx: &Tx| tx.erase(&what)).await?;
        if !outcome.duplicate {
            let touched: std::collections::BTreeSet<NoteId> =
                (outcome.value.notes.iter().chain(&outcome.value.changed))
                    .copied()
                    .collect();
            soul.tell_changed(touched);
        }
        // A repeat finishes what the first attempt may not have come to.
        let _keeping = self.keeping.lock().await;
        let mut telling = Telling::new(&self.world.events, Op::Erase, name.clone());
        let (store, trash, backups) = (
            soul.store().clone(),
            self.trash.clone(),
            self.backup_folders(backups),
        );
        apart(move || {
            finish(
                &store,
                &name,
                outcome.value,
                &Places { trash, backups },
                &mut telling,
            )
        })
        .await
    }

    /// Erases a character as a whole, out of the trash too.
    pub async fn erase_soul(
        self: &Arc<Self>,
        name: &SoulName,
        mut order: WriteOrder,
        backups: Vec<PathBuf>,
    ) -> Result<Erasure<ErasedSoul>> {
        if let Some(turn) = &mut order.turn {
            turn.come().await;
        }
        let (souls, name) = (Arc::clone(self), name.clone());
        to_the_end(async move { souls.erase_all(name, backups).await }).await
    }

    async fn erase_all(
        self: Arc<Self>,
        name: SoulName,
        backups: Vec<PathBuf>,
    ) -> Result<Erasure<ErasedSoul>> {
        let _keeping = self.keeping.lock().await;
        let held = match self.hold(&name).await {
            // It may have been dropped, and be in the trash.
            Err(SoulError::Unknown { .. }) => None,
            held => Some(held?),
        };
        let (folder, trash, soul) = (self.folder.clone(), self.trash.clone(), name.clone());
        let backups = self.backup_folders(backups);
        let erase = move || {
            let erased = erase_soul(&folder, &soul, &trash)?;
            let still = in_each(&backups, |folder| erased.still_in(folder))?;
            Ok(Erasure {
                erased,
                backups: still,
            })
        };
        let erasure = apart(erase).await.map_err(|error| match error {
            crate::store::StoreError::NotFound(_) => self.unknown(&name),
            error => error.into(),
        })?;
        if let Some(held) = held {
            self.let_go(&name, &held);
        }
        self.uploads().forget(&name);
        self.ownerships().forget(&name);
        let (ledger, gone) = (Arc::clone(self.world.llm.ledger()), name.clone());
        apart(move || ledger.forget(gone.as_str())).await;
        self.tell_change(&name, SoulChange::Erased);
        Ok(erasure)
    }

    /// The folders of backups that are named, and the configured one.
    fn backup_folders(&self, mut named: Vec<PathBuf>) -> Vec<PathBuf> {
        named.extend(self.settings.backup.folder.clone());
        named.sort();
        named.dedup();
        named
    }
}

/// Where else a memory may be.
struct Places {
    trash: PathBuf,
    backups: Vec<PathBuf>,
}

fn finish(
    store: &Store,
    name: &SoulName,
    mut erased: Erased,
    places: &Places,
    telling: &mut Telling,
) -> Result<Erasure<Erased>> {
    // The memory counts as erased from once this is through, so it comes after all that is elsewhere.
    let copies = erase_discarded_copies(&places.trash, name, erased.database())?;
    erased.files = store.finish_erasing(&mut |step| telling.tell(step))?;
    erased.files.extend(copies);
    let backups = in_each(&places.backups, |folder| erased.still_in(folder))?;
    Ok(Erasure { erased, backups })
}

/// Finishes an erasure that a crash cut short. What hinders it now hinders nobody from remembering: the next opening tries
/// again.
pub fn finish_left(store: &Store, name: &SoulName, trash: &Path) {
    let finished = store.read(|view| Ok((view.is_erasing()?, view.profile()?.database)));
    let finished = match finished {
        Ok((true, database)) => erase_discarded_copies(trash, name, database)
            .and_then(|_| store.finish_erasing(&mut |_| ()).map(|_| ())),
        // Damage is told elsewhere.
        Ok((false, _)) | Err(_) => return,
    };
    match finished {
        Ok(()) => tracing::info!(soul = %name, "an erasure that was cut short is complete now"),
        Err(error) => tracing::error!(soul = %name, %error, "an erasure is not complete yet"),
    }
}

fn in_each(
    folders: &[PathBuf],
    find: impl Fn(&Path) -> crate::store::Result<Vec<Backup>>,
) -> crate::store::Result<Vec<Backup>> {
    let mut found = Vec::new();
    for folder in folders {
        found.extend(find(folder)?);
    }
    Ok(found)
}
