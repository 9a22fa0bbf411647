//! Embedding models of SoulMem: text into vectors whose cosine says how near two meanings are.
//!
//! * [`EmbeddingModel`] is what recall asks of a model; [`ModelIdentity`] is stamped on every vector it made.
//! * [`LexicalModel`] is built in: hashed words, no download, no start-up, the same bits on every machine.
//! * [`chunks`] and [`pool`] are how any model takes a text longer than its limit.
//! * [`calibrate`] measures a model's similarity floor, so that floors of different models mean the same.

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

mod calibration;
mod error;
mod lexical;
mod model;
mod pooling;

pub use calibration::{UNRELATED_SHARE, calibrate, unrelated_lines};
pub use error::EmbedError;
pub use lexical::LexicalModel;
pub use model::{EmbeddingModel, ModelIdentity, Pooling};
pub use pooling::{chunks, normalise, pool};
