//! Opening a memory until it can be recalled from, its size on the disk and in RAM; and the tables of all sizes.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use soulmem_engine::text::Segmenter;
use tempfile::tempdir;

use crate::corpus::resident_mib;
use crate::floors::{self, timed};
use crate::process::{in_its_own, number};
use crate::table::{head, row, short, times, whole};
use crate::{memories, searching, stall};

/// Lengths of the vectors.
const DIMENSIONS: [u64; 2] = [512, 768];

/// What was measured of one memory.
pub struct Measured {
    pub notes: u64,
    pub dimension: u64,
    sizes: [f64; 2],
    anew: Value,
    kept: Value,
    killed: Value,
    pub searched: Value,
    pub stalled: Value,
}

/// Measures memories of these sizes and prints the tables.
pub fn run(sizes: &[u64]) {
    let each = sizes
        .iter()
        .flat_map(|size| DIMENSIONS.map(|dimension| (*size, dimension)));
    let all: Vec<Measured> = each
        .map(|(notes, dimension)| measure(notes, dimension))
        .collect();
    print(&all);
    searching::print(&all);
    stall::print(&all);
}

fn measure(notes: u64, dimension: u64) -> Measured {
    let home = tempdir().unwrap();
    let folder = home.path().join("bench");
    // The last ones are written when the indexes have been kept, as before a kill.
    let before = notes - notes / 1_000;
    in_its_own("write", &folder, &[0, before]);
    // The first opening makes the vectors and keeps them as rows; one without indexes reads them.
    in_its_own("open", &folder, &[dimension]);
    fs::remove_file(folder.join("memory.index")).unwrap();
    let anew = in_its_own("open", &folder, &[dimension]);
    let kept = in_its_own("open", &folder, &[dimension]);
    in_its_own("killed", &folder, &[dimension, before, notes]);
    let killed = in_its_own("open", &folder, &[dimension]);
    let sizes = ["memory.db", "memory.index"].map(|name| mib(&folder.join(name)));
    Measured {
        notes,
        dimension,
        sizes,
        anew,
        kept,
        killed,
        searched: in_its_own("search", &folder, &[dimension, notes]),
        stalled: in_its_own("stall", &folder, &[dimension]),
    }
}

fn print(all: &[Measured]) {
    head(
        "Opening, until the first recall can be answered. Floors: reading `memory.index` once; SQLite itself stepping through the rows.",
        &[
            "notes",
            "vectors of",
            "`memory.db` MiB",
            "`memory.index` MiB",
            "open ms",
            "floor ms",
            "ratio",
            "after a kill ms",
            "anew ms",
            "floor ms",
            "ratio",
            "RAM MiB",
            "of it vectors",
        ],
    );
    for measured in all {
        let Measured {
            notes,
            dimension,
            sizes,
            anew,
            kept,
            killed,
            ..
        } = measured;
        let vectors = number(kept, "vector_mib");
        row([
            whole(*notes as f64),
            dimension.to_string(),
            whole(sizes[0]),
            whole(sizes[1]),
            short(number(kept, "open_ms")),
            short(number(kept, "file_ms")),
            times(number(kept, "open_ms"), number(kept, "file_ms")),
            short(number(killed, "open_ms")),
            whole(number(anew, "open_ms")),
            short(number(anew, "rows_ms")),
            times(number(anew, "open_ms"), number(anew, "rows_ms")),
            whole(number(kept, "resident_mib")),
            whole(vectors),
        ]);
    }
}

/// Opens a memory and closes it in order.
pub fn open(folder: &Path, dimension: usize) -> Value {
    warm_up();
    let before = resident_mib();
    let file_ms = fs::exists(folder.join("memory.index"))
        .unwrap()
        .then(|| floors::file(&folder.join("memory.index")));
    let ((store, mind), open_ms) = timed(|| memories::open(folder, dimension));
    let resident_mib = resident_mib() - before;
    let rows_ms = floors::rows(&store.database_file());
    mind.keep().unwrap();
    store.close();
    mind.closed();
    let vectors = mind.sizes().unwrap().vectors as usize;
    // Components of four bytes, and of one for the scan.
    let vector_mib = (vectors * dimension * 5) as f64 / f64::from(1 << 20);
    json!({
        "open_ms": open_ms, "file_ms": file_ms, "rows_ms": rows_ms,
        "resident_mib": resident_mib, "vector_mib": vector_mib
    })
}

/// Has the program's dictionary read: once for a process, not for a memory.
pub fn warm_up() {
    Segmenter::new().segment("词典");
}

fn mib(file: &Path) -> f64 {
    fs::metadata(file).map_or(f64::NAN, |found| found.len() as f64 / f64::from(1 << 20))
}
