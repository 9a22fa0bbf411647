//! A round of forgetting over a large memory: how long it takes, what it holds in memory, and how long a reader waits meanwhile.
//!
//! ```sh
//! SOULMEM_BENCH_NOTES=1000000 cargo bench -p soulmem --bench forgetting
//! ```
//!
//! The memory is one of trifles forty days old, all of which the first round resolves and puts to sleep: the most that a round can
//! have to write. A reader asks all the time; the longest that it had to wait is told beside its longest wait without a round. What is held in memory is the
//! peak of the process before and after the round, from the system.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use soulmem::llm::Llm;
use soulmem::soul::events::EventHub;
use soulmem::soul::outside::Outside;
use soulmem::soul::pool::Pool;
use soulmem::soul::{Soul, SoulSettings, World, WriteOrder};
use soulmem::store::{Links, NewSoul, NoteWrite, OnExisting, Store, StoreOptions};
use soulmem_embed::LexicalModel;
use soulmem_engine::model::{
    Context, FixedClock, MemoryType, NoteDraft, SequentialIds, SituationMemory, SpecificSituation,
    TimeSpan,
};

/// Notes where nothing else is said.
const NOTES: usize = 20_000;
/// Notes that are written at once.
const BATCH: usize = 1_000;

fn main() {
    let notes = std::env::var("SOULMEM_BENCH_NOTES")
        .ok()
        .and_then(|notes| notes.parse().ok())
        .unwrap_or(NOTES);
    let folder = tempfile::tempdir().expect("a folder");
    let made: Timestamp = "2026-01-01T00:00:00Z".parse().expect("a time");
    fill(folder.path(), notes, made);
    let now = made + SignedDuration::from_hours(24 * 40);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(measure(folder.path(), now));
}

fn fill(folder: &Path, notes: usize, at: Timestamp) {
    let ids = SequentialIds::new();
    let options = StoreOptions::new(Arc::new(FixedClock(at)), Arc::new(SequentialIds::new()));
    let soul = NewSoul::named("ann".parse().expect("a name"));
    let store = Store::create(folder, soul, &options).expect("a store");
    let note = |place: usize| {
        let lived = SpecificSituation {
            narrative: format!("errand number {place} at the counter of the post office"),
            time_span: TimeSpan::Instant(at),
            context: Context::default(),
        };
        let body = MemoryType::Situation(SituationMemory::SpecificSituation(lived));
        let mut note = NoteDraft::new(body)
            .build(&FixedClock(at), &ids)
            .expect("a note");
        note.affect.importance = 1;
        NoteWrite {
            note,
            on_existing: OnExisting::Refuse,
            links: Links::Set,
        }
    };
    for first in (0..notes).step_by(BATCH) {
        let batch: Vec<NoteWrite> = (first..notes.min(first + BATCH)).map(note).collect();
        let written = store.write(move |tx| tx.put_notes(&batch));
        futures::executor::block_on(written).expect("notes are written");
    }
    store.close();
}

async fn measure(folder: &Path, now: Timestamp) {
    let world = World {
        outside: Outside {
            clock: Arc::new(FixedClock(now)),
            ids: Outside::system().ids,
        },
        model: Arc::new(LexicalModel::new()),
        tokens: Arc::new(str::len),
        llm: Arc::new(Llm::none()),
        reimagine: None,
        jobs: Arc::new(tokio::sync::Semaphore::new(1)),
        events: Arc::new(EventHub::default()),
        pool: Pool::new(2),
    };
    let (name, settings) = ("ann".parse().expect("a name"), SoulSettings::default());
    let soul = Soul::open(Arc::new(world), name, folder, &settings).expect("a character");
    let store = soul.store().clone();
    let calm = Reader::start(store.clone());
    tokio::time::sleep(Duration::from_secs(2)).await;
    let calm = calm.stop();
    let before = peak_kib();
    let reader = Reader::start(store);
    let begun = Instant::now();
    let report = soul
        .forget(None, WriteOrder::default())
        .await
        .expect("a round");
    let took = begun.elapsed();
    let waited = reader.stop();
    println!("{report:?}");
    println!("the round took {took:?}");
    println!("longest read: {waited:?} during the round, {calm:?} before");
    println!(
        "peak memory: {before} KiB before the round, {} KiB after",
        peak_kib()
    );
}

/// Reads one note after the other on a thread of its own, and keeps the longest time that one took.
struct Reader {
    end: Arc<AtomicBool>,
    thread: std::thread::JoinHandle<Duration>,
}

impl Reader {
    fn start(store: Store) -> Self {
        let end = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&end);
        let thread = std::thread::spawn(move || {
            let mut longest = Duration::ZERO;
            while !told.load(Ordering::Relaxed) {
                let begun = Instant::now();
                store
                    .read(|view| view.list_notes(&<_>::default(), Timestamp::now(), None, 1))
                    .expect("a read");
                longest = longest.max(begun.elapsed());
                std::thread::sleep(Duration::from_millis(1));
            }
            longest
        });
        Self { end, thread }
    }

    fn stop(self) -> Duration {
        self.end.store(true, Ordering::Relaxed);
        self.thread.join().expect("a reader that ends")
    }
}

/// The most memory that this process ever held.
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().next());
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}
