//! The language model's client against an endpoint that is really there, and really good or bad.
//!
//! Whatever the endpoint does, a question has one outcome, the ledger has the right counts, and health says what is
//! wrong and what to do.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod asking;
mod endpoint;
mod failures;
#[path = "../support/llm_endpoint.rs"]
mod llm_endpoint;
mod replies;
