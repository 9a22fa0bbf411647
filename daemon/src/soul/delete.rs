//! Taking notes and links away.

use serde::{Deserialize, Serialize};
use soulmem_engine::model::{LinkId, NoteId};

use super::character::Soul;
use super::error::{Result, SoulError};
use super::limits::{MAX_IDS, within_count};
use super::write::WriteOrder;
use crate::store::Tx;

/// What was taken away, and whose links are not what they were.
#[derive(Debug, Serialize, Deserialize)]
struct Deleted<I> {
    ids: Vec<I>,
    sources: Vec<NoteId>,
}

impl Soul {
    /// Hides notes with the links from and to them. Gives those that were there.
    pub async fn delete_notes(&self, ids: Vec<NoteId>, order: WriteOrder) -> Result<Vec<NoteId>> {
        some(&ids, "note")?;
        let delete = move |tx: &Tx| {
            let mut sources = Vec::new();
            for id in &ids {
                sources.extend(tx.links_to(*id)?.into_iter().map(|link| link.link.from));
            }
            let ids = tx.delete_notes(&ids)?;
            Ok(Deleted { ids, sources })
        };
        let outcome = self.write(order, delete).await?;
        let Deleted { ids, sources } = outcome.value;
        if !outcome.duplicate {
            self.tell_each_once(ids.iter().copied().chain(sources));
        }
        Ok(ids)
    }

    /// Takes links away. Gives those that were there.
    pub async fn delete_links(&self, ids: Vec<LinkId>, order: WriteOrder) -> Result<Vec<LinkId>> {
        some(&ids, "link")?;
        let delete = move |tx: &Tx| {
            let mut sources = Vec::new();
            for id in &ids {
                sources.extend(tx.link(*id)?.map(|link| link.link.from));
            }
            let ids = tx.delete_links(&ids)?;
            Ok(Deleted { ids, sources })
        };
        let outcome = self.write(order, delete).await?;
        if !outcome.duplicate {
            self.tell_each_once(outcome.value.sources);
        }
        Ok(outcome.value.ids)
    }

    fn tell_each_once(&self, ids: impl IntoIterator<Item = NoteId>) {
        let ids: std::collections::BTreeSet<NoteId> = ids.into_iter().collect();
        self.tell_changed(ids);
    }
}

fn some<I>(ids: &[I], what: &str) -> Result<()> {
    if ids.is_empty() {
        let reason = format!("must hold the id of at least one {what}");
        return Err(SoulError::invalid("ids", reason));
    }
    within_count(ids.len(), MAX_IDS, "ids")
}
