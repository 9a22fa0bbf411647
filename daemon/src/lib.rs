//! SoulMem: the memory of LLM characters, served on this machine.
//!
//! - [`eval`]: the evaluation framework.

pub mod eval;
pub mod store;
