//! How long one waits while the indexes are written.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use soulmem::soul::mind::{Admission, Mind};
use soulmem::soul::pool::Pool;
use soulmem::store::Store;
use soulmem_engine::recall::{Options, Question};

use crate::floors::timed;
use crate::memories::{self, Corpus};
use crate::opening::{Measured, warm_up};
use crate::process::number;
use crate::pushes::message;
use crate::table::{head, percentile, row, short, sorted, whole};

/// How long it is used before the indexes are written.
const BEFORE: Duration = Duration::from_secs(2);

/// How long pushes and recalls took, in milliseconds.
struct Waits {
    acknowledged: Vec<f64>,
    recallable: Vec<f64>,
    recalled: Vec<f64>,
}

/// Opens a memory, pushes and recalls without a pause, and writes the indexes meanwhile.
pub fn stall(folder: &Path, dimension: usize) -> Value {
    warm_up();
    let (store, mind) = memories::open(folder, dimension);
    let mind = Arc::new(mind);
    let (quiet, ()) = used(&store, &mind, 1, || thread::sleep(BEFORE));
    let (busy, keep_ms) = used(&store, &mind, 2, || timed(|| mind.keep().unwrap()).1);
    let longest = |waits: &[f64]| waits.last().copied().unwrap_or(f64::NAN);
    json!({
        "keep_ms": keep_ms,
        "quiet_recallable": percentile(&quiet.recallable, 50), "quiet_recalled": percentile(&quiet.recalled, 50),
        "acknowledged": longest(&busy.acknowledged), "recallable": longest(&busy.recallable), "recalled": longest(&busy.recalled)
    })
}

/// Uses a memory while something is done.
fn used<T>(store: &Store, mind: &Arc<Mind>, client: u32, work: impl FnOnce() -> T) -> (Waits, T) {
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        let pushing = scope.spawn(|| push(store, mind, client, &ended));
        let recalling = scope.spawn(|| recall(mind, &ended));
        let done = work();
        ended.store(true, Ordering::Relaxed);
        let (acknowledged, recallable) = pushing.join().unwrap();
        let waits = Waits {
            acknowledged: sorted(acknowledged),
            recallable: sorted(recallable),
            recalled: sorted(recalling.join().unwrap()),
        };
        (waits, done)
    })
}

fn push(store: &Store, mind: &Arc<Mind>, client: u32, ended: &AtomicBool) -> (Vec<f64>, Vec<f64>) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let pool = Pool::new(1);
    let (mut acknowledged, mut recallable) = (Vec::new(), Vec::new());
    for n in 0.. {
        if ended.load(Ordering::Relaxed) {
            break;
        }
        let message = message(client, n);
        let written = store.write(move |tx| tx.push(std::slice::from_ref(&message)));
        let (_, on_disk) = timed(|| written.wait().unwrap());
        let ((), followed) = timed(|| runtime.block_on(mind.follow(&pool)).unwrap());
        acknowledged.push(on_disk);
        recallable.push(on_disk + followed);
    }
    (acknowledged, recallable)
}

fn recall(mind: &Mind, ended: &AtomicBool) -> Vec<f64> {
    let options = Options::with_floor(mind.model().floor().into());
    let questions = Corpus::new().questions(64);
    let mut questions = questions.iter().cycle();
    let mut waits = Vec::new();
    while !ended.load(Ordering::Relaxed) {
        let question = Question {
            text: questions.next().cloned(),
            ..Question::default()
        };
        let ask = || mind.recall(&question, &options, &Admission::default());
        waits.push(timed(|| ask().unwrap()).1);
    }
    waits
}

/// Prints the table.
pub fn print(all: &[Measured]) {
    head(
        "Writing `memory.index` while one client pushes and one recalls without a pause: the longest each waited.",
        &[
            "notes",
            "vectors of",
            "writing took ms",
            "push on the disk ms",
            "push recallable ms",
            "(p50 else)",
            "recall ms",
            "(p50 else)",
        ],
    );
    for Measured {
        notes,
        dimension,
        stalled,
        ..
    } in all
    {
        let value = |name| short(number(stalled, name));
        row([
            whole(*notes as f64),
            dimension.to_string(),
            value("keep_ms"),
            value("acknowledged"),
            value("recallable"),
            value("quiet_recallable"),
            value("recalled"),
            value("quiet_recalled"),
        ]);
    }
}
