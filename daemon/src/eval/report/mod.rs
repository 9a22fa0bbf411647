//! Reports: what a run found, summed up and compared.
//!
//! - [`results`]: a run case by case, as the file that `--out` writes and `compare` reads.
//! - [`summary`]: means over cases, the held-out half beside the other.
//! - [`threshold`]: what a run has to reach.
//! - [`compare`]: two runs, case by case.

pub mod compare;
pub mod results;
pub mod summary;
pub mod threshold;
