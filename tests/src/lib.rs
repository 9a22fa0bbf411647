//! Whole-system tests of SoulMem: the daemon, BEAM nodes and kills, from outside.
//!
//! Nothing here reaches into the program. The tests start the daemon that a user would start, speak to it over
//! its socket, by its command line or through a BEAM node, and look at it as the operating system does.
//!
//! - [`program`] finds the daemon, [`elixir`] the BEAM and the ambassador, [`release`] the release; all build what is
//!   missing.
//! - [`Guarded`] is a process that never outlives its test, [`Watched`] one that somebody else started.
//! - [`Daemon`] is a daemon on a data directory, [`Client`] a connection to it, [`Node`] a BEAM node with a daemon.
//! - [`lan`] makes machines of a home LAN to run nodes on, and cuts the cables between them.
//! - [`Home`] is a home of machines with a node each, and what was written on them.
//! - [`SmallDisk`] is a disk to be filled, closed to writing and taken away.
//! - [`frames`] puts messages on a stream and takes them off.
//! - [`Ledger`] keeps what was asked and what was acknowledged, and holds it against what is there.
//! - [`chance`] makes random moments that can be had again.

#![allow(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "a test that cannot go on has failed"
)]

pub mod chance;
mod client;
mod daemon;
pub mod elixir;
pub mod frames;
mod guarded;
mod home;
pub mod lan;
mod ledger;
mod node;
mod patience;
pub mod program;
pub mod release;
mod small_disk;
pub mod watched;

pub use client::{Client, Failure};
pub use daemon::{Daemon, Endpoint};
pub use guarded::Guarded;
pub use home::{Home, MACHINES, OWNERS};
pub use lan::Lan;
pub use ledger::{Ledger, Write};
pub use node::Node;
pub use patience::{PATIENCE, until};
pub use small_disk::{Ballast, Mounted, SmallDisk};
pub use watched::Watched;
