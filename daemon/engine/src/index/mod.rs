//! What finds candidates: in memory, derived from the rows of the store, incremental.
//!
//! * [`Postings`] finds texts by their words (BM25), asked by a [`WordQuery`].
//! * [`VectorIndex`] finds vectors by their nearness, exactly.
//! * [`Passages`] takes texts apart: their terms and clauses, who said them when, in which talk.
//! * [`Entities`] knows names, which notes are about them and which mention them.
//! * [`NameIndex`] finds names that are written alike, [`TimeIndex`] what was when.
//!
//! The keys are the caller's; [`DocKey`] is the one that recall uses. An index answers from its entries alone, never from
//! the order in which they came, so it is the same after it was built again from the rows.

mod dot;
mod entities;
mod hit;
mod key;
mod names;
mod passages;
mod postings;
mod time;
mod vectors;

pub use crate::model::Interval;
pub use dot::dot;
pub use entities::{Entities, NameId, NoteNumber};
pub use hit::Hit;
pub use key::DocKey;
pub use names::NameIndex;
pub use passages::{
    Clause, Collection, Cues, Passage, Passages, Said, SpeakerId, TalkId, TermCount, TermId, Turn,
    fingerprint,
};
pub use postings::{Bm25, KindWeights, Postings, WordQuery};
pub use time::TimeIndex;
pub use vectors::{VectorError, VectorIndex};
