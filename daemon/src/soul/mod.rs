//! The characters: each owns its store, what is kept of it in memory, and its jobs.
//!
//! - [`Souls`] is the registry: which characters there are, which are open; it opens and closes them on need.
//! - [`Soul`] is one open character. What can be done with it stands in one file each: [`push`](Soul::push),
//!   notes and links, the message log, files, reports. `keep` is about whole characters and their files.
//! - [`EventHub`](events::EventHub) tells subscribers what happens, [`Pool`](pool::Pool) runs heavy work,
//!   [`WriteOrder`] keeps writes in order and repeats without effect.

mod activity;
mod aide;
mod archive;
mod author;
mod character;
mod consolidation;
mod create;
mod delete;
pub mod document;
mod error;
pub mod events;
mod export;
mod feedback;
mod forgetting;
mod glance;
mod import;
mod import_archive;
mod in_use;
mod installation;
mod jobs;
mod keep;
pub mod limits;
mod messages;
pub mod mind;
mod notes;
mod origins;
pub mod outside;
mod own_config;
mod ownership;
mod page;
pub mod pool;
mod push;
mod registry;
pub mod report;
mod retrieve;
mod settings;
mod summary;
mod supersede;
pub mod turns;
mod understood;
pub mod uploads;
mod world;
mod write;

pub use character::Soul;
pub use error::{Result, SoulError};
pub use export::Answers;
pub use forgetting::reimagining;
pub use forgetting::{Curves, ForgetConfig, Storyteller};
pub use glance::Glance;
pub use in_use::InUse;
pub use jobs::{JobOutcome, Ticket};
pub use keep::{BackupPlan, BackupSettings, Diagnosis, Erasure, RestorePlan};
pub use page::Span;
pub use registry::Souls;
pub use settings::{MAX_WINDOW, SoulSettings};
pub use supersede::{Corrected, Correction};
pub use world::{CountTokens, World};
pub use write::WriteOrder;
