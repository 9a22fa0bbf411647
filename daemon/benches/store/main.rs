//! What a memory on the disk costs: durable pushes, opening, reading everything, size and RAM.
//!
//! ```sh
//! cargo bench -p soulmem --bench store                      # pushes, and memories of 1,000 and 100,000 notes
//! cargo bench -p soulmem --bench store -- 1000000           # the sizes given instead
//! ```
//!
//! The floor of a push is bare SQLite on the same disk in the same run: the same settings and one table of two
//! columns, with as many rows in a commit as there are clients. The floor of reading is a scan of the file.
//! Set `TMPDIR` to measure another disk.

// A bench that cannot be set up may stop.
#![allow(clippy::unwrap_used)]

mod pushes;
mod sizes;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use jiff::Timestamp;
use soulmem::store::StoreOptions;
use soulmem_engine::model::{Clock, IdSource};
use uuid::Uuid;

/// The wall clock.
struct Wall;

impl Clock for Wall {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

/// Ids in the order of time, as the daemon makes them.
#[derive(Default)]
struct Ids(AtomicU64);

impl IdSource for Ids {
    fn next_uuid(&self) -> Uuid {
        let n = u128::from(self.0.fetch_add(1, Ordering::Relaxed));
        Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0000 + n)
    }
}

fn options() -> StoreOptions {
    StoreOptions::new(Arc::new(Wall), Arc::new(Ids::default()))
}

fn main() {
    let sizes: Vec<u64> = std::env::args()
        .filter_map(|argument| argument.parse().ok())
        .collect();
    if sizes.is_empty() {
        pushes::run();
        sizes::run(&[1_000, 100_000]);
    } else {
        sizes::run(&sizes);
    }
}
