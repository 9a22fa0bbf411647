//! The commands, one file each.

pub mod backup;
pub mod config;
pub mod consolidate;
pub mod doctor;
pub mod doctor_llm;
pub mod erase;
pub mod eval;
pub mod export;
pub mod forget;
pub mod import;
pub mod link;
pub mod note;
pub mod push;
pub mod restore;
pub mod retrieve;
pub mod serve;
pub mod soul;
pub mod status;
