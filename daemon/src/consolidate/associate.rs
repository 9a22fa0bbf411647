//! Step 4: new notes are linked with what was in mind lately, and with what they name.

use std::collections::{BTreeMap, BTreeSet};

use soulmem_engine::consolidate::{
    CO_RECALLED, CO_RECALLED_CONFIDENCE, CO_RECALLED_INTENSITY, MAX_CO_RECALLED, is_co_recalled,
};
use soulmem_engine::model::{
    IdSource, LinkDraft, LinkId, LinkType, MemoryLink, MemoryNote, NoteId, SemLink,
};
use soulmem_engine::text::key;

use super::fail_here;
use super::identify::{Identified, is_entity};
use super::known::Known;
use crate::store::{Result, Tx};

/// The verb from a note to what it names.
const MENTIONS: &str = "mentions";
/// The verb from something known to a note about it.
const ABOUT: &str = "about";
/// Notes about one thing that the thing calls up by itself; the others are found by their words.
const MAX_ABOUT: usize = 256;

/// Links between the notes of a batch and the things that they name, both ways.
pub fn with_names(
    identified: &Identified,
    known: &dyn Known,
    ids: &dyn IdSource,
) -> Result<Vec<MemoryLink>> {
    fail_here!("consolidate::associate");
    let pending: BTreeMap<String, NoteId> = identified
        .created
        .iter()
        .filter(|note| is_entity(note))
        .flat_map(|note| named(note).into_iter().map(|name| (name, note.id)))
        .collect();
    let created: BTreeSet<NoteId> = identified.created.iter().map(|note| note.id).collect();
    let mut links = Vec::new();
    let mut linked = BTreeSet::new();
    for (note, names) in &identified.named {
        for name in names {
            let Some(thing) = thing(name, &pending, known)? else {
                continue;
            };
            let new = thing != *note
                && (created.contains(note) || created.contains(&thing))
                && linked.insert((*note, thing));
            if new {
                links.extend(sem(*note, thing, MENTIONS, 1.0, 1.0, ids));
                links.extend(sem(thing, *note, ABOUT, 1.0, 1.0, ids));
            }
        }
    }
    Ok(links)
}

/// The note of what is called so.
fn thing(
    name: &str,
    pending: &BTreeMap<String, NoteId>,
    known: &dyn Known,
) -> Result<Option<NoteId>> {
    if let Some(id) = pending.get(&key(name)) {
        return Ok(Some(*id));
    }
    let found = known.named(name)?;
    let current = found.iter().find(|note| {
        is_entity(note) && note.superseded_by.is_none() && named(note).contains(&key(name))
    });
    Ok(current.map(|note| note.id))
}

/// What an entity is called, folded.
fn named(note: &MemoryNote) -> Vec<String> {
    match &note.mem_type {
        soulmem_engine::model::MemoryType::Semantic(semantic) => std::iter::once(&semantic.content)
            .chain(&semantic.aliases)
            .map(|name| key(name))
            .collect(),
        _ => Vec::new(),
    }
}

/// Links between new notes and those that were in mind with them, both ways: nobody asks whether they have to do with
/// each other.
pub fn with_companions(
    new: &[NoteId],
    companions: &[NoteId],
    ids: &dyn IdSource,
) -> Vec<MemoryLink> {
    let mut links = Vec::new();
    for note in new {
        for companion in companions.iter().filter(|companion| *companion != note) {
            for (from, to) in [(*note, *companion), (*companion, *note)] {
                links.extend(sem(
                    from,
                    to,
                    CO_RECALLED,
                    CO_RECALLED_CONFIDENCE,
                    CO_RECALLED_INTENSITY,
                    ids,
                ));
            }
        }
    }
    links
}

fn sem(
    from: NoteId,
    to: NoteId,
    verb: &str,
    confidence: f64,
    intensity: f64,
    ids: &dyn IdSource,
) -> Option<MemoryLink> {
    let link_type = LinkType::Sem(SemLink {
        verb: verb.to_owned(),
        confidence,
    });
    LinkDraft::new(to, link_type)
        .starting_from(from)
        .with_intensity(intensity)
        .build(ids)
        .ok()
}

/// Writes links, keeping of those from one note that say it was in mind with others only the strongest, of equally strong
/// ones the latest. Gives how many are new.
pub fn put(tx: &Tx, links: &[MemoryLink]) -> Result<u64> {
    let mut by_source: BTreeMap<NoteId, Vec<&MemoryLink>> = BTreeMap::new();
    for link in links {
        by_source.entry(link.from).or_default().push(link);
    }
    let mut written = 0;
    for (source, new) in by_source {
        let Some(stored) = tx.note(source)? else {
            continue;
        };
        let old = &stored.note.mem_links;
        let (going, staying) = settle(old, &new);
        tx.delete_links(&going)?;
        tx.put_links(&staying)?;
        written += staying.len() as u64;
    }
    Ok(written)
}

/// Which of the old links go, and which of the new ones are written.
fn settle(old: &[MemoryLink], new: &[&MemoryLink]) -> (Vec<LinkId>, Vec<MemoryLink>) {
    let repeats = |link: &MemoryLink| {
        old.iter()
            .any(|other| other.to == link.to && verb(&other.link_type) == verb(&link.link_type))
    };
    let fresh = new.iter().copied().filter(|link| !repeats(link));
    let (mut together, plain): (Vec<&MemoryLink>, Vec<&MemoryLink>) =
        fresh.partition(|link| is_co_recalled(&link.link_type));
    let about = old
        .iter()
        .filter(|link| verb(&link.link_type) == Some(ABOUT))
        .count();
    let mut room = MAX_ABOUT.saturating_sub(about);
    let plain = plain.into_iter().filter(|link| {
        if verb(&link.link_type) != Some(ABOUT) {
            return true;
        }
        let fits = room > 0;
        room = room.saturating_sub(1);
        fits
    });
    let mut staying: Vec<MemoryLink> = plain.cloned().collect();
    // Latest first, then by strength: the sort is stable.
    let mut all: Vec<(&MemoryLink, bool)> =
        together.drain(..).rev().map(|link| (link, true)).collect();
    all.extend(
        old.iter()
            .rev()
            .filter(|link| is_co_recalled(&link.link_type))
            .map(|link| (link, false)),
    );
    all.sort_by(|(a, _), (b, _)| b.intensity.total_cmp(&a.intensity));
    let over = all.split_off(all.len().min(MAX_CO_RECALLED));
    staying.extend(
        all.iter()
            .filter(|(_, new)| *new)
            .map(|(link, _)| (*link).clone()),
    );
    let going = over
        .iter()
        .filter(|(_, new)| !new)
        .map(|(link, _)| link.id)
        .collect();
    (going, staying)
}

fn verb(link: &LinkType) -> Option<&str> {
    match link {
        LinkType::Sem(sem) => Some(&sem.verb),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use soulmem_engine::model::SequentialIds;
    use uuid::Uuid;

    use super::*;

    fn note(number: u128) -> NoteId {
        NoteId(Uuid::from_u128(number))
    }

    fn link(to: u128, intensity: f64, ids: &SequentialIds) -> MemoryLink {
        sem(note(1_000), note(to), CO_RECALLED, 0.5, intensity, ids).unwrap()
    }

    #[test]
    fn companions_are_linked_both_ways_with_the_strength_of_the_rule() {
        let ids = SequentialIds::new();
        let links = with_companions(&[note(1)], &[note(2), note(3), note(1)], &ids);
        let ends: Vec<_> = links.iter().map(|link| (link.from, link.to)).collect();
        let (one, two, three) = (note(1), note(2), note(3));
        assert_eq!(ends, [(one, two), (two, one), (one, three), (three, one)]);
        let strengths: Vec<_> = links.iter().map(|link| link.intensity).collect();
        assert_eq!(strengths, [0.3; 4]);
        assert!(links.iter().all(|link| is_co_recalled(&link.link_type)));
    }

    #[test]
    fn of_more_than_32_the_weakest_leaves_of_equal_ones_the_oldest() {
        let ids = SequentialIds::new();
        // 31 strong ones and one at 0.3, the oldest: a new one at 0.3 takes its place.
        let mut old = vec![link(1, 0.3, &ids)];
        old.extend((2..=32).map(|to| link(to, 0.9, &ids)));
        let new = link(40, 0.3, &ids);
        let (going, staying) = settle(&old, &[&new]);
        assert_eq!(going, [old[0].id]);
        assert_eq!(staying, [new]);
    }

    #[test]
    fn a_new_link_that_would_be_the_weakest_is_not_written() {
        let ids = SequentialIds::new();
        let old: Vec<_> = (1..=32).map(|to| link(to, 0.4, &ids)).collect();
        let new = link(40, 0.3, &ids);
        assert_eq!(settle(&old, &[&new]), (vec![], vec![]));
    }

    #[test]
    fn a_link_that_is_there_is_not_written_again() {
        let ids = SequentialIds::new();
        let old = [link(1, 0.7, &ids)];
        let again = link(1, 0.3, &ids);
        assert_eq!(settle(&old, &[&again]), (vec![], vec![]));
    }
}
