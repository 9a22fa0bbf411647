//! The daemon and its command line from outside: the real program, over a real socket.
//!
//! - `configuration`; `lifecycle`: how it starts, is found, and ends; `protocol`: what it says to clients that keep the protocol, and to
//!   those that do not.
//! - `souls`, `messages`, `notes`, `remembering`, `feedback`, `forgetting`, `events`, `damage`: what goes into a memory, and how it comes out.
//! - `llm`, `llm_at_work`: the language model.
//! - `keeping`: whole characters and their files.
//! - `commands`, `import`: the command line.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod commands;
mod configuration;
mod consolidation;
mod damage;
mod events;
mod feedback;
mod forgetting;
mod import;
mod import_documents;
mod keeping;
mod lifecycle;
mod llm;
mod llm_at_work;
#[path = "../support/llm_endpoint.rs"]
mod llm_endpoint;
mod messages;
mod notes;
mod protocol;
mod remembering;
mod shell;
mod souls;
#[path = "../support/mod.rs"]
mod support;
mod wire;
