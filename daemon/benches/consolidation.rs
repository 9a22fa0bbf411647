//! What thinking over costs: the consolidation of 1,000 messages by rules into memories of 1,000 to 100,000 notes (it must
//! not go through all of them), time and tokens of 100 messages with a language model that answers at once, and how long a
//! push takes to be acknowledged while summaries are made.
//!
//! The memory is on a disk and held open as the daemon holds it. Of the messages one in five is small talk, the others tell a
//! liking, a promise, a habit, a fact or something that happened, each in words of its own; every tenth repeats an earlier one.
//! The language model is an endpoint on this machine that makes a fact of every message and a gist of every word, so that the
//! time is that of SoulMem and of the connection; tokens are estimated as everywhere, over all that was sent and came back.
//!
//! ```text
//! cargo bench -p soulmem --bench consolidation
//! ```

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use soulmem::llm::{Ledger, Llm, LlmSettings, Mode, ModeChoice};
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
use crate::llm_endpoint::{Act, Asked, LlmEndpoint};

#[path = "../engine/benches/corpus/mod.rs"]
mod corpus;
#[allow(clippy::unwrap_used, reason = "what tests use too")]
#[path = "../tests/support/llm_endpoint.rs"]
mod llm_endpoint;

const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
const MESSAGES: usize = 1_000;
const PUSHES: usize = 500;
const BATCH: usize = 2_000;
/// How long the slow model thinks.
const SLOW: Duration = Duration::from_millis(200);

fn name() -> SoulName {
    "ann".parse().expect("a name")
}

fn souls(folder: &std::path::Path, window: u32, endpoint: Option<&LlmEndpoint>) -> Arc<Souls> {
    let settings = SoulSettings {
        window_capacity: window.try_into().expect("not zero"),
        ..SoulSettings::default()
    };
    let outside = Outside::system();
    let llm = LlmSettings {
        base_url: endpoint.map(|one| one.base_url().parse().expect("an address")),
        model: "scripted".to_owned(),
        mode: ModeChoice::Fixed(Mode::Schema),
        ..LlmSettings::default()
    };
    let ledger = Ledger::unkept(Arc::clone(&outside.clock), 0);
    let world = World {
        outside,
        model: Arc::new(LexicalModel::new()),
        tokens: Arc::new(estimate_tokens),
        llm: Arc::new(Llm::new(llm, ledger)),
        reimagine: None,
        events: Arc::new(EventHub::default()),
        pool: Pool::new(settings.workers),
        jobs: Arc::new(Semaphore::new(settings.jobs)),
    };
    Arc::new(Souls::find(world, folder, settings).expect("a folder"))
}

/// What a model would say that understands every message as it was said, and knows a gist for every word.
fn understood(asked: &Asked) -> String {
    let data = asked.message(1).lines();
    let lines: Vec<Json> = data
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    let fact = |line: &Json| {
        let content = format!("阿哲：{}", line["text"].as_str().unwrap_or_default());
        json!({"content": content, "kind": "fact", "who": "阿哲", "what": "", "when": "", "replaces": "", "sources": [line["message"]]})
    };
    let gist = |word: &Json| json!({"number": word["number"], "gist": "模糊的东西"});
    let words = lines
        .iter()
        .filter_map(|line| line["words"].as_array())
        .flatten();
    let reply = match asked.schema() {
        Some("gists") => json!({"gists": words.map(gist).collect::<Vec<_>>()}),
        Some("summary") => json!({"summary": "一段很短的摘要"}),
        _ => {
            let said = lines.iter().filter(|line| line["message"].is_u64());
            json!({"things": [], "facts": said.map(fact).collect::<Vec<_>>(), "situations": [], "habits": []})
        }
    };
    reply.to_string()
}

/// The time that 100 messages take with the model, with the calls and the tokens there and back.
async fn understanding() -> (Duration, usize, usize, usize) {
    let endpoint = LlmEndpoint::choosing(|asked| Act::Say(understood(asked)));
    let folder = tempfile::tempdir().expect("a folder");
    let souls = souls(folder.path(), 10_000, Some(&endpoint));
    souls
        .create(NewSoul::named(name()), None)
        .await
        .expect("a character");
    let soul = souls.open(&name()).await.expect("a character");
    let mut numbers = Numbers(11);
    let words = Vocabulary::new(&mut numbers);
    let messages = talk(100, &words, &mut numbers);
    let request = PushRequest {
        messages,
        origin: None,
    };
    soul.push(request, WriteOrder::default())
        .await
        .expect("pushed");
    let begun = Instant::now();
    let ticket = soul
        .consolidate(WriteOrder::default())
        .await
        .expect("begun");
    ticket.outcome().await.expect("done");
    let took = begun.elapsed();
    drop(soul);
    souls.close().await;
    let asked = endpoint.asked();
    let sent =
        |asked: &Asked| estimate_tokens(asked.message(0)) + estimate_tokens(asked.message(1));
    let there = asked.iter().map(sent).sum();
    let back = asked
        .iter()
        .map(|asked| estimate_tokens(&understood(asked)))
        .sum();
    (took, asked.len(), there, back)
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
    let souls = souls(folder.path(), 12, None);
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
async fn pushes(window: u32, endpoint: Option<&LlmEndpoint>) -> Vec<Duration> {
    let folder = tempfile::tempdir().expect("a folder");
    let souls = souls(folder.path(), window, endpoint);
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
    let (took, calls, there, back) = runtime.block_on(understanding());
    println!(
        "100 messages with a language model: {took:.2?}, {calls} calls, {there} tokens there, {back} back"
    );
    let slow = LlmEndpoint::choosing(|asked| {
        std::thread::sleep(SLOW);
        Act::Say(understood(asked))
    });
    for (window, endpoint, what) in [
        (10_000, None, "without summaries"),
        (2, None, "with a summary each second push"),
        (2, Some(&slow), "while a slow model sums up"),
    ] {
        let times = runtime.block_on(pushes(window, endpoint));
        let at = |share: usize| times[times.len() * share / 100];
        println!(
            "push {what}: median {:.2?}, 95% {:.2?}, 99% {:.2?}",
            at(50),
            at(95),
            at(99)
        );
    }
}
