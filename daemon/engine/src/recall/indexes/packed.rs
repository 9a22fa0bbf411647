//! The packed form of the indexes.

use std::collections::BTreeSet;

use hashbrown::HashMap;

use super::dictionary::Dictionary;
use super::{Held, Indexes};
use crate::graph::MemoryGraph;
use crate::index::{DocKey, Entities, NameIndex, Passages, Postings, VectorIndex};
use crate::model::NoteId;
use crate::pack::Pack;
use crate::text::Segmenter;

impl Indexes {
    /// The packed parts, all but the vectors: each can be read back apart from the others. To be taken when they are
    /// [settled](Self::settle).
    pub fn packed_parts(&self) -> [Vec<u8>; 5] {
        let Self {
            words,
            passages,
            entities,
            vectors: _,
            names,
            segmenter,
            dictionary,
            graph,
            held,
            uncut_notes: _,
            uncut_messages,
        } = self;
        let mut parts = [const { Vec::new() }; 5];
        words.pack(&mut parts[0]);
        graph.pack(&mut parts[1]);
        names.pack(&mut parts[2]);
        segmenter.pack(&mut parts[3]);
        dictionary.pack(&mut parts[3]);
        uncut_messages.pack(&mut parts[3]);
        held.pack(&mut parts[3]);
        passages.pack(&mut parts[4]);
        entities.pack(&mut parts[4]);
        parts
    }

    /// Reads the packed parts back, two at a time; the vectors are still to be added.
    pub fn from_parts(dimension: usize, parts: &[Vec<u8>; 5]) -> Option<Self> {
        let [words, graph, names, rest, texts] = parts.each_ref().map(Vec::as_slice);
        let (words, others) = std::thread::scope(|scope| {
            let words = scope.spawn(|| whole::<Postings<DocKey>>(words));
            let others = whole::<MemoryGraph>(graph).zip(whole::<NameIndex<NoteId>>(names));
            Some((words.join().ok()??, others?))
        })?;
        let (graph, names) = others;
        let (passages, entities) = whole::<(Passages, Entities)>(texts)?;
        let ((segmenter, dictionary), (uncut_messages, held)) = whole::<(
            (Segmenter, Dictionary),
            (BTreeSet<_>, HashMap<NoteId, Held>),
        )>(rest)?;
        Some(Self {
            words,
            passages,
            entities,
            vectors: VectorIndex::new(dimension),
            names,
            segmenter,
            dictionary,
            graph,
            held,
            uncut_notes: HashMap::new(),
            uncut_messages,
        })
    }
}

/// A packed form with nothing after it.
fn whole<T: Pack>(mut packed: &[u8]) -> Option<T> {
    let value = T::unpack(&mut packed)?;
    packed.is_empty().then_some(value)
}
