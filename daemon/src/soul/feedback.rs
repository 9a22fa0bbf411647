//! What is said of a hit moves the links that it was reached by.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use soulmem_engine::model::{LinkId, NoteId};
use soulmem_engine::recall::feedback::{Verdict, moved};

use super::character::Soul;
use super::error::{Result, SoulError};
use super::limits::{MAX_IDS, within_count};
use super::write::WriteOrder;
use crate::store::Tx;

/// What feedback came to.
#[derive(Debug, Serialize, Deserialize)]
pub struct Heard {
    /// The links that the hits were reached by, by id, as they are now.
    pub moved: Vec<Moved>,
    /// Hits for which no link was moved, by id.
    pub unmoved: Vec<NoteId>,
}

/// A link with its intensity.
#[derive(Debug, Serialize, Deserialize)]
pub struct Moved {
    /// Which link.
    pub id: LinkId,
    /// The note that it starts from.
    pub from: NoteId,
    /// How strong it is now.
    pub intensity: f64,
}

impl Soul {
    /// Moves every link that one of the hits was reached by, each once, in the last recall that came up with that hit.
    pub async fn feedback(
        &self,
        ids: Vec<NoteId>,
        verdict: Verdict,
        order: WriteOrder,
    ) -> Result<Heard> {
        if ids.is_empty() {
            let reason = "must hold the id of at least one note that came up";
            return Err(SoulError::invalid("ids", reason));
        }
        within_count(ids.len(), MAX_IDS, "ids")?;
        let trails = self.mind().trails().of(ids);
        let outcome = self
            .write(order, move |tx| hear(tx, &trails, verdict))
            .await?;
        if !outcome.duplicate {
            let sources: BTreeSet<NoteId> =
                outcome.value.moved.iter().map(|link| link.from).collect();
            self.tell_changed(sources);
        }
        Ok(outcome.value)
    }
}

fn hear(
    tx: &Tx,
    trails: &BTreeMap<NoteId, Vec<LinkId>>,
    verdict: Verdict,
) -> crate::store::Result<Heard> {
    let mut links = BTreeMap::new();
    for id in trails.values().flatten() {
        // A link that was taken away meanwhile is none of those that it is reached by now.
        if let Some(stored) = tx.link(*id)? {
            links.insert(*id, stored);
        }
    }
    let unmoved = trails
        .iter()
        .filter(|(_, trail)| !trail.iter().any(|link| links.contains_key(link)))
        .map(|(note, _)| *note)
        .collect();
    let mut heard = Heard {
        moved: Vec::new(),
        unmoved,
    };
    for (id, stored) in links {
        let intensity = moved(stored.link.intensity, verdict);
        tx.set_intensity(id, intensity, stored.weakened_at)?;
        heard.moved.push(Moved {
            id,
            from: stored.link.from,
            intensity,
        });
    }
    Ok(heard)
}
