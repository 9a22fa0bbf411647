//! What a memory on the disk costs: durable pushes, opening, size, RAM, searching, and how long one waits while its indexes are
//! written. Prints the tables of `docs/storage.md`.
//!
//! ```sh
//! cargo bench -p soulmem --bench store                      # everything, at 1,000 and 100,000 notes
//! cargo bench -p soulmem --bench store -- 1000000           # memories of the sizes given instead, without the pushes
//! ```
//!
//! Every figure stands beside a floor that was measured in the same run: SQLite itself on the same disk, reading the file, reading
//! memory. Each memory is opened in a process of its own, so that RAM is that of one memory, and nothing is at hand from
//! before but the pages of its files and the program's dictionary. Set `TMPDIR` to measure another disk.

// A bench that cannot be set up may stop.
#![allow(clippy::unwrap_used)]

mod floors;
mod memories;
mod opening;
mod process;
mod pushes;
mod searching;
mod stall;
mod table;

#[path = "../../engine/benches/corpus/mod.rs"]
mod corpus;

use soulmem::soul::outside::Outside;
use soulmem::store::StoreOptions;

use crate::process::Part;

fn options() -> StoreOptions {
    let outside = Outside::system();
    StoreOptions::new(outside.clock, outside.ids)
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some(part) = Part::from_arguments(&arguments) {
        return part.run();
    }
    let sizes: Vec<u64> = arguments
        .iter()
        .filter_map(|argument| argument.parse().ok())
        .collect();
    if sizes.is_empty() {
        pushes::run();
    }
    let sizes = if sizes.is_empty() {
        vec![1_000, 100_000]
    } else {
        sizes
    };
    opening::run(&sizes);
}
