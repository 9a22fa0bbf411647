//! A kill at each step of a consolidation, by rules and with a language model: begun again, it comes to what it would have
//! come to without, and asks the model nothing twice.
//!
//! Run with `cargo test -p soulmem --features failpoints --test consolidation_faults`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod before;
#[path = "../support/llm_endpoint.rs"]
mod llm_endpoint;

use std::collections::BTreeMap;
use std::env;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use fail::FailScenario;
use serde_json::{Value as Json, json};
use soulmem::llm::{Ledger, Llm, LlmSettings, Mode, ModeChoice};
use soulmem::soul::events::EventHub;
use soulmem::soul::outside::Outside;
use soulmem::soul::pool::Pool;
use soulmem::soul::{SoulSettings, Souls, World, WriteOrder};
use soulmem::store::NoteFilter;
use soulmem_embed::LexicalModel;
use soulmem_engine::model::{MemoryNote, NoteId};
use soulmem_engine::text::estimate_tokens;
use soulmem_proto::SoulName;
use tempfile::tempdir;
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;

use crate::before::prepared;
use crate::llm_endpoint::{Act, Asked, LlmEndpoint};

const FOLDER: &str = "CONSOLIDATION_FAULTS_FOLDER";
const POINT: &str = "CONSOLIDATION_FAULTS_POINT";
const URL: &str = "CONSOLIDATION_FAULTS_URL";
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

/// Those of one that asks a language model.
const ASKING: [&str; 2] = ["consolidate::ask", "consolidate::answered"];

fn name() -> SoulName {
    "ann".parse().unwrap()
}

/// The characters of a folder, without a language model or with the one at an address.
fn souls(folder: &Path, url: Option<&str>) -> Arc<Souls> {
    let settings = LlmSettings {
        base_url: url.map(|url| url.parse().unwrap()),
        model: "test".to_owned(),
        mode: ModeChoice::Fixed(Mode::Schema),
        ..LlmSettings::default()
    };
    let outside = Outside::system();
    let ledger = Ledger::unkept(Arc::clone(&outside.clock), 0);
    let world = World {
        outside,
        model: Arc::new(LexicalModel::new()),
        tokens: Arc::new(estimate_tokens),
        llm: Arc::new(Llm::new(settings, ledger)),
        reimagine: None,
        events: Arc::new(EventHub::default()),
        pool: Pool::new(2),
        jobs: Arc::new(Semaphore::new(1)),
    };
    Arc::new(Souls::find(world, folder, SoulSettings::default()).unwrap())
}

async fn consolidate(folder: &Path, url: Option<&str>) {
    let souls = souls(folder, url);
    let soul = souls.open(&name()).await.unwrap();
    let ticket = soul.consolidate(WriteOrder::default()).await.unwrap();
    ticket.outcome().await.unwrap();
    drop(soul);
    souls.close().await;
}

/// Everything that is remembered, without ids: texts with their tags, sources and state, and links by their ends.
async fn remembered(folder: &Path) -> Vec<String> {
    let souls = souls(folder, None);
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
        ) + &gists(note)
    };
    let mut all: Vec<String> = notes.iter().map(|stored| told(&stored.note)).collect();
    all.sort();
    all.push(format!("{left} messages and {recalls} recalls left"));
    drop(soul);
    souls.close().await;
    all
}

/// The gists of a note, in brackets.
fn gists(note: &MemoryNote) -> String {
    let gists = note
        .anchors
        .iter()
        .filter_map(|anchor| anchor.gist.as_ref());
    gists.flat_map(|gist| [" [", gist.as_str(), "]"]).collect()
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
    Runtime::new().unwrap().block_on(consolidate(
        Path::new(&folder),
        env::var(URL).ok().as_deref(),
    ));
    scenario.teardown();
}

/// Whether a child died at the point.
fn killed(folder: &Path, url: Option<&str>, point: &str, passes: usize) -> bool {
    let mut child = Command::new(env::current_exe().unwrap());
    if let Some(url) = url {
        child.env(URL, url);
    }
    let output = child
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
    let expected = undisturbed(&runtime, None);
    assert!(expected.len() > 3, "{expected:#?}");
    for point in POINTS {
        // The first time that the step is reached, and the second where it is reached in each batch.
        for passes in [0, 1] {
            disturbed(&runtime, None, (point, passes), &expected);
        }
    }
    scenario.teardown();
}

#[test]
fn a_kill_at_each_step_with_a_model_repeats_without_doubling_or_asking_twice() {
    if env::var_os(FOLDER).is_some() {
        return;
    }
    let scenario = FailScenario::setup();
    let runtime = Runtime::new().unwrap();
    let endpoint = LlmEndpoint::choosing(understood);
    let url = endpoint.base_url();
    let expected = undisturbed(&runtime, Some(&url));
    let usual = endpoint.asked().len();
    assert!(usual > 4, "{usual}");
    assert!(
        expected.iter().any(|note| note.contains("[like an echo]")),
        "{expected:#?}"
    );
    let once = POINTS.map(|point| (point, 0));
    let twice = ASKING
        .into_iter()
        .flat_map(|point| [(point, 0), (point, 1), (point, 5)]);
    for place in once.into_iter().chain(twice) {
        let before = endpoint.asked().len();
        disturbed(&runtime, Some(&url), place, &expected);
        assert_eq!(endpoint.asked().len() - before, usual, "{place:?}");
    }
    scenario.teardown();
}

/// What is remembered where nothing comes between.
fn undisturbed(runtime: &Runtime, url: Option<&str>) -> Vec<String> {
    let home = tempdir().unwrap();
    runtime.block_on(prepared(home.path()));
    runtime.block_on(consolidate(home.path(), url));
    runtime.block_on(remembered(home.path()))
}

/// Kills a consolidation when it has been so often at a step, begins it again, and looks what is remembered.
fn disturbed(
    runtime: &Runtime,
    url: Option<&str>,
    (point, passes): (&str, usize),
    expected: &[String],
) {
    let home = tempdir().unwrap();
    runtime.block_on(prepared(home.path()));
    let died = killed(home.path(), url, point, passes);
    assert!(died || passes > 0, "nothing reaches {point}");
    runtime.block_on(consolidate(home.path(), url));
    let found = runtime.block_on(remembered(home.path()));
    assert_eq!(found, expected, "{point} after {passes}");
}

/// A model that understands every message as it was said, and every word as an echo.
fn understood(asked: &Asked) -> Act {
    let data = asked.message(1).lines();
    let lines: Vec<Json> = data
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    if asked.schema() == Some("gists") {
        let numbers = lines
            .iter()
            .flat_map(|line| line["words"].as_array().cloned().unwrap_or_default());
        let gist = |word: Json| json!({"number": word["number"], "gist": "like an echo"});
        return Act::say(&json!({"gists": numbers.map(gist).collect::<Vec<_>>()}));
    }
    let said = lines.iter().filter(|line| line["message"].is_u64());
    let fact = |line: &Json| {
        let content = format!("Bo said: {}", line["text"].as_str().unwrap());
        json!({"content": content, "kind": "fact", "who": "Bo", "sources": [line["message"]]})
    };
    Act::say(&json!({"facts": said.map(fact).collect::<Vec<_>>()}))
}
