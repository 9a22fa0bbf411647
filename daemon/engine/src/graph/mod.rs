//! The memory graph: which note calls up which, and the walk over it.
//!
//! - [`MemoryGraph`] is the structure: every note and link of one character, by id. `petgraph` is
//!   its home for changes, checks and analysis; beside it a flat adjacency, always current, is
//!   what walks run over.
//! - [`walk()`] is Personalized `PageRank` from weighted sources by forward push, and [`Walk`] its
//!   result: scores, what was left undone, and the paths that explain a score.
//! - [`activation`] is working memory: the bodies of the notes that the present talk called up.
//! - [`weight`] says how strongly a link conducts.
//!
//! A result depends on the notes and links alone: neither on the order in which they came, nor on
//! what was removed before, nor on the order of a hash map.

mod adjacency;
mod change;
mod flow;
mod memory_graph;
mod packed;
mod path;
mod push;
mod scratch;
mod walk;

pub mod activation;
pub mod weight;

pub use memory_graph::{
    GraphError, GraphLink, LinkKind, LinkPlace, LinkView, MemoryGraph, NoteNode,
};
pub use path::{Path, Step};
pub use petgraph::stable_graph::NodeIndex;
pub use push::MAX_PUSHES;
pub use scratch::Scratch;
pub use walk::{Scored, Walk, WalkError, WalkOptions, walk};
pub use weight::Preference;
