//! How long one search takes, by words and by vectors.

use std::hint::black_box;
use std::path::Path;

use rusqlite::Connection;
use serde_json::{Value, json};
use soulmem_engine::index::{Bm25, DocKey, WordQuery};
use soulmem_engine::recall::Indexes;
use soulmem_engine::text::Segmenter;

use crate::corpus::Numbers;
use crate::floors::{self, timed};
use crate::memories::{self, Corpus};
use crate::opening::{Measured, warm_up};
use crate::process::number;
use crate::table::{head, percentile, row, short, sorted, times, whole};

/// How many are asked for.
const BEST: u32 = 10;
/// How many questions are asked.
const QUESTIONS: usize = 400;
/// How many SQLite is asked, which takes long.
const OF_SQLITE: usize = 40;

/// Opens a memory and searches in it.
pub fn search(folder: &Path, dimension: usize, notes: u64) -> Value {
    warm_up();
    let corpus = Corpus::new();
    let questions = corpus.questions(QUESTIONS);
    let (_store, mind) = memories::open(folder, dimension);
    let (words, (vectors, bandwidth)) = mind
        .look(|indexes, _| {
            (
                by_words(indexes, &questions),
                by_vectors(indexes, dimension),
            )
        })
        .unwrap();
    let rows = mind.sizes().unwrap().vectors;
    drop(mind);
    let sqlite = by_sqlite(&corpus, notes, &questions[..OF_SQLITE]);
    // What a scan has to read: a byte for each component.
    let scan_ms = (rows as usize * dimension) as f64 / bandwidth / 1e6;
    json!({
        "words_p50": percentile(&words, 50), "words_p99": percentile(&words, 99), "sqlite_p50": percentile(&sqlite, 50),
        "vectors_p50": percentile(&vectors, 50), "vectors_p99": percentile(&vectors, 99),
        "scan_ms": scan_ms, "bandwidth": bandwidth
    })
}

fn by_words(indexes: &Indexes, questions: &[String]) -> Vec<f64> {
    let ask = |text: &String| {
        let search = || {
            let query = WordQuery::from_text(&indexes.segmenter, text);
            black_box(
                indexes
                    .words
                    .search(&query, Bm25::default(), BEST as usize, |_| true),
            )
        };
        timed(search).1
    };
    sorted(questions.iter().map(ask).collect())
}

fn by_vectors(indexes: &Indexes, dimension: usize) -> (Vec<f64>, f64) {
    let mut numbers = Numbers(99);
    let ask = |_| {
        let query = numbers.vector(dimension);
        timed(|| {
            black_box(
                indexes
                    .vectors
                    .search(&query, BEST as usize, |_| true)
                    .unwrap(),
            )
        })
        .1
    };
    let times = sorted((0..QUESTIONS / 2).map(ask).collect());
    let keys: Vec<DocKey> = indexes.vectors.keys().copied().collect();
    (times, floors::bandwidth(&indexes.vectors, &keys))
}

/// The same texts and questions in SQLite's own full-text index, in memory, cut into the same words.
fn by_sqlite(corpus: &Corpus, notes: u64, questions: &[String]) -> Vec<f64> {
    let segmenter = Segmenter::new();
    let connection = Connection::open_in_memory().unwrap();
    connection
        .execute_batch("CREATE VIRTUAL TABLE texts USING fts5 (words, content = ''); BEGIN")
        .unwrap();
    let mut insert = connection
        .prepare("INSERT INTO texts (rowid, words) VALUES (?, ?)")
        .unwrap();
    for number in 0..notes {
        let words = cut(&segmenter, &corpus.text(number)).join(" ");
        insert.execute((number.cast_signed(), words)).unwrap();
    }
    connection.execute_batch("COMMIT").unwrap();
    let mut find = connection
        .prepare("SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ?")
        .unwrap();
    let mut ask = |text: &String| {
        let words: Vec<String> = cut(&segmenter, text)
            .iter()
            .map(|word| format!("\"{word}\""))
            .collect();
        let query = words.join(" OR ");
        let mut search = || {
            let rows = find
                .query_map((&query, BEST), |row| row.get::<_, i64>(0))
                .unwrap();
            black_box(rows.count())
        };
        timed(&mut search).1
    };
    sorted(questions.iter().map(&mut ask).collect())
}

fn cut(segmenter: &Segmenter, text: &str) -> Vec<String> {
    segmenter
        .segment(text)
        .into_iter()
        .map(|token| token.text)
        .collect()
}

/// Prints the table.
pub fn print(all: &[Measured]) {
    head(
        "The best ten for a question of five words, and for a vector. Floors: SQLite's FTS5 over the same words; reading a byte \
         for each component at the bandwidth of memory.",
        &[
            "notes",
            "vectors of",
            "words p50 ms",
            "p99 ms",
            "FTS5 p50 ms",
            "ratio",
            "vector p50 ms",
            "p99 ms",
            "floor ms",
            "ratio",
            "memory GB/s",
        ],
    );
    for Measured {
        notes,
        dimension,
        searched,
        ..
    } in all
    {
        let value = |name| number(searched, name);
        row([
            whole(*notes as f64),
            dimension.to_string(),
            short(value("words_p50")),
            short(value("words_p99")),
            short(value("sqlite_p50")),
            times(value("words_p50"), value("sqlite_p50")),
            short(value("vectors_p50")),
            short(value("vectors_p99")),
            short(value("scan_ms")),
            times(value("vectors_p50"), value("scan_ms")),
            short(value("bandwidth")),
        ]);
    }
}
