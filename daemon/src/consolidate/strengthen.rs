//! Step 5: links grow and shrink by use.

use std::collections::BTreeSet;

use jiff::SignedDuration;
use soulmem_engine::consolidate::{
    RecalledTogether, can_weaken, joint_recalls, strengthened, weakened,
};
use soulmem_engine::model::{MemoryLink, NoteId};

use super::fail_here;
use crate::store::{Result, Tx};

/// A link is weakened no more than once in this time.
const WEAKENED_EVERY: SignedDuration = SignedDuration::from_hours(24);

/// What became of links.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Moved {
    /// Links that grew stronger.
    pub strengthened: u64,
    /// Links that grew weaker.
    pub weakened: u64,
    /// Links that were too weak to stay.
    pub pruned: u64,
}

/// Moves the links that start from the notes that were recalled.
pub fn by_use(tx: &Tx, recalls: &[RecalledTogether]) -> Result<Moved> {
    fail_here!("consolidate::strengthen");
    let joint = joint_recalls(recalls);
    let recalled: BTreeSet<NoteId> = recalls
        .iter()
        .flat_map(|recall| recall.notes.iter().copied())
        .collect();
    let mut moved = Moved::default();
    for id in recalled {
        let Some(stored) = tx.note(id)? else {
            continue;
        };
        for link in &stored.note.mem_links {
            let pair = (link.from.min(link.to), link.from.max(link.to));
            match joint.get(&pair) {
                Some(times) => {
                    let intensity = strengthened(link.intensity, *times);
                    if intensity > link.intensity {
                        let before = tx.link(link.id)?.and_then(|stored| stored.weakened_at);
                        tx.set_intensity(link.id, intensity, before)?;
                        moved.strengthened += 1;
                    }
                }
                None if can_weaken(&link.link_type) => weaken(tx, link, &mut moved)?,
                None => {}
            }
        }
    }
    Ok(moved)
}

fn weaken(tx: &Tx, link: &MemoryLink, moved: &mut Moved) -> Result<()> {
    let before = tx.link(link.id)?.and_then(|stored| stored.weakened_at);
    let now = tx.now();
    if before.is_some_and(|before| now.duration_since(before) < WEAKENED_EVERY) {
        return Ok(());
    }
    if let Some(intensity) = weakened(link.intensity) {
        tx.set_intensity(link.id, intensity, Some(now))?;
        moved.weakened += 1;
    } else {
        tx.delete_links(&[link.id])?;
        moved.pruned += 1;
    }
    Ok(())
}
