//! What finds candidates: in memory, derived from the rows of the store, incremental.

mod dot;

pub use dot::dot;
