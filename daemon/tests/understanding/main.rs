//! Characters with a language model that is really there, behind a real connection, and really good or bad.
//!
//! Whatever it does: no message is lost, a job has one outcome that says who understood, what is kept stays within its
//! bounds, and what stands in a memory changes nothing elsewhere.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod corrections;
mod home;
#[path = "../support/llm_endpoint.rs"]
mod llm_endpoint;
mod meanwhile;
mod questions;
mod summaries;
mod talks;
mod tellings;
