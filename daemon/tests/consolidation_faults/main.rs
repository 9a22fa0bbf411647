//! A kill at each step of a consolidation: begun again, it comes to what it would have come to without.
//!
//! Run with `cargo test -p soulmem --features failpoints --test consolidation_faults`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeMap;
use std::env;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use fail::FailScenario;
use soulmem::llm::Llm;
use soulmem::soul::events::EventHub;
use soulmem::soul::outside::Outside;
use soulmem::soul::pool::Pool;
use soulmem::soul::{Soul, SoulSettings, Souls, World, WriteOrder};
use soulmem::store::{NewSoul, NoteFilter, Recalled};
use soulmem_embed::LexicalModel;
use soulmem_engine::model::{MemoryNote, NoteId};
use soulmem_engine::text::estimate_tokens;
use soulmem_proto::SoulName;
use soulmem_proto::ops::push::{PushMessage, PushRequest, Role};
use tempfile::tempdir;
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;

const FOLDER: &str = "CONSOLIDATION_FAULTS_FOLDER";
const POINT: &str = "CONSOLIDATION_FAULTS_POINT";
const PASSES: &str = "CONSOLIDATION_FAULTS_PASSES";

/// Every step at which it can be cut short.
const POINTS: [&str; 9] = [
    "consolidate::take",
    "consolidate::understand",
    "consolidate::identify",
    "consolidate::associate",
    "consolidate::write",
    "consolidate::written",
    "consolidate::generalise",
    "consolidate::strengthen",
    "consolidate::finish",
];

fn name() -> SoulName {
    "ann".parse().unwrap()
}

fn souls(folder: &Path) -> Arc<Souls> {
    let world = World {
        outside: Outside::system(),
        model: Arc::new(LexicalModel::new()),
        tokens: Arc::new(estimate_tokens),
        llm: Arc::new(Llm::none()),
        reimagine: None,
        events: Arc::new(EventHub::default()),
        pool: Pool::new(2),
        jobs: Arc::new(Semaphore::new(1)),
    };
    Arc::new(Souls::find(world, folder, SoulSettings::default()).unwrap())
}

/// Two batches of talk: likings, a correction, one place three times, a sentence again and again.
fn talk() -> PushRequest {
    let mut texts: Vec<String> = (0..60)
        .map(|number| format!("I sold {number} jars of honey in the kitchen on Monday."))
        .collect();
    texts.push("I love flat whites.".to_owned());
    texts.extend(std::iter::repeat_n(
        "My flatmate is called Idris and he plays the trumpet.".to_owned(),
        50,
    ));
    texts.push("I can't stand flat whites any more.".to_owned());
    let message = |text: String| PushMessage {
        role: Role::User,
        text,
        name: Some("Bo".to_owned()),
        at: Some("2026-06-05T12:00:00Z".parse().unwrap()),
        tz: None,
        session: None,
        tag: Some(false),
        source: None,
    };
    PushRequest {
        messages: texts.into_iter().map(message).collect(),
        origin: None,
    }
}

/// A character with something to think over, and with something recalled.
async fn prepared(folder: &Path) {
    let souls = souls(folder);
    souls.create(NewSoul::named(name()), None).await.unwrap();
    let soul = souls.open(&name()).await.unwrap();
    soul.push(talk(), WriteOrder::default()).await.unwrap();
    let seeds: Vec<NoteId> = seeds(&soul).await;
    for _ in 0..2 {
        let recalled = Recalled {
            notes: seeds.clone(),
            messages: Vec::new(),
            at: "2026-06-05T13:00:00Z".parse().unwrap(),
            mode: "retrieve".to_owned(),
        };
        soul.store()
            .write(move |tx| tx.record_recall(&recalled))
            .await
            .unwrap();
    }
    souls.close().await;
}

/// Two notes that are linked.
async fn seeds(soul: &Soul) -> Vec<NoteId> {
    use soulmem_engine::model::{
        ConceptType, LinkDraft, LinkType, MemoryType, NoteDraft, SemLink, SemMemory,
    };
    let note = |content: &str| {
        NoteDraft::new(MemoryType::Semantic(SemMemory {
            content: content.to_owned(),
            aliases: Vec::new(),
            concept_type: ConceptType::Entity,
            description: String::new(),
        }))
    };
    let sea = soul
        .put_notes(vec![note("the sea")], WriteOrder::default())
        .await
        .unwrap()[0]
        .id;
    let link_type = LinkType::Sem(SemLink {
        verb: "near".to_owned(),
        confidence: 1.0,
    });
    let pier = note("the pier").linked(LinkDraft::new(sea, link_type));
    let pier = soul
        .put_notes(vec![pier], WriteOrder::default())
        .await
        .unwrap()[0]
        .id;
    vec![sea, pier]
}

async fn consolidate(folder: &Path) {
    let souls = souls(folder);
    let soul = souls.open(&name()).await.unwrap();
    let ticket = soul.consolidate(WriteOrder::default()).await.unwrap();
    ticket.outcome().await.unwrap();
    drop(soul);
    souls.close().await;
}

/// Everything that is remembered, without ids: texts with their tags, sources and state, and links by their ends.
async fn remembered(folder: &Path) -> Vec<String> {
    let souls = souls(folder);
    let soul = souls.open(&name()).await.unwrap();
    let now = "2026-06-06T00:00:00Z".parse().unwrap();
    let (notes, left, recalls) = soul
        .read(move |view| {
            let page = view.list_notes(&NoteFilter::default(), now, None, 10_000)?;
            let left = view.unconsolidated(10)?.len();
            Ok((page.items, left, view.recalls(0, 10)?.len()))
        })
        .await
        .unwrap();
    let names: BTreeMap<NoteId, String> = notes
        .iter()
        .map(|stored| (stored.note.id, stored.note.summary_text()))
        .collect();
    let told = |note: &MemoryNote| {
        let mut links: Vec<String> = note
            .mem_links
            .iter()
            .map(|link| {
                format!(
                    "{} {:.6} {}",
                    link.link_type.as_str(),
                    link.intensity,
                    names[&link.to]
                )
            })
            .collect();
        links.sort();
        format!(
            "{} {:?} {} sources, past: {}, links: {links:?}",
            note.summary_text(),
            note.tags,
            note.source.len(),
            note.superseded_by.is_some(),
        )
    };
    let mut all: Vec<String> = notes.iter().map(|stored| told(&stored.note)).collect();
    all.sort();
    all.push(format!("{left} messages and {recalls} recalls left"));
    drop(soul);
    souls.close().await;
    all
}

/// The child: consolidates, and dies when it reaches its point.
#[test]
fn child() {
    let Some(folder) = env::var_os(FOLDER) else {
        return;
    };
    let scenario = FailScenario::setup();
    let passes: usize = env::var(PASSES).unwrap().parse().unwrap();
    let reached = AtomicUsize::new(0);
    fail::cfg_callback(env::var(POINT).unwrap(), move || {
        if reached.fetch_add(1, Ordering::SeqCst) == passes {
            std::process::abort();
        }
    })
    .unwrap();
    Runtime::new()
        .unwrap()
        .block_on(consolidate(Path::new(&folder)));
    scenario.teardown();
}

/// Whether a child died at the point.
fn killed(folder: &Path, point: &str, passes: usize) -> bool {
    let output = Command::new(env::current_exe().unwrap())
        .args(["--exact", "child", "--test-threads", "1"])
        .env(FOLDER, folder)
        .env(POINT, point)
        .env(PASSES, passes.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    !output.success()
}

#[test]
fn a_kill_at_each_step_repeats_without_doubling() {
    if env::var_os(FOLDER).is_some() {
        return;
    }
    let scenario = FailScenario::setup();
    let runtime = Runtime::new().unwrap();
    let undisturbed = tempdir().unwrap();
    runtime.block_on(prepared(undisturbed.path()));
    runtime.block_on(consolidate(undisturbed.path()));
    let expected = runtime.block_on(remembered(undisturbed.path()));
    assert!(expected.len() > 3, "{expected:#?}");
    for point in POINTS {
        // The first time that the step is reached, and the second where it is reached in each batch.
        for passes in [0, 1] {
            let home = tempdir().unwrap();
            runtime.block_on(prepared(home.path()));
            let died = killed(home.path(), point, passes);
            assert!(died || passes > 0, "nothing reaches {point}");
            runtime.block_on(consolidate(home.path()));
            let found = runtime.block_on(remembered(home.path()));
            assert_eq!(found, expected, "{point} after {passes}");
        }
    }
    scenario.teardown();
}
