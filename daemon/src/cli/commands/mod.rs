//! The commands, one file each.

pub mod config;
pub mod eval;
pub mod serve;
