//! One character, open, with a clock that stands still until a test turns it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde_json::{Value as Json, json};
use soulmem::llm::Llm;
use soulmem::soul::events::EventHub;
use soulmem::soul::outside::Outside;
use soulmem::soul::pool::Pool;
use soulmem::soul::reimagining::Reimagine;
use soulmem::soul::{Soul, SoulSettings, World, WriteOrder};
use soulmem::store::{NewSoul, Store, StoreOptions};
use soulmem_embed::LexicalModel;
use soulmem_engine::model::{Clock, MemoryNote, NoteDraft, NoteId, SequentialIds};
use soulmem_proto::ops::note_get::RememberedNote;
use soulmem_proto::ops::push::{PushMessage, PushRequest, Role};
use soulmem_proto::ops::retrieve::{RetrieveRequest, RetrieveResponse};
use soulmem_proto::ops::retrieve_options::RetrieveOptions;
use tempfile::TempDir;

/// How long a test waits for what is done in the background before it fails.
const PATIENCE: Duration = Duration::from_secs(60);

struct Dial(AtomicI64);

impl Clock for Dial {
    fn now(&self) -> Timestamp {
        Timestamp::from_second(self.0.load(Ordering::SeqCst)).unwrap()
    }
}

/// A character and its clock.
pub struct Life {
    pub soul: Soul,
    dial: Arc<Dial>,
    folder: TempDir,
}

impl Life {
    /// A new one, on the first day of 2026, with this configuration of its own.
    pub fn begin(config: Json) -> Self {
        Self::begin_with(config, None)
    }

    /// The same, with somebody who tells blurred memories anew.
    pub fn begin_with(config: Json, reimagine: Option<Arc<dyn Reimagine>>) -> Self {
        let start: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        let dial = Arc::new(Dial(AtomicI64::new(start.as_second())));
        let folder = tempfile::tempdir().unwrap();
        let ids = Arc::new(SequentialIds::new());
        let new = NewSoul {
            config,
            ..NewSoul::named("ann".parse().unwrap())
        };
        let options = StoreOptions::new(Arc::clone(&dial) as _, Arc::clone(&ids) as _);
        Store::create(folder.path(), new, &options).unwrap().close();
        let outside = Outside {
            clock: Arc::clone(&dial) as _,
            ids,
        };
        Self {
            soul: opened(folder.path(), outside, reimagine),
            dial,
            folder,
        }
    }

    /// The same character, opened anew.
    pub fn reopened(self) -> Self {
        self.soul.close();
        let world = self.soul.world();
        let (outside, reimagine) = (world.outside.clone(), world.reimagine.clone());
        drop(self.soul);
        Self {
            soul: opened(self.folder.path(), outside, reimagine),
            dial: self.dial,
            folder: self.folder,
        }
    }

    pub fn now(&self) -> Timestamp {
        self.dial.now()
    }

    pub fn pass_hours(&self, hours: i64) {
        self.dial.0.fetch_add(hours * 3_600, Ordering::SeqCst);
    }

    pub fn pass_days(&self, days: i64) {
        self.pass_hours(24 * days);
    }

    pub async fn put(&self, draft: Json) -> MemoryNote {
        let draft: NoteDraft = serde_json::from_value(draft).unwrap();
        let mut put = self
            .soul
            .put_notes(vec![draft], WriteOrder::default())
            .await
            .unwrap();
        put.remove(0)
    }

    /// Something lived.
    pub async fn live(&self, narrative: &str) -> NoteId {
        self.put(lived(narrative)).await.id
    }

    pub async fn hear(&self, text: &str, at: Option<Timestamp>) {
        let message = PushMessage {
            role: Role::User,
            text: text.to_owned(),
            name: None,
            at,
            tz: None,
            session: None,
            tag: None,
            source: None,
        };
        let request = PushRequest {
            messages: vec![message],
            origin: None,
        };
        self.soul
            .push(request, WriteOrder::default())
            .await
            .unwrap();
    }

    /// Asks, without that counting as remembering.
    pub async fn glance(&self, text: &str, options: RetrieveOptions) -> RetrieveResponse {
        let options = RetrieveOptions {
            record: Some(false),
            ..options
        };
        self.ask(text, options).await
    }

    /// Remembers: what came up counts as recalled when this returns.
    pub async fn recall(&self, text: &str) -> RetrieveResponse {
        self.recall_with(text, RetrieveOptions::default()).await
    }

    /// The same, asked in a way of its own.
    pub async fn recall_with(&self, text: &str, options: RetrieveOptions) -> RetrieveResponse {
        let found = self.ask(text, options).await;
        let ids: Vec<NoteId> = found.notes.iter().map(|hit| NoteId(hit.id)).collect();
        let last = Instant::now() + PATIENCE;
        while !self.is_rehearsed(&ids).await {
            assert!(Instant::now() < last, "the recall was not recorded");
            tokio::task::yield_now().await;
        }
        found
    }

    async fn is_rehearsed(&self, ids: &[NoteId]) -> bool {
        let notes = self.soul.get_notes(ids.to_vec()).await.unwrap();
        let counted = notes.iter().all(|note| note.last_accessed_at == self.now());
        let faded = self.soul.remembered(notes).await.unwrap();
        let fresh = |note: &RememberedNote| note.degree.is_none_or(|degree| degree == 0.0);
        counted && faded.iter().all(fresh)
    }

    async fn ask(&self, text: &str, options: RetrieveOptions) -> RetrieveResponse {
        let request = RetrieveRequest {
            queries: Vec::new(),
            text: Some(text.to_owned()),
            options,
        };
        self.soul.retrieve(request).await.unwrap()
    }

    /// A note as it was written and as it is remembered.
    pub async fn both(&self, id: NoteId) -> (MemoryNote, RememberedNote) {
        let mut notes = self.soul.get_notes(vec![id]).await.unwrap();
        let mut remembered = self.soul.remembered(notes.clone()).await.unwrap();
        (notes.remove(0), remembered.remove(0))
    }
}

/// A draft of something lived.
pub fn lived(narrative: &str) -> Json {
    json!({"mem_type": {"Situation": {"SpecificSituation": {
        "narrative": narrative, "time_span": "2026-01-01T00:00:00Z"}}}})
}

fn opened(folder: &Path, outside: Outside, reimagine: Option<Arc<dyn Reimagine>>) -> Soul {
    let world = World {
        outside,
        model: Arc::new(LexicalModel::new()),
        tokens: Arc::new(str::len),
        llm: Arc::new(Llm::none()),
        reimagine,
        jobs: Arc::new(tokio::sync::Semaphore::new(1)),
        events: Arc::new(EventHub::default()),
        pool: Pool::new(2),
    };
    let settings = SoulSettings::default();
    Soul::open(Arc::new(world), "ann".parse().unwrap(), folder, &settings).unwrap()
}
