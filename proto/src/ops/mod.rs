//! The payloads of each operation, one file an operation.
//!
//! Field names are the wire's. What is `Option` may be left out by whoever writes it; what has a default
//! may be left out of a request. An empty struct is a payload that carries nothing.

pub mod backup;
pub mod checkpoint;
pub mod consolidate;
pub mod doctor;
pub mod erase;
pub mod export;
pub mod feedback;
pub mod forget;
pub mod health;
pub mod hello;
pub mod import;
pub mod link_delete;
pub mod link_put;
pub mod message_list;
pub mod note_delete;
pub mod note_get;
pub mod note_list;
pub mod note_put;
pub mod note_supersede;
pub mod ping;
pub mod push;
pub mod restore;
pub mod retrieve;
pub mod retrieve_options;
pub mod shutdown;
pub mod soul_create;
pub mod soul_drop;
pub mod soul_list;
pub mod soul_owner;
pub mod stats;
pub mod subscribe;
pub mod unsubscribe;
