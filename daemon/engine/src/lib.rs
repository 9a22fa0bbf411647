//! The memory engine of SoulMem: model, text, indexes, graph, recall and forgetting, without I/O.
//!
//! The engine is synchronous and deterministic: clocks, identifiers and models are passed in, and
//! no result depends on the order of a hash map.
//!
//! - [`model`]: notes, links, feeling and time; plain data, its checks and its JSON shapes.
//! - [`text`]: tokens, words and sentences of any script, token counts and string similarity.
//! - [`index`]: what finds candidates, in memory and derived.
//! - [`graph`]: which note calls up which, and the walk over it.
//! - [`recall`]: from a question to the memories that it calls up.
//! - [`consolidate`]: from what was said to what is remembered.
//! - [`pack`]: packed forms of what is derived, to be kept from one start to the next.
//! - [`forget`]: what is left of a memory with time.

// What comes from outside may end a request, never the program.
#![cfg_attr(
    not(test),
    warn(
        clippy::expect_used,
        clippy::panic,
        clippy::todo,
        clippy::unimplemented,
        clippy::unreachable
    )
)]

pub mod consolidate;
pub mod forget;
pub mod graph;
pub mod index;
pub mod model;
pub mod pack;
pub mod recall;
pub mod text;
