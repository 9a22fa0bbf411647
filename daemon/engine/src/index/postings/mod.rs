//! Words into documents: an inverted index with BM25, in memory, incremental.
//!
//! Why our own and not a search library: the index is derived from the rows of the store and must follow every
//! committed write at once, for keys of our own and with k1, b and the weight of every kind of token chosen for each
//! search. A library made for files commits in milliseconds and fixes those at write time.

mod bm25;
mod list;
mod packed;
mod query;
mod search;
mod terms;
mod window;

use std::collections::BTreeMap;
use std::hash::Hash;

pub use bm25::Bm25;
use hashbrown::HashMap;
use list::{List, Posting, read, write};
pub use query::{KindWeights, WordQuery};
pub(in crate::index) use terms::Terms;

use crate::text::{Segmenter, Token, TokenKind};

/// Dead documents are cleared out when they outnumber a quarter of the living, and this many at least.
const MIN_DEAD_TO_COMPACT: usize = 1_024;

/// The length of a document that is gone.
const DEAD: u32 = u32::MAX;

/// An inverted index over documents with keys of type `K`.
///
/// A document is a bag of terms. Its length is the number of its tokens that count (see [`TokenKind::counts`]). What a
/// search answers depends on the documents alone, not on the order in which they came or on what was removed.
#[derive(Debug)]
pub struct Postings<K> {
    terms: Terms,
    lists: Vec<List>,
    docs: Vec<Doc<K>>,
    /// The length of each document, apart from the rest because every posting read needs one.
    lengths: Vec<u32>,
    by_key: HashMap<K, u32>,
    total_length: u64,
}

#[derive(Debug)]
struct Doc<K> {
    key: K,
    /// The numbers of its terms, ascending, as distances in LEB128: what must be told when it goes. `None` once gone.
    terms: Option<Box<[u8]>>,
}

impl<K> Default for Postings<K> {
    fn default() -> Self {
        Self {
            terms: Terms::default(),
            lists: Vec::new(),
            docs: Vec::new(),
            lengths: Vec::new(),
            by_key: HashMap::new(),
            total_length: 0,
        }
    }
}

impl<K: Clone + Ord + Hash> Postings<K> {
    /// An empty index.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many documents there are.
    pub fn len(&self) -> usize {
        self.by_key.len()
    }

    /// Whether there is no document.
    pub fn is_empty(&self) -> bool {
        self.by_key.is_empty()
    }

    /// Whether there is a document with this key.
    pub fn contains(&self, key: &K) -> bool {
        self.by_key.contains_key(key)
    }

    /// The keys of all documents, in no order.
    pub fn keys(&self) -> impl Iterator<Item = &K> {
        self.by_key.keys()
    }

    /// How many different terms there are, those among them that only went with the last documents.
    pub fn term_count(&self) -> usize {
        self.terms.len()
    }

    /// In how many documents a term stands.
    pub fn document_frequency(&self, term: &str) -> usize {
        self.terms
            .get(term)
            .map_or(0, |id| self.lists[id as usize].live as usize)
    }

    /// The terms of a document, each with how often it stands there.
    pub fn terms_of(&self, key: &K) -> Option<BTreeMap<&str, u32>> {
        let doc = *self.by_key.get(key)?;
        let terms = self.docs[doc as usize].terms.as_deref()?;
        let counted = unpack(terms).map(|term| {
            let count = self.lists[term as usize].reader().count_in(doc);
            (self.terms.term(term), count.unwrap_or(0))
        });
        Some(counted.collect())
    }

    /// The documents that hold all of these terms, in no order; all documents where no term is given.
    pub fn holding(&self, terms: &[String]) -> Vec<K> {
        let lists: Option<Vec<&List>> = terms
            .iter()
            .map(|term| Some(&self.lists[self.terms.get(term)? as usize]))
            .collect();
        let Some(mut lists) = lists else {
            return Vec::new();
        };
        // The rarest term leads.
        lists.sort_by_key(|list| list.live);
        let Some((rarest, others)) = lists.split_first() else {
            return self.keys().cloned().collect();
        };
        let mut others: Vec<_> = others.iter().map(|list| list.reader()).collect();
        let docs = rarest.reader().map(|posting| posting.doc);
        docs.filter(|doc| self.lengths[*doc as usize] != DEAD)
            .filter(|doc| others.iter_mut().all(|list| list.count_in(*doc).is_some()))
            .map(|doc| self.key(doc).clone())
            .collect()
    }

    /// Adds a text, cut by `segmenter`, in place of the document that had this key.
    pub fn put_text(&mut self, key: K, segmenter: &Segmenter, text: &str) {
        self.remove(&key);
        let mut bag = Vec::new();
        segmenter.for_each_token(text, |token| {
            bag.push((self.terms.intern(token.text), token.kind));
        });
        self.add(key, bag);
    }

    /// Adds a document of these tokens, in place of the one that had this key.
    pub fn put_tokens<'t>(&mut self, key: K, tokens: impl IntoIterator<Item = &'t Token>) {
        self.put_terms(
            key,
            tokens
                .into_iter()
                .map(|token| (token.text.as_str(), token.kind)),
        );
    }

    /// Adds a document of these terms, each with the kind that says whether it counts towards the document's length, in
    /// place of the document that had this key.
    pub fn put_terms<'t>(&mut self, key: K, terms: impl IntoIterator<Item = (&'t str, TokenKind)>) {
        self.remove(&key);
        let bag = terms
            .into_iter()
            .map(|(term, kind)| (self.terms.intern(term), kind))
            .collect();
        self.add(key, bag);
    }

    /// Takes a document out. Answers whether it was there.
    pub fn remove(&mut self, key: &K) -> bool {
        let Some(doc) = self.by_key.remove(key) else {
            return false;
        };
        self.bury(doc);
        let dead = self.docs.len() - self.by_key.len();
        if dead >= MIN_DEAD_TO_COMPACT && dead > self.by_key.len() / 4 {
            self.compact();
        }
        true
    }

    fn key(&self, doc: u32) -> &K {
        &self.docs[doc as usize].key
    }

    /// Adds a document under a key that has none. What was there must go before its terms are looked up: a compaction
    /// gives terms new numbers.
    fn add(&mut self, key: K, mut bag: Vec<(u32, TokenKind)>) {
        let length = bag.iter().filter(|(_, kind)| kind.counts()).count() as u32;
        bag.sort_unstable();
        self.lists.resize_with(self.terms.len(), List::default);
        let doc = self.docs.len() as u32;
        let mut terms = Vec::with_capacity(bag.len());
        for same in bag.chunk_by(|a, b| a.0 == b.0) {
            let term = same[0].0;
            terms.push(term);
            self.lists[term as usize].push(
                Posting {
                    doc,
                    count: same.len() as u32,
                },
                length,
            );
        }
        self.by_key.insert(key.clone(), doc);
        self.docs.push(Doc {
            key,
            terms: Some(pack(&terms)),
        });
        self.lengths.push(length);
        self.total_length += u64::from(length);
    }

    /// Marks a document as gone. Its postings stay until the next compaction and are passed over.
    fn bury(&mut self, doc: u32) {
        let Some(terms) = self.docs[doc as usize].terms.take() else {
            return;
        };
        for term in unpack(&terms) {
            self.lists[term as usize].live -= 1;
        }
        let length = std::mem::replace(&mut self.lengths[doc as usize], DEAD);
        self.total_length -= u64::from(length);
    }

    /// Rewrites the index without what is gone. Runs by itself after many removals; takes about as long as adding the
    /// documents that are left, without cutting their texts.
    pub fn compact(&mut self) {
        let old = std::mem::take(self);
        let mut numbers = vec![None; old.docs.len()];
        let mut renumbered = Vec::with_capacity(old.by_key.len());
        for (number, doc) in old
            .docs
            .iter()
            .enumerate()
            .filter(|(_, doc)| doc.terms.is_some())
        {
            numbers[number] = Some(self.docs.len() as u32);
            self.by_key.insert(doc.key.clone(), self.docs.len() as u32);
            self.docs.push(Doc {
                key: doc.key.clone(),
                terms: None,
            });
            self.lengths.push(old.lengths[number]);
            renumbered.push(Vec::new());
        }
        self.total_length = old.total_length;
        for (id, list) in old
            .lists
            .into_iter()
            .enumerate()
            .filter(|(_, list)| list.live > 0)
        {
            let term = self.terms.intern(old.terms.term(id as u32));
            let mut kept = List::default();
            for posting in list.reader() {
                let Some(doc) = numbers[posting.doc as usize] else {
                    continue;
                };
                kept.push(Posting { doc, ..posting }, self.lengths[doc as usize]);
                renumbered[doc as usize].push(term);
            }
            self.lists.push(kept);
        }
        for (doc, terms) in self.docs.iter_mut().zip(renumbered) {
            doc.terms = Some(pack(&terms));
        }
    }
}

/// Ascending term numbers as distances in LEB128.
fn pack(terms: &[u32]) -> Box<[u8]> {
    let mut packed = Vec::with_capacity(terms.len() * 2);
    let mut next = 0;
    for term in terms {
        write(&mut packed, u64::from(term - next));
        next = term + 1;
    }
    packed.into_boxed_slice()
}

fn unpack(packed: &[u8]) -> impl Iterator<Item = u32> + '_ {
    let (mut offset, mut next) = (0, 0);
    std::iter::from_fn(move || {
        let term = next + read(packed, &mut offset)? as u32;
        next = term + 1;
        Some(term)
    })
}
