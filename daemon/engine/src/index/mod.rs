//! What finds candidates: in memory, derived from the rows of the store, incremental.
//!
//! * [`Postings`] finds texts by their words (BM25), asked by a [`WordQuery`].

mod dot;
mod key;
mod postings;

pub use dot::dot;
pub use key::DocKey;
pub use postings::{Bm25, Hit, KindWeights, Postings, WordQuery};
