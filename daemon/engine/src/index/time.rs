//! When things were: entries by the time they cover.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash;

use hashbrown::HashMap;
use jiff::Timestamp;

use crate::model::Interval;

/// Entries with an interval each, searched for those that overlap another.
///
/// Entries are kept by class of length and, within a class, by their beginning. So in each class only those are looked at
/// that begin at most one greatest length before the interval asked for: of those, at least half overlap it when they are
/// spread evenly. From an instant to all of time there are 70 classes.
#[derive(Debug)]
pub struct TimeIndex<K> {
    classes: BTreeMap<u32, BTreeMap<Interval, BTreeSet<K>>>,
    by_key: HashMap<K, Interval>,
}

impl<K> Default for TimeIndex<K> {
    fn default() -> Self {
        Self {
            classes: BTreeMap::new(),
            by_key: HashMap::new(),
        }
    }
}

impl<K: Clone + Ord + Hash> TimeIndex<K> {
    /// An empty index.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.by_key.len()
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.by_key.is_empty()
    }

    /// The interval of an entry.
    pub fn get(&self, key: &K) -> Option<Interval> {
        self.by_key.get(key).copied()
    }

    /// Adds an entry, in place of the one that had this key.
    pub fn put(&mut self, key: K, interval: Interval) {
        self.remove(&key);
        let class = self.classes.entry(class_of(interval)).or_default();
        class.entry(interval).or_default().insert(key.clone());
        self.by_key.insert(key, interval);
    }

    /// Takes an entry out. Answers whether it was there.
    pub fn remove(&mut self, key: &K) -> bool {
        let Some(interval) = self.by_key.remove(key) else {
            return false;
        };
        let Some(class) = self.classes.get_mut(&class_of(interval)) else {
            return true;
        };
        if let Some(keys) = class.get_mut(&interval) {
            keys.remove(key);
            if keys.is_empty() {
                class.remove(&interval);
            }
        }
        if class.is_empty() {
            self.classes.remove(&class_of(interval));
        }
        true
    }

    /// The entries that overlap `asked`, by beginning, end and key.
    pub fn overlapping(&self, asked: Interval) -> Vec<(Interval, K)> {
        let mut found = Vec::new();
        for (class, entries) in &self.classes {
            let first = Interval::instant(earliest_start(*class, asked));
            let near = entries
                .range(first..)
                .take_while(|(interval, _)| interval.start() <= asked.end());
            for (interval, keys) in near.filter(|(interval, _)| interval.overlaps(asked)) {
                found.extend(keys.iter().map(|key| (*interval, key.clone())));
            }
        }
        found.sort_unstable();
        found
    }
}

/// When an interval of this class begins at the earliest if it overlaps `asked`.
fn earliest_start(class: u32, asked: Interval) -> Timestamp {
    let longest = (1_i128 << class) - 1;
    Timestamp::from_nanosecond(asked.start().as_nanosecond() - longest).unwrap_or(Timestamp::MIN)
}

/// Intervals of one class differ in length by less than a factor of two: the number of bits of the length.
fn class_of(interval: Interval) -> u32 {
    let length = interval.end().as_nanosecond() - interval.start().as_nanosecond();
    i128::BITS - length.leading_zeros()
}
