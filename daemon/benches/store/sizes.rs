//! Opening a memory, reading all of it, its size on the disk and what that takes of RAM.

use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use soulmem::store::{
    Links, NewSoul, NoteVector, NoteWords, NoteWrite, OnExisting, Result, Store, Tx, VectorModel,
    View,
};
use soulmem_engine::model::{
    Affect, ConceptType, Field, LinkId, LinkType, MemoryLink, MemoryNote, MemoryType, NoteId,
    SemLink, SemMemory, Source,
};
use tempfile::tempdir;
use uuid::Uuid;

use crate::options;

/// Length of the vectors.
const DIMENSION: usize = 512;
/// Notes that are written in one transaction.
const BATCH: u64 = 1_000;
/// Links from each note.
const LINKS: u64 = 3;
const SEGMENTER: &str = "bench";

pub fn run(sizes: &[u64]) {
    println!(
        "\nMemories with {LINKS} links, one vector of {DIMENSION} and one segmented text a note:"
    );
    println!(
        "{:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>11}",
        "notes",
        "written s",
        "MB",
        "open ms",
        "notes ms",
        "links ms",
        "words ms",
        "vec. ms",
        "floor ms",
        "peak MB RAM"
    );
    for size in sizes {
        let home = tempdir().unwrap();
        let folder = home.path().join("bench");
        let written = write(&folder, *size);
        measure(&folder, *size, written);
    }
}

fn measure(folder: &Path, size: u64, written: Duration) {
    let file = folder.join("memory.db");
    let bytes = fs::metadata(&file).unwrap().len();
    let floor = timed(|| fs::read(&file).unwrap().len());
    let mut store = None;
    let open = timed(|| store = Some(Store::open(folder, &options()).unwrap()));
    let store = store.unwrap();
    let model = model();
    let notes = read(&store, |view| {
        view.for_each_note(|item| {
            black_box(item);
            Ok(())
        })
    });
    let links = read(&store, |view| {
        view.for_each_link(|item| {
            black_box(item);
            Ok(())
        })
    });
    let words = read(&store, |view| {
        view.for_each_note_words(SEGMENTER, |item| {
            black_box(item);
            Ok(())
        })
    });
    let vectors = read(&store, |view| {
        view.for_each_note_vector(&model, |item| {
            black_box(item);
            Ok(())
        })
    });
    println!(
        "{size:>9} {:>9.1} {:>9.1} {:>9.1} {:>9.1} {:>9.1} {:>9.1} {:>9.1} {:>9.1} {:>11}",
        written.as_secs_f64(),
        bytes as f64 / 1e6,
        millis(open),
        millis(notes),
        millis(links),
        millis(words),
        millis(vectors),
        millis(floor),
        peak_megabytes().map_or_else(|| "?".to_owned(), |peak| peak.to_string()),
    );
}

fn read(store: &Store, work: impl FnOnce(&View) -> Result<()>) -> Duration {
    timed(|| store.read(work).unwrap())
}

fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    black_box(work());
    start.elapsed()
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The most memory that this process has had, where the system tells.
fn peak_megabytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes / 1024)
}

fn model() -> VectorModel {
    VectorModel {
        name: "bench".to_owned(),
        digest: "1".to_owned(),
        pooling: "mean".to_owned(),
        dimension: DIMENSION,
    }
}

fn write(folder: &Path, size: u64) -> Duration {
    let start = Instant::now();
    let store =
        Store::create(folder, NewSoul::named("bench".parse().unwrap()), &options()).unwrap();
    for first in (0..size).step_by(BATCH as usize) {
        store
            .write(move |tx| write_batch(tx, first, size.min(first + BATCH)))
            .wait()
            .unwrap();
    }
    drop(store);
    start.elapsed()
}

fn write_batch(tx: &Tx, first: u64, end: u64) -> Result<()> {
    let notes: Vec<_> = (first..end)
        .map(|n| NoteWrite {
            note: note(n),
            on_existing: OnExisting::Refuse,
            links: Links::Set,
        })
        .collect();
    tx.put_notes(&notes)?;
    let vectors: Vec<_> = (first..end)
        .map(|n| NoteVector {
            note: id(n),
            field: Field::Content,
            part: 0,
            revision: 1,
            vector: vector(n),
        })
        .collect();
    tx.put_note_vectors(&model(), &vectors)?;
    let words: Vec<_> = (first..end)
        .map(|n| NoteWords {
            note: id(n),
            field: Field::Content,
            part: 0,
            words: words(n),
        })
        .collect();
    tx.put_note_words(SEGMENTER, &words)
}

fn id(n: u64) -> NoteId {
    NoteId(Uuid::from_u64_pair(1, n))
}

fn note(n: u64) -> MemoryNote {
    let at = Timestamp::UNIX_EPOCH;
    let link = |i: u64| MemoryLink {
        id: LinkId(Uuid::from_u64_pair(2, n * LINKS + i)),
        from: id(n),
        to: id(n + 1 + i * 7),
        intensity: 1.0,
        link_type: LinkType::Sem(SemLink {
            verb: "喜欢".to_owned(),
            confidence: 0.8,
        }),
    };
    MemoryNote {
        id: id(n),
        tags: vec!["生活".to_owned()],
        mem_type: MemoryType::Semantic(SemMemory {
            content: format!("便利店门口的第{n}只猫"),
            aliases: vec!["三花".to_owned()],
            concept_type: ConceptType::Entity,
            description:
                "总在傍晚出现，见人就蹭，喜欢火腿肠，不喜欢下雨天。小红给它起过好几个名字。"
                    .to_owned(),
        }),
        created_at: at,
        last_accessed_at: at,
        retrieval_count: 0,
        revision: 1,
        source: vec![Source::Given],
        valid_from: at,
        valid_until: None,
        superseded_by: None,
        affect: Affect::at(at),
        anchors: Vec::new(),
        mem_links: (0..LINKS).map(link).collect(),
    }
}

fn words(n: u64) -> String {
    format!(
        "便利店\n门口\n第{n}\n只\n猫\n便利\n利店\n店门\n门口\n总在\n傍晚\n出现\n见人\n喜欢\n火腿肠\n下雨天\n小红\n名字"
    )
}

fn vector(n: u64) -> Vec<f32> {
    (0..DIMENSION)
        .map(|i| ((n as usize * 31 + i * 17) % 101) as f32 / 101.0)
        .collect()
}
