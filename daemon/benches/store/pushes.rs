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
use crate::table::{head, percentile, row, sorted, times, whole};

/// How long each number of clients pushes.
const TIME: Duration = Duration::from_secs(3);

/// What is said: about as long as a message is.
const TEXT: &str = "今天下班路上又看到那只三花猫，它在便利店门口等人，我给它买了一根火腿肠。";

/// How many there were and how long each took, in microseconds.
struct Rate {
    a_second: f64,
    waits: Vec<f64>,
}

impl Rate {
    fn of(waits: Vec<f64>, rows: f64) -> Self {
        Self {
            a_second: rows / TIME.as_secs_f64(),
            waits: sorted(waits),
        }
    }

    fn waited(&self, percent: usize) -> String {
        whole(percentile(&self.waits, percent))
    }
}

/// Prints the table. The floor is SQLite itself on the same disk: the same settings, a table of two columns, and as many
/// rows in a commit as there are clients.
pub fn run() {
    let title = format!(
        "Durable pushes of one message of {} bytes, for {} s each; floor: bare SQLite, a commit of as many rows.",
        TEXT.len(),
        TIME.as_secs()
    );
    head(
        &title,
        &[
            "clients",
            "pushes/s",
            "ack p50 µs",
            "ack p99 µs",
            "floor rows/s",
            "commit p50 µs",
            "commit p99 µs",
            "of the floor",
        ],
    );
    for clients in [1, 8, 64] {
        let home = tempdir().unwrap();
        let bare = bare_rows(&home.path().join("bare.db"), clients);
        let about = NewSoul::named("bench".parse().unwrap());
        let store = Store::create(&home.path().join("bench"), about, &options()).unwrap();
        let pushed = push_from(&store, clients);
        row([
            clients.to_string(),
            whole(pushed.a_second),
            pushed.waited(50),
            pushed.waited(99),
            whole(bare.a_second),
            bare.waited(50),
            bare.waited(99),
            times(pushed.a_second, bare.a_second),
        ]);
    }
}

/// Every client pushes, waits for the acknowledgement, and pushes again.
fn push_from(store: &Store, clients: u32) -> Rate {
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
            waits.push(micros(start));
        }
        waits
    };
    let waits: Vec<f64> = thread::scope(|scope| {
        let clients: Vec<_> = (0..clients)
            .map(|client| scope.spawn(move || push(client)))
            .collect();
        clients
            .into_iter()
            .flat_map(|client| client.join().unwrap())
            .collect()
    });
    let pushes = waits.len() as f64;
    Rate::of(waits, pushes)
}

/// The `n`-th message of a client.
pub fn message(client: u32, n: u64) -> NewMessage {
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

/// SQLite itself, synced, with `batch` rows in each commit.
fn bare_rows(file: &Path, batch: u32) -> Rate {
    let connection = Connection::open(file).unwrap();
    connection
        .execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE said (n INTEGER PRIMARY KEY, text TEXT)")
        .unwrap();
    let end = Instant::now() + TIME;
    let mut waits = Vec::new();
    while Instant::now() < end {
        let start = Instant::now();
        connection.execute_batch("BEGIN IMMEDIATE").unwrap();
        let mut insert = connection
            .prepare_cached("INSERT INTO said (text) VALUES (?)")
            .unwrap();
        for _ in 0..batch {
            insert.execute([TEXT]).unwrap();
        }
        connection.execute_batch("COMMIT").unwrap();
        waits.push(micros(start));
    }
    let rows = waits.len() as f64 * f64::from(batch);
    Rate::of(waits, rows)
}

fn micros(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e6
}
