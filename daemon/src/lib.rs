//! SoulMem: the memory of LLM characters, served on this machine.

pub mod store;
