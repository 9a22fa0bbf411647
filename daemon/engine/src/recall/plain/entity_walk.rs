//! The walk over entities: from the names in the line to the notes about them and those that mention them, and on.
//!
//! Notes and names are the nodes of a graph with two sides. A note that is about a name is bound to it much more than one
//! that mentions it, and a name that many notes mention leads nowhere in particular. Personalised `PageRank` from the
//! line's names first, and a little from the notes that fit best.

use crate::index::{Entities, NameId};
use crate::model::NoteId;

/// What binds a note to what it is about.
const ABOUT: f64 = 3.0;
/// Share of the mass that goes on at each step.
const DAMPING: f64 = 0.65;
/// Times to names and back.
const ROUNDS: usize = 2;
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

/// What is at each note, or each name, by number.
#[derive(Clone, Debug)]
struct Masses {
    of: Vec<u64>,
    /// Where anything is.
    there: Vec<u32>,
}

impl Masses {
    fn none(end: u32) -> Self {
        Self {
            of: vec![0; end as usize],
            there: Vec::new(),
        }
    }

    fn add(&mut self, to: u32, mass: u64) {
        let of = &mut self.of[to as usize];
        if *of == 0 && mass > 0 {
            self.there.push(to);
        }
        *of += mass;
    }

    fn iter(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        self.there.iter().map(|at| (*at, self.of[*at as usize]))
    }
}

/// Where the walk came to.
#[derive(Debug)]
pub(super) struct Reached<'a> {
    entities: &'a Entities,
    notes: Masses,
}

impl Reached<'_> {
    /// The share of the walk at a note, from 0 to 1.
    pub(super) fn share(&self, note: NoteId) -> f64 {
        let number = self.entities.number_of(note);
        let mass = number.and_then(|number| self.notes.of.get(number as usize));
        mass.map_or(0.0, |mass| *mass as f64 / WHOLE)
    }

    /// The notes that it came to, with how much of it, in no order.
    pub(super) fn notes(&self) -> impl Iterator<Item = (NoteId, u64)> + '_ {
        self.notes.iter().filter_map(|(number, mass)| {
            let id = self.entities.numbered(number)?;
            Some((id, mass))
        })
    }
}

/// Shares of the walk by note. Nothing where there is nothing to start from.
pub(super) fn walk<'a>(entities: &'a Entities, sources: &Sources) -> Reached<'a> {
    let (no_note, no_name) = entities.ends();
    let mut from_notes = Masses::none(no_note);
    let mut from_names = Masses::none(no_name);
    let rarity = |name: &NameId| 1.0 / entities.frequency(*name).max(1) as f64;
    let all_names: f64 = sources.names.iter().map(rarity).sum();
    let all_notes: f64 = sources.notes.iter().map(|(_, fit)| fit).sum();
    let (to_names, to_notes) = match (all_names > 0.0, all_notes > 0.0) {
        (true, true) => (1.0 / (1.0 + FITTING), FITTING / (1.0 + FITTING)),
        (true, false) => (1.0, 0.0),
        (false, true) => (0.0, 1.0),
        (false, false) => {
            let notes = from_notes;
            return Reached { entities, notes };
        }
    };
    let mass = |share: f64| (share * WHOLE) as u64;
    for name in &sources.names {
        from_names.add(*name, mass(to_names * rarity(name) / all_names));
    }
    for (note, fit) in &sources.notes {
        if let Some(number) = entities.number_of(*note) {
            from_notes.add(number, mass(to_notes * fit / all_notes));
        }
    }
    let mut notes = from_notes.clone();
    for _ in 0..ROUNDS {
        let names = arrived(&from_names, onto_names(entities, &notes));
        notes = arrived(&from_notes, onto_notes(entities, &names));
    }
    Reached { entities, notes }
}

/// What a step comes to: what starts there anew, and what went on.
fn arrived(sources: &Masses, mut moved: Masses) -> Masses {
    let part = |mass: u64, share: f64| (mass as f64 * share) as u64;
    for at in &moved.there {
        let mass = &mut moved.of[*at as usize];
        *mass = part(*mass, DAMPING);
    }
    for (at, mass) in sources.iter() {
        moved.add(at, part(mass, 1.0 - DAMPING));
    }
    moved
}

fn onto_notes(entities: &Entities, names: &Masses) -> Masses {
    let (no_note, _) = entities.ends();
    let mut moved = Masses::none(no_note);
    for (name, mass) in names.iter().filter(|(_, mass)| *mass >= LEAST) {
        let weight = entities.binding(name);
        let (owners, others) = entities.holding_numbers(name);
        let total = ABOUT * owners.len() as f64 + weight * others.len() as f64;
        if total <= 0.0 || owners.len() + others.len() > COMMON {
            continue;
        }
        let part = |weight: f64| (mass as f64 * weight / total) as u64;
        for (notes, part) in [(owners, part(ABOUT)), (others, part(weight))] {
            for note in notes {
                moved.add(*note, part);
            }
        }
    }
    moved
}

fn onto_names(entities: &Entities, notes: &Masses) -> Masses {
    let (_, no_name) = entities.ends();
    let mut moved = Masses::none(no_name);
    for (note, mass) in notes.iter().filter(|(_, mass)| *mass >= LEAST) {
        let (about, mentions) = entities.names_at(note);
        let others: f64 = mentions.iter().map(|name| entities.binding(*name)).sum();
        let total = ABOUT * about.len() as f64 + others;
        if total <= 0.0 {
            continue;
        }
        let part = |weight: f64| (mass as f64 * weight / total) as u64;
        for name in about {
            moved.add(*name, part(ABOUT));
        }
        for name in mentions {
            moved.add(*name, part(entities.binding(*name)));
        }
    }
    moved
}
