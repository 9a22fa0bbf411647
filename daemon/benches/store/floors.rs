//! The least that reading takes on this machine, whatever is read it for.

use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use rusqlite::Connection;
use soulmem_engine::index::{DocKey, VectorIndex};

/// How long something takes, in milliseconds.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let value = work();
    (value, start.elapsed().as_secs_f64() * 1e3)
}

/// Milliseconds for reading a file from its beginning to its end.
pub fn file(path: &Path) -> f64 {
    timed(|| black_box(fs::read(path).unwrap())).1
}

/// Milliseconds in which SQLite itself steps through every column of every row that a memory is made from.
pub fn rows(database: &Path) -> f64 {
    let connection = Connection::open(database).unwrap();
    let read = || {
        let mut bytes = 0;
        for table in ["note", "note_state", "link", "note_vector", "message"] {
            let mut statement = connection
                .prepare(&format!("SELECT * FROM {table}"))
                .unwrap();
            let columns = statement.column_count();
            let mut rows = statement.query([]).unwrap();
            while let Some(row) = rows.next().unwrap() {
                for column in 0..columns {
                    let value = row.get_ref(column).unwrap();
                    bytes += value.as_bytes().map_or(8, <[u8]>::len);
                }
            }
        }
        bytes
    };
    timed(|| black_box(read())).1
}

/// Gigabytes a second in which memory is read: all vectors once, in their order. The best of three passes.
pub fn bandwidth(vectors: &VectorIndex<DocKey>, keys: &[DocKey]) -> f64 {
    let pass = || {
        let read = || {
            let mut sum = 0_u32;
            for row in keys.iter().filter_map(|key| vectors.get(key)) {
                sum = row.iter().fold(sum, |sum, value| sum ^ value.to_bits());
            }
            black_box(sum)
        };
        timed(read).1
    };
    let best = (0..3).map(|_| pass()).fold(f64::INFINITY, f64::min);
    (keys.len() * vectors.dimension() * size_of::<f32>()) as f64 / best / 1e6
}
