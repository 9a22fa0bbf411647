//! The walk over entities: from the names in the line to the notes about them and those that mention them, and on.
//!
//! Notes and names are the nodes of a graph with two sides. A note that is about a name is bound to it much more than one
//! that mentions it, and a name that many notes mention leads nowhere in particular. Personalised `PageRank` from the
//! line's names first, and a little from the notes that fit best.

use hashbrown::HashMap;

use crate::index::{Entities, NameId};
use crate::model::NoteId;

/// What binds a note to what it is about.
const ABOUT: f64 = 3.0;
/// Share of the mass that goes on at each step.
const DAMPING: f64 = 0.65;
/// Steps from names to notes or back.
const STEPS: usize = 4;
/// What the notes that fit count as sources, all together, against the names of the line.
const FITTING: f64 = 0.03;
/// Masses are whole numbers, so that their sums are the same in any order. This much is the whole.
const WHOLE: f64 = (1_u64 << 50) as f64;
/// What carries less than this does not go on: about 3 in 100,000.
const LEAST: u64 = 1 << 35;
/// A name that more notes hold leads nowhere.
const COMMON: usize = 2_000;

/// Where the walk starts.
#[derive(Debug, Default)]
pub(super) struct Sources {
    /// Names in the line.
    pub(super) names: Vec<NameId>,
    /// Notes that fit, with how well.
    pub(super) notes: Vec<(NoteId, f64)>,
}

type Masses<K> = HashMap<K, u64>;

/// Shares of the walk by note, from 0 to 1. Nothing where there is nothing to start from.
pub(super) fn walk(entities: &Entities, sources: &Sources) -> HashMap<NoteId, f64> {
    let rarity = |name: &NameId| 1.0 / entities.frequency(*name).max(1) as f64;
    let all_names: f64 = sources.names.iter().map(rarity).sum();
    let all_notes: f64 = sources.notes.iter().map(|(_, fit)| fit).sum();
    let (to_names, to_notes) = match (all_names > 0.0, all_notes > 0.0) {
        (true, true) => (1.0 / (1.0 + FITTING), FITTING / (1.0 + FITTING)),
        (true, false) => (1.0, 0.0),
        (false, true) => (0.0, 1.0),
        (false, false) => return HashMap::new(),
    };
    let mass = |share: f64| (share * WHOLE) as u64;
    let from_names: Masses<NameId> = sources
        .names
        .iter()
        .map(|name| (*name, mass(to_names * rarity(name) / all_names)))
        .collect();
    let from_notes: Masses<NoteId> = sources
        .notes
        .iter()
        .map(|(note, fit)| (*note, mass(to_notes * fit / all_notes)))
        .collect();
    let (mut names, mut notes) = (from_names.clone(), from_notes.clone());
    for _ in 1..STEPS {
        let onto_notes = onto_notes(entities, &names);
        names = arrived(&from_names, onto_names(entities, &notes));
        notes = arrived(&from_notes, onto_notes);
    }
    let notes = arrived(&from_notes, onto_notes(entities, &names));
    let share = |mass: u64| mass as f64 / WHOLE;
    notes
        .into_iter()
        .map(|(note, mass)| (note, share(mass)))
        .collect()
}

/// What a step comes to: what starts there anew, and what went on.
fn arrived<K: Copy + Eq + std::hash::Hash>(sources: &Masses<K>, mut moved: Masses<K>) -> Masses<K> {
    let part = |mass: u64, share: f64| (mass as f64 * share) as u64;
    for mass in moved.values_mut() {
        *mass = part(*mass, DAMPING);
    }
    for (key, mass) in sources {
        *moved.entry(*key).or_default() += part(*mass, 1.0 - DAMPING);
    }
    moved
}

fn onto_notes(entities: &Entities, names: &Masses<NameId>) -> Masses<NoteId> {
    let mut moved = Masses::new();
    for (name, mass) in names.iter().filter(|(_, mass)| **mass >= LEAST) {
        let weight = entities.binding(*name);
        let (owners, others) = entities.holders(*name);
        let total = ABOUT * owners.len() as f64 + weight * others.len() as f64;
        if total <= 0.0 || owners.len() + others.len() > COMMON {
            continue;
        }
        let part = |weight: f64| (*mass as f64 * weight / total) as u64;
        for (notes, part) in [(owners, part(ABOUT)), (others, part(weight))] {
            for note in notes {
                *moved.entry(*note).or_default() += part;
            }
        }
    }
    moved
}

fn onto_names(entities: &Entities, notes: &Masses<NoteId>) -> Masses<NameId> {
    let mut moved = Masses::new();
    for (note, mass) in notes.iter().filter(|(_, mass)| **mass >= LEAST) {
        let (about, mentions) = entities.names_of(*note);
        let others: f64 = mentions.iter().map(|name| entities.binding(*name)).sum();
        let total = ABOUT * about.len() as f64 + others;
        if total <= 0.0 {
            continue;
        }
        let part = |weight: f64| (*mass as f64 * weight / total) as u64;
        for name in about {
            *moved.entry(*name).or_default() += part(ABOUT);
        }
        for name in mentions {
            *moved.entry(*name).or_default() += part(entities.binding(*name));
        }
    }
    moved
}
