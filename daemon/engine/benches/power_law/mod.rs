//! Random memories to walk on: Price's model, in which new links lead to notes that many lead to.
//!
//! Each note links to 8 to 10 others: with probability 2/3 to the target of a link drawn at random,
//! else to any note. How many links lead to a note then follows a power law with the exponent
//! `1 + 1 / (2/3) = 2.5`. Notes are numbered at random, so that what is linked is not stored
//! together. Half of the links are between concepts, of any confidence, half between patterns and
//! experiences; intensities are from 0.1 to 1.

use soulmem_engine::graph::MemoryGraph;
use soulmem_engine::model::{
    LinkId, LinkType, MemoryLink, NoteId, NoteKind, SemLink, SituationLink,
};
use uuid::Uuid;

/// A random memory.
pub struct PowerLaw {
    /// Its graph.
    pub graph: MemoryGraph,
    /// Its notes, by number.
    pub notes: Vec<NoteId>,
}

/// Weighted sources of one walk.
pub type Sources = Vec<(NoteId, f64)>;

/// Random numbers: xorshift64* (Vigna 2016), the same on every machine.
pub struct Random(u64);

impl Random {
    /// A sequence of its own for every seed.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Any number.
    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// From 0 to under `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.bits()) * bound as u128) >> 64) as usize
    }

    /// From 0 to under 1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn uuid(&mut self) -> Uuid {
        Uuid::from_u128(u128::from(self.bits()) << 64 | u128::from(self.bits()))
    }
}

/// A memory of `count` notes.
pub fn memory(count: usize) -> PowerLaw {
    let mut random = Random::new(count as u64);
    let notes: Vec<NoteId> = (0..count).map(|_| NoteId(random.uuid())).collect();
    let mut graph = MemoryGraph::new();
    for note in &notes {
        graph.add_note(*note, NoteKind::SpecificSituation);
    }
    let mut age: Vec<usize> = (0..count).collect();
    for position in (1..count).rev() {
        age.swap(position, random.below(position + 1));
    }
    let mut targets: Vec<u32> = Vec::with_capacity(9 * count);
    for &from in &age {
        for _ in 0..8 + random.below(3) {
            let to = target(&mut random, &targets, count, from);
            targets.push(to as u32);
            let link = link(&mut random, notes[from], notes[to]);
            graph.put_link(&link).expect("a valid link");
        }
    }
    PowerLaw { graph, notes }
}

fn target(random: &mut Random, targets: &[u32], count: usize, from: usize) -> usize {
    loop {
        let preferential = !targets.is_empty() && random.below(3) < 2;
        let to = if preferential {
            targets[random.below(targets.len())] as usize
        } else {
            random.below(count)
        };
        if to != from {
            return to;
        }
    }
}

fn link(random: &mut Random, from: NoteId, to: NoteId) -> MemoryLink {
    let link_type = match random.below(4) {
        0 => LinkType::Situation(SituationLink::AbstractToSpecific {}),
        1 => LinkType::Situation(SituationLink::SpecificToAbstract {}),
        _ => LinkType::Sem(SemLink {
            verb: "related".into(),
            confidence: random.unit(),
        }),
    };
    MemoryLink {
        id: LinkId(random.uuid()),
        from,
        to,
        intensity: 0.1 + 0.9 * random.unit(),
        link_type,
    }
}

impl PowerLaw {
    /// `count` times four random notes, weighted as if by similarity: from 0.35 to 1.
    pub fn queries(&self, count: usize) -> Vec<Sources> {
        let mut random = Random::new(77);
        let mut source = || {
            let note = self.notes[random.below(self.notes.len())];
            (note, 0.35 + 0.65 * random.unit())
        };
        (0..count)
            .map(|_| (0..4).map(|_| source()).collect())
            .collect()
    }
}
