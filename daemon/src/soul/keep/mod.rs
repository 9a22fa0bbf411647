//! Whole characters and their files: dropping, erasing, backing up, bringing back, repairing.
//!
//! Each of these holds [`Souls::keeping`](super::Souls), so that no two of them meet, and keeps the character closed
//! where it moves or replaces its files.

mod backup;
mod doctor;
mod drop;
mod erase;
mod restore;
mod schedule;
mod telling;

pub use backup::BackupPlan;
pub use doctor::Diagnosis;
pub use erase::Erasure;
pub(super) use erase::finish_left;
pub use restore::RestorePlan;
pub use schedule::{BackupSettings, Backups};
