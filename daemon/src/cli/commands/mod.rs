//! The commands, one file each.

pub mod config;
pub mod eval;
pub mod import;
pub mod link;
pub mod note;
pub mod push;
pub mod retrieve;
pub mod serve;
pub mod soul;
pub mod status;
