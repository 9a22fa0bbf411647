//! One character in a folder of its own, and its model.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde_json::{Value as Json, json};
use soulmem::llm::{Ledger, Llm, LlmSettings, Mode, ModeChoice, Task, TaskModel};
use soulmem::soul::events::EventHub;
use soulmem::soul::outside::Outside;
use soulmem::soul::pool::Pool;
use soulmem::soul::{CountTokens, InUse, SoulSettings, Souls, Storyteller, World, WriteOrder};
use soulmem::store::{NewSoul, NoteFilter};
use soulmem_embed::LexicalModel;
use soulmem_engine::model::{Clock, MemoryNote, SequentialIds};
use soulmem_engine::text::estimate_tokens;
use soulmem_proto::SoulName;
use soulmem_proto::ops::consolidate::ConsolidationReport;
use soulmem_proto::ops::push::{PushMessage, PushRequest, Role};
use soulmem_proto::ops::retrieve::{RetrieveRequest, RetrieveResponse};
use soulmem_proto::ops::retrieve_options::RetrieveOptions;
use tempfile::TempDir;
use tokio::sync::Semaphore;

use crate::llm_endpoint::{Act, Asked, LlmEndpoint};

/// How long a test waits for what is done in the background before it fails.
pub const PATIENCE: Duration = Duration::from_secs(60);

struct Dial(AtomicI64);

impl Clock for Dial {
    fn now(&self) -> Timestamp {
        Timestamp::from_second(self.0.load(Ordering::SeqCst)).unwrap()
    }
}

/// A character and its model.
pub struct Home {
    pub soul: InUse,
    pub souls: Arc<Souls>,
    pub endpoint: LlmEndpoint,
    dial: Arc<Dial>,
    pub folder: TempDir,
}

pub fn name() -> SoulName {
    "ann".parse().unwrap()
}

impl Home {
    /// A character whose model does what is chosen for each request, by the name of the schema that it is to follow.
    pub async fn with(choose: impl FnMut(&Asked) -> Act + Send + 'static) -> Self {
        Self::configured(Json::Null, choose, |_| {}).await
    }

    /// The same, with a configuration of the character's own and of the model.
    pub async fn configured(
        config: Json,
        choose: impl FnMut(&Asked) -> Act + Send + 'static,
        set: impl FnOnce(&mut LlmSettings),
    ) -> Self {
        let endpoint = LlmEndpoint::choosing(choose);
        let mut settings = LlmSettings {
            base_url: Some(endpoint.base_url().parse().unwrap()),
            model: "test".to_owned(),
            retries: 0,
            timeout: Duration::from_secs(30),
            mode: ModeChoice::Fixed(Mode::Schema),
            ..LlmSettings::default()
        };
        set(&mut settings);
        let start: Timestamp = "2026-06-05T12:00:00Z".parse().unwrap();
        let dial = Arc::new(Dial(AtomicI64::new(start.as_second())));
        let folder = tempfile::tempdir().unwrap();
        let ledger = Ledger::unkept(Arc::clone(&dial) as _, 0);
        let llm = Arc::new(Llm::new(settings, ledger));
        let tokens: CountTokens = Arc::new(estimate_tokens);
        let world = World {
            outside: Outside {
                clock: Arc::clone(&dial) as _,
                ids: Arc::new(SequentialIds::new()),
            },
            model: Arc::new(LexicalModel::new()),
            reimagine: Storyteller::of(&llm, &tokens),
            tokens,
            llm,
            events: Arc::new(EventHub::default()),
            pool: Pool::new(2),
            jobs: Arc::new(Semaphore::new(1)),
        };
        let souls = Arc::new(Souls::find(world, folder.path(), SoulSettings::default()).unwrap());
        let new = NewSoul {
            config,
            ..NewSoul::named(name())
        };
        souls.create(new, None).await.unwrap();
        Self {
            soul: souls.open(&name()).await.unwrap(),
            souls,
            endpoint,
            dial,
            folder,
        }
    }

    /// Closes everything.
    pub async fn close(self) {
        let Self { souls, soul, .. } = self;
        drop(soul);
        souls.close().await;
    }

    pub fn pass_hours(&self, hours: i64) {
        self.dial.0.fetch_add(hours * 3_600, Ordering::SeqCst);
    }

    /// Has Bo say something.
    pub async fn hear(&self, texts: &[&str]) -> Vec<uuid::Uuid> {
        self.hear_all(texts, None).await
    }

    /// The same, of something that was said at another time.
    pub async fn hear_at(&self, text: &str, at: &str) {
        self.hear_all(&[text], Some(at.parse().unwrap())).await;
    }

    async fn hear_all(&self, texts: &[&str], at: Option<Timestamp>) -> Vec<uuid::Uuid> {
        let message = |text: &&str| PushMessage {
            role: Role::User,
            text: (*text).to_owned(),
            name: Some("Bo".to_owned()),
            at,
            tz: None,
            session: None,
            tag: None,
            source: None,
        };
        let request = PushRequest {
            messages: texts.iter().map(message).collect(),
            origin: None,
        };
        self.soul
            .push(request, WriteOrder::default())
            .await
            .unwrap()
            .ids
    }

    pub async fn consolidated(&self) -> ConsolidationReport {
        let ticket = self.soul.consolidate(WriteOrder::default()).await.unwrap();
        ticket.outcome().await.unwrap()
    }

    pub async fn notes(&self) -> Vec<MemoryNote> {
        let now = "2026-06-06T00:00:00Z".parse().unwrap();
        let page = self
            .soul
            .read(move |view| view.list_notes(&NoteFilter::default(), now, None, 10_000));
        page.await
            .unwrap()
            .items
            .into_iter()
            .map(|stored| stored.note)
            .collect()
    }

    /// What the notes say, sorted.
    pub async fn texts(&self) -> Vec<String> {
        let mut texts: Vec<String> = self
            .notes()
            .await
            .iter()
            .map(MemoryNote::summary_text)
            .collect();
        texts.sort();
        texts
    }

    pub async fn messages(&self) -> u64 {
        self.soul.stats().await.unwrap().messages
    }

    /// Asks, without that counting as remembering.
    pub async fn glance(&self, text: &str, options: RetrieveOptions) -> RetrieveResponse {
        let request = RetrieveRequest {
            queries: Vec::new(),
            text: Some(text.to_owned()),
            options: RetrieveOptions {
                record: Some(false),
                ..options
            },
        };
        self.soul.retrieve(request).await.unwrap()
    }

    /// How often it was asked for a reply of this name.
    pub fn asked(&self, schema: &str) -> usize {
        let asked = self.endpoint.asked();
        asked
            .iter()
            .filter(|asked| asked.schema() == Some(schema))
            .count()
    }

    /// Waits until something holds that is done in the background.
    pub async fn until(&self, mut holds: impl AsyncFnMut(&Self) -> bool) {
        let last = Instant::now() + PATIENCE;
        while !holds(self).await {
            assert!(Instant::now() < last, "it did not come about");
            tokio::task::yield_now().await;
        }
    }
}

/// Leaves everything to the rules but this task.
pub fn only(task: Task) -> impl FnOnce(&mut LlmSettings) {
    move |settings| {
        for other in Task::ALL {
            settings.tasks.insert(other, TaskModel::Off);
        }
        settings
            .tasks
            .insert(task, TaskModel::Named("test".to_owned()));
    }
}

/// What was said, by number, in a request for memories.
pub fn lines(asked: &Asked) -> Vec<Json> {
    let data = asked.message(1).lines();
    let lines = data.filter_map(|line| serde_json::from_str::<Json>(line).ok());
    lines.filter(|line| line["message"].is_u64()).collect()
}

/// A reply with facts alone.
pub fn facts(facts: &[(&str, u64)]) -> Json {
    let fact = |(content, source): &(&str, u64)| json!({"content": content, "kind": "fact", "who": "Bo", "sources": [source]});
    json!({"things": [], "situations": [], "habits": [], "facts": facts.iter().map(fact).collect::<Vec<_>>()})
}
