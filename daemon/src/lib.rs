//! SoulMem: the memory of LLM characters, served on this machine.
//!
//! One process, `soulmem serve`, holds the memories of any number of characters ("souls") and answers local
//! clients over loopback TCP. From the outside in:
//!
//! - [`cli`]: the command line, configuration and logging; every command but `serve` and `config` is a client.
//! - [`eval`]: the evaluation framework.
//! - [`server`]: listener, sessions, the table of operations, shutdown.
//! - [`soul`]: the characters: the registry of them, and what can be done with one.
//! - [`consolidate`]: from what was said to what is remembered, one module a step.
//! - [`llm`]: the language model, where one is configured.
//! - [`store`]: everything that a character remembers, on the disk.
//! - [`tokens`]: how many tokens a text takes.

// What comes from outside may end a request, never the program.
#![cfg_attr(
    not(test),
    warn(
        clippy::expect_used,
        clippy::panic,
        clippy::todo,
        clippy::unimplemented,
        clippy::unreachable
    )
)]

pub mod cli;
pub mod consolidate;
pub mod eval;
pub mod llm;
pub mod server;
pub mod soul;
pub mod store;
pub mod tokens;
