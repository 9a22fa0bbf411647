//! Faults and kills at every write, sync and rename of the store.
//!
//! Run with `cargo test -p soulmem --features failpoints --test store_faults`.

// Setting up a test is allowed to fail loudly, outside of the test functions too.
#![allow(clippy::unwrap_used)]

mod errors;
mod kills;
mod script;
// Shared with the other tests of the store, which use more of it.
#[allow(dead_code)]
#[path = "../store/support.rs"]
mod support;

/// More often than any life reaches a point.
const MANY: usize = 10_000;

/// Every fail point of the store.
const POINTS: [&str; 9] = [
    "store::write",
    "store::savepoint",
    "store::commit",
    "store::checkpoint",
    "store::copy",
    "store::compact",
    "store::sync_file",
    "store::sync_folder",
    "store::rename",
];
