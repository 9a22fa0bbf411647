//! Durable pushes a second and how long each waits for its acknowledgement.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use soulmem::store::{NewMessage, NewSoul, Store};
use soulmem_engine::model::MessageId;
use soulmem_proto::ops::push::Role;
use tempfile::tempdir;
use uuid::Uuid;

use crate::options;

/// How long each number of clients pushes.
const TIME: Duration = Duration::from_secs(3);

/// What is said: about as long as a message is.
const TEXT: &str = "今天下班路上又看到那只三花猫，它在便利店门口等人，我给它买了一根火腿肠。";

pub fn run() {
    println!(
        "Durable pushes of one message of {} bytes, for {} s each:",
        TEXT.len(),
        TIME.as_secs()
    );
    println!(
        "{:>8} {:>12} {:>12} {:>12} {:>14} {:>10}",
        "clients", "pushes/s", "p50 µs", "p99 µs", "bare rows/s", "of bare"
    );
    for clients in [1, 8, 64] {
        let home = tempdir().unwrap();
        let bare = bare_rows(&home.path().join("bare.db"), clients);
        let about = NewSoul::named("bench".parse().unwrap());
        let store = Store::create(&home.path().join("bench"), about, &options()).unwrap();
        let mut waits = push_from(&store, clients);
        waits.sort_unstable();
        let rate = waits.len() as f64 / TIME.as_secs_f64();
        println!(
            "{clients:>8} {rate:>12.0} {:>12.0} {:>12.0} {bare:>14.0} {:>9.0}%",
            percentile(&waits, 50),
            percentile(&waits, 99),
            100.0 * rate / bare
        );
    }
}

/// Every client pushes, waits for the acknowledgement, and pushes again. Returns all waits.
fn push_from(store: &Store, clients: u32) -> Vec<Duration> {
    let end = Instant::now() + TIME;
    let push = |client: u32| {
        let mut waits = Vec::new();
        for n in 0_u64.. {
            let start = Instant::now();
            if start >= end {
                break;
            }
            let message = message(client, n);
            store
                .write(move |tx| tx.push(std::slice::from_ref(&message)))
                .wait()
                .unwrap();
            waits.push(start.elapsed());
        }
        waits
    };
    thread::scope(|scope| {
        let clients: Vec<_> = (0..clients)
            .map(|client| scope.spawn(move || push(client)))
            .collect();
        clients
            .into_iter()
            .flat_map(|client| client.join().unwrap())
            .collect()
    })
}

fn message(client: u32, n: u64) -> NewMessage {
    NewMessage {
        id: MessageId(Uuid::from_u64_pair(u64::from(client), n)),
        role: Role::User,
        name: None,
        text: TEXT.to_owned(),
        at: jiff::Timestamp::now(),
        tz: None,
        session: None,
        source: None,
        tag: None,
    }
}

/// Rows a second of SQLite itself, synced, with `batch` rows in each commit.
fn bare_rows(file: &Path, batch: u32) -> f64 {
    let connection = Connection::open(file).unwrap();
    connection
        .execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE said (n INTEGER PRIMARY KEY, text TEXT)")
        .unwrap();
    let start = Instant::now();
    let mut rows = 0;
    while start.elapsed() < TIME {
        connection.execute_batch("BEGIN IMMEDIATE").unwrap();
        let mut insert = connection
            .prepare_cached("INSERT INTO said (text) VALUES (?)")
            .unwrap();
        for _ in 0..batch {
            insert.execute([TEXT]).unwrap();
        }
        connection.execute_batch("COMMIT").unwrap();
        rows += batch;
    }
    f64::from(rows) / start.elapsed().as_secs_f64()
}

fn percentile(sorted: &[Duration], percent: usize) -> f64 {
    let place = (sorted.len() * percent / 100).min(sorted.len() - 1);
    sorted[place].as_secs_f64() * 1e6
}
