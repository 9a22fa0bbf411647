//! What thinking over costs: the consolidation of 1,000 messages by rules into memories of 1,000 to 100,000 notes (it must
//! not go through all of them), and how long a push takes to be acknowledged while summaries are made.
//!
//! The memory is on a disk and held open as the daemon holds it. Of the messages one in five is small talk, the others tell a
//! liking, a promise, a habit, a fact or something that happened, each in words of its own; every tenth repeats an earlier one.
//!
//! ```text
//! cargo bench -p soulmem --bench consolidation
//! ```

use std::sync::Arc;
use std::time::{Duration, Instant};

use soulmem::llm::Llm;
use soulmem::soul::events::EventHub;
use soulmem::soul::outside::Outside;
use soulmem::soul::pool::Pool;
use soulmem::soul::{SoulSettings, Souls, World, WriteOrder};
use soulmem::store::{Links, NewSoul, NoteWrite, OnExisting};
use soulmem_embed::LexicalModel;
use soulmem_engine::model::{
    ConceptType, FixedClock, MemoryNote, MemoryType, NoteDraft, SemMemory, SequentialIds,
};
use soulmem_engine::text::estimate_tokens;
use soulmem_proto::SoulName;
use soulmem_proto::ops::push::{PushMessage, PushRequest, Role};
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;

use crate::corpus::{Numbers, Vocabulary};

#[path = "../engine/benches/corpus/mod.rs"]
mod corpus;

const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
const MESSAGES: usize = 1_000;
const PUSHES: usize = 500;
const BATCH: usize = 2_000;

fn name() -> SoulName {
    "ann".parse().expect("a name")
}

fn souls(folder: &std::path::Path, window: u32) -> Arc<Souls> {
    let settings = SoulSettings {
        window_capacity: window.try_into().expect("not zero"),
        ..SoulSettings::default()
    };
    let world = World {
        outside: Outside::system(),
        model: Arc::new(LexicalModel::new()),
        tokens: Arc::new(estimate_tokens),
        llm: Arc::new(Llm::none()),
        reimagine: None,
        events: Arc::new(EventHub::default()),
        pool: Pool::new(settings.workers),
        jobs: Arc::new(Semaphore::new(settings.jobs)),
    };
    Arc::new(Souls::find(world, folder, settings).expect("a folder"))
}

fn notes(count: usize, words: &Vocabulary, numbers: &mut Numbers) -> Vec<MemoryNote> {
    let ids = SequentialIds::new();
    let clock = FixedClock("2026-01-01T00:00:00Z".parse().expect("a time"));
    let mut note = |_| {
        NoteDraft::new(MemoryType::Semantic(SemMemory {
            content: words.text(3, numbers),
            aliases: Vec::new(),
            concept_type: ConceptType::Entity,
            description: words.text(20, numbers),
        }))
        .build(&clock, &ids)
        .expect("a note")
    };
    (0..count).map(&mut note).collect()
}

fn talk(count: usize, words: &Vocabulary, numbers: &mut Numbers) -> Vec<PushMessage> {
    let mut texts: Vec<String> = Vec::new();
    for place in 0..count {
        let some = |numbers: &mut Numbers| words.text(3, numbers);
        let text = match place % 10 {
            9 if place > 10 => texts[numbers.below(place)].clone(),
            0 | 5 => "哈哈哈哈".to_owned(),
            1 => format!("我最喜欢吃{}", some(numbers)),
            2 => format!("我答应你明天带{}来", some(numbers)),
            3 => format!("我一{}就去{}", some(numbers), some(numbers)),
            4 => format!("我室友是{}的{}", some(numbers), some(numbers)),
            6 => format!("I love {}.", some(numbers)),
            7 => format!(
                "I sold the {} on Monday and bought {}.",
                some(numbers),
                some(numbers)
            ),
            _ => format!("昨天我去了{}，买了三个{}", some(numbers), some(numbers)),
        };
        texts.push(text);
    }
    let message = |text: String| PushMessage {
        role: Role::User,
        text,
        name: Some("阿哲".to_owned()),
        at: None,
        tz: Some("Asia/Shanghai".to_owned()),
        session: None,
        tag: None,
        source: None,
    };
    texts.into_iter().map(message).collect()
}

async fn consolidation(size: usize) -> (Duration, usize) {
    let folder = tempfile::tempdir().expect("a folder");
    let souls = souls(folder.path(), 12);
    souls
        .create(NewSoul::named(name()), None)
        .await
        .expect("a character");
    let soul = souls.open(&name()).await.expect("a character");
    let mut numbers = Numbers(size as u64);
    let words = Vocabulary::new(&mut numbers);
    for batch in notes(size, &words, &mut numbers).chunks(BATCH) {
        let writes: Vec<NoteWrite> = batch
            .iter()
            .map(|note| NoteWrite {
                note: note.clone(),
                on_existing: OnExisting::Refuse,
                links: Links::Set,
            })
            .collect();
        soul.write(WriteOrder::default(), move |tx| tx.put_notes(&writes))
            .await
            .expect("written");
    }
    let messages = talk(MESSAGES, &words, &mut numbers);
    soul.push(
        PushRequest {
            messages,
            origin: None,
        },
        WriteOrder::default(),
    )
    .await
    .expect("pushed");
    let begun = Instant::now();
    let ticket = soul
        .consolidate(WriteOrder::default())
        .await
        .expect("begun");
    let report = ticket.outcome().await.expect("done");
    let took = begun.elapsed();
    drop(soul);
    souls.close().await;
    (took, report.created.len())
}

/// The times that single pushes take to be acknowledged, sorted. With a window of two every second one has a summary made.
async fn pushes(window: u32) -> Vec<Duration> {
    let folder = tempfile::tempdir().expect("a folder");
    let souls = souls(folder.path(), window);
    souls
        .create(NewSoul::named(name()), None)
        .await
        .expect("a character");
    let soul = souls.open(&name()).await.expect("a character");
    let mut numbers = Numbers(7);
    let words = Vocabulary::new(&mut numbers);
    let mut times = Vec::new();
    for message in talk(PUSHES, &words, &mut numbers) {
        let begun = Instant::now();
        let request = PushRequest {
            messages: vec![message],
            origin: None,
        };
        soul.push(request, WriteOrder::default())
            .await
            .expect("pushed");
        times.push(begun.elapsed());
    }
    drop(soul);
    souls.close().await;
    times.sort_unstable();
    times
}

fn main() {
    let runtime = Runtime::new().expect("a runtime");
    for size in SIZES {
        let (took, created) = runtime.block_on(consolidation(size));
        println!("{MESSAGES} messages into {size} notes: {took:.2?}, {created} new notes");
    }
    for (window, what) in [
        (10_000, "without summaries"),
        (2, "with a summary each second push"),
    ] {
        let times = runtime.block_on(pushes(window));
        let at = |share: usize| times[times.len() * share / 100];
        println!(
            "push {what}: median {:.2?}, 95% {:.2?}, 99% {:.2?}",
            at(50),
            at(95),
            at(99)
        );
    }
}
