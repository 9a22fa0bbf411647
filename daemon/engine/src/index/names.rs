//! Names that look alike: exact, by their beginning, by the pairs of letters they share.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash;
use std::ops::Bound;
use std::sync::Arc;

use crate::pack::Pack;
use crate::text::{TokenKind, is_unspaced, key, similarity};

use super::{Bm25, Hit, Postings, WordQuery};

/// How many names are compared letter by letter for one question.
const CANDIDATES: usize = 64;

/// Names and aliases, each of any number of owners, found by what is like them.
///
/// Comparing a string with every name would take milliseconds at 50,000 names, so only those are compared that share the
/// most telling pairs of neighbouring characters with it (and characters, for scripts in which one is half a name). A
/// name that shares none is not found; its similarity would be low.
///
/// ```
/// use soulmem_engine::index::NameIndex;
/// let mut names = NameIndex::new();
/// names.insert("林小满", 1);
/// names.insert("Jonathan", 2);
/// assert_eq!(names.exact("JONATHAN"), [2]);
/// assert_eq!(names.similar("Jonathon", 0.9, 5)[0].key, 2);
/// assert_eq!(names.similar("小满", 0.5, 5)[0].key, 1);
/// ```
#[derive(Debug)]
pub struct NameIndex<K> {
    owners: BTreeMap<Arc<str>, BTreeSet<K>>,
    grams: Postings<Arc<str>>,
}

impl<K> Default for NameIndex<K> {
    fn default() -> Self {
        Self {
            owners: BTreeMap::new(),
            grams: Postings::new(),
        }
    }
}

impl<K: Clone + Ord + Hash> NameIndex<K> {
    /// An empty index.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many different names there are.
    pub fn len(&self) -> usize {
        self.owners.len()
    }

    /// Whether there is no name.
    pub fn is_empty(&self) -> bool {
        self.owners.is_empty()
    }

    /// Adds a name of `owner`. Answers whether it is new; a name that shows nothing is none.
    pub fn insert(&mut self, name: &str, owner: K) -> bool {
        let name: Arc<str> = key(name).into();
        if name.is_empty() {
            return false;
        }
        let owners = self.owners.entry(Arc::clone(&name)).or_default();
        if owners.is_empty() {
            let grams = grams(&name);
            self.grams.put_terms(
                name,
                grams.iter().map(|gram| (gram.as_str(), TokenKind::Bigram)),
            );
        }
        owners.insert(owner)
    }

    /// Takes a name of `owner` out. Answers whether it was there.
    pub fn remove(&mut self, name: &str, owner: &K) -> bool {
        let name = key(name);
        let Some(owners) = self.owners.get_mut(name.as_str()) else {
            return false;
        };
        let removed = owners.remove(owner);
        if owners.is_empty() {
            self.owners.remove(name.as_str());
            self.grams.remove(&Arc::from(name));
        }
        removed
    }

    /// Leaves no trace of names that were taken out.
    pub fn compact(&mut self) {
        self.grams.compact();
    }

    /// The owners of exactly this name (by its [`key`]), in order.
    pub fn exact(&self, name: &str) -> Vec<K> {
        self.owners
            .get(key(name).as_str())
            .into_iter()
            .flatten()
            .cloned()
            .collect()
    }

    /// The first `limit` names that begin with `prefix`, in order, each with its owners.
    pub fn with_prefix(&self, prefix: &str, limit: usize) -> Vec<(&str, Vec<K>)> {
        let prefix = key(prefix);
        let from = (Bound::Included(prefix.as_str()), Bound::Unbounded);
        let names = self
            .owners
            .range::<str, _>(from)
            .take_while(|(name, _)| name.starts_with(&prefix));
        names
            .take(limit)
            .map(|(name, owners)| (&**name, owners.iter().cloned().collect()))
            .collect()
    }

    /// The names that are worth comparing with `text`, the likeliest first, at most 64.
    pub fn candidates(&self, text: &str) -> Vec<Arc<str>> {
        let query = WordQuery::new(grams(&key(text)).into_iter().map(|gram| (gram, 1.0)));
        let hits = self
            .grams
            .search(&query, Bm25::default(), CANDIDATES, |_| true);
        hits.into_iter().map(|hit| hit.key).collect()
    }

    /// The `limit` owners whose names are the most similar to `text` (by [`similarity`], at least `floor`), best first,
    /// each with its best name's similarity.
    pub fn similar(&self, text: &str, floor: f64, limit: usize) -> Vec<Hit<K>> {
        let mut best: BTreeMap<&K, f64> = BTreeMap::new();
        for name in self.candidates(text) {
            let score = similarity(text, &name);
            for owner in self
                .owners
                .get(&name)
                .into_iter()
                .flatten()
                .filter(|_| score >= floor)
            {
                let slot = best.entry(owner).or_default();
                *slot = slot.max(score);
            }
        }
        let hits = best.into_iter().map(|(owner, score)| Hit {
            key: owner.clone(),
            score,
        });
        Hit::best(hits.collect(), limit)
    }
}

impl<K: Pack + Ord> Pack for NameIndex<K> {
    fn pack(&self, into: &mut Vec<u8>) {
        let Self { owners, grams } = self;
        owners.pack(into);
        grams.pack(into);
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        let owners = Pack::unpack(from)?;
        let grams = Pack::unpack(from)?;
        Some(Self { owners, grams })
    }
}

/// The pairs of neighbouring characters of a folded name, the beginning as one of them, and each character of a script
/// in which a name is two or three characters long. (Single letters of an alphabet are in every name and tell nothing.)
fn grams(name: &str) -> Vec<String> {
    let mut grams = Vec::new();
    let mut before = '^';
    for c in name.chars() {
        grams.push(String::from_iter([before, c]));
        if is_unspaced(c) {
            grams.push(String::from(c));
        }
        before = c;
    }
    grams
}
