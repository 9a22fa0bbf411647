//! The names that the line and the notes share, and where the walk over them leads.

use std::collections::BTreeSet;

use super::{REACHED, Row, standardise};
use crate::index::{DocKey, NameId};
use crate::model::NoteId;
use crate::recall::memory::Memory;
use crate::recall::plain::asked::Asked;
use crate::recall::plain::channel::{Channel, FusionWeights};
use crate::recall::plain::entity_walk::{self, Reached, Sources};

/// Notes that fit best and that the walk over entities starts from.
const WALK_NOTES: usize = 20;
/// A share of the walk under this tells nothing.
const LEAST_SHARE: f64 = 1e-7;
/// Notes that it leads to beyond the other candidates.
const LED_TO: usize = 100;

/// The walk over entities from the line's names and from the notes that fit best by themselves.
pub(super) fn walked<'a>(
    memory: &Memory<'a>,
    asked: &Asked,
    rows: &[Row],
    weights: &FusionWeights,
) -> Reached<'a> {
    let fit = |row: &Row| weights.base.sum(&row.channels);
    let mut notes: Vec<(NoteId, f64)> = rows
        .iter()
        .filter_map(|row| Some((row.key.note()?, fit(row))))
        .filter(|(_, fit)| *fit > 0.0)
        .collect();
    notes.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    notes.truncate(WALK_NOTES);
    let sources = Sources {
        names: asked.entities.clone(),
        notes,
    };
    entity_walk::walk(&memory.indexes.entities, &sources)
}

/// The notes that the walk was at the most.
pub(super) fn led_to(memory: &Memory<'_>, reached: &Reached<'_>) -> BTreeSet<DocKey> {
    let mut order: Vec<(NoteId, u64)> = reached.notes().collect();
    let larger = |a: &(NoteId, u64), b: &(NoteId, u64)| b.1.cmp(&a.1).then(a.0.cmp(&b.0));
    let admitted = |of: &[(NoteId, u64)]| {
        let admitted = of.iter().filter(|(id, _)| memory.admits_note(*id));
        admitted.copied().collect::<Vec<_>>()
    };
    // Nearly all are admitted, so that the first of them need not be looked for among all.
    let mut best = Vec::new();
    if order.len() > 2 * LED_TO {
        order.select_nth_unstable_by(2 * LED_TO, larger);
        best = admitted(&order[..2 * LED_TO]);
    }
    if best.len() < LED_TO {
        best = admitted(&order);
    }
    if best.len() > LED_TO {
        best.select_nth_unstable_by(LED_TO, larger);
        best.truncate(LED_TO);
    }
    best.into_iter().map(|(id, _)| DocKey::Note(id)).collect()
}

/// Lets the names and the walk over them say what they have to.
pub(super) fn weigh(memory: &Memory<'_>, asked: &Asked, reached: &Reached<'_>, rows: &mut [Row]) {
    for row in rows.iter_mut() {
        let share = row.key.note().map_or(0.0, |id| reached.share(id));
        let share = share.max(LEAST_SHARE);
        row.reached |= share >= REACHED;
        row.channels.set(Channel::EntityWalk, share.ln());
        row.channels
            .set(Channel::Entities, named_by(memory, asked, row.key));
    }
    standardise(rows, Channel::EntityWalk);
}

/// 1 for a note that is about something that the line names, a half for one that mentions it.
fn named_by(memory: &Memory<'_>, asked: &Asked, key: DocKey) -> f64 {
    let entities = &memory.indexes.entities;
    let Some(id) = key.note() else {
        return 0.0;
    };
    let (about, mentions) = entities.names_of(id);
    let of = |names: &[NameId]| asked.entities.iter().any(|name| names.contains(name));
    if of(about) {
        1.0
    } else if of(mentions) {
        0.5
    } else {
        0.0
    }
}
