//! A daemon's characters without its socket, and what is done to them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value as Json, json};
use soulmem::llm::Llm;
use soulmem::soul::events::{EventHub, SubscriberId};
use soulmem::soul::outside::Outside;
use soulmem::soul::pool::Pool;
use soulmem::soul::uploads::{Last, Stand};
use soulmem::soul::{Answers, InUse, SoulError, SoulSettings, Souls, World, WriteOrder};
use soulmem::store::{Erase, NewSoul};
use soulmem_embed::LexicalModel;
use soulmem_engine::model::{Clock, SequentialIds};
use soulmem_engine::text::estimate_tokens;
use soulmem_proto::ops::import::ImportFormat;
use soulmem_proto::ops::push::Origin;
use soulmem_proto::ops::soul_owner::{OwnerState, Ownership};
use soulmem_proto::{ErrorPayload, EventName, SoulName};
use tempfile::TempDir;
use tokio::sync::Semaphore;

use crate::step::Step;
use crate::told::{Named, Told};
use crate::{NOW, message_id, note_id};

/// A clock that goes on when it is told to.
#[derive(Debug)]
struct Hands(Mutex<Timestamp>);

impl Clock for Hands {
    fn now(&self) -> Timestamp {
        *self.0.lock().unwrap()
    }
}

/// One connection subscribes for all characters.
const CONNECTION: SubscriberId = SubscriberId(1);

/// The one name that every upload has.
const UPLOAD: &str = "upload";

pub struct House {
    pub folder: TempDir,
    pub souls: Arc<Souls>,
    clock: Arc<Hands>,
    told: Arc<Told>,
    named: Mutex<BTreeMap<SoulName, Named>>,
}

impl House {
    pub async fn with(names: &[&SoulName]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(Hands(Mutex::new(NOW.parse().unwrap())));
        let world = World {
            outside: Outside {
                clock: clock.clone(),
                ids: Arc::new(SequentialIds::new()),
            },
            model: Arc::new(LexicalModel::new()),
            tokens: Arc::new(estimate_tokens),
            events: Arc::new(EventHub::default()),
            llm: Arc::new(Llm::none()),
            reimagine: None,
            pool: Pool::new(2),
            jobs: Arc::new(Semaphore::new(1)),
        };
        let data = folder.path().join("data");
        let souls = Arc::new(Souls::find(world, &data, SoulSettings::default()).unwrap());
        for name in names {
            souls
                .create(NewSoul::named((*name).clone()), None)
                .await
                .unwrap();
        }
        Self {
            folder,
            souls,
            clock,
            told: Arc::default(),
            named: Mutex::default(),
        }
    }

    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// What happens to all characters of a house at once.
    pub async fn pass(&self, step: &Step) {
        if let Step::Wait { hours } = step {
            *self.clock.0.lock().unwrap() += SignedDuration::from_hours(*hours);
        } else {
            self.souls.close().await;
        }
    }

    /// Does a step; gives what the caller is answered and what subscribers are told.
    pub async fn step(&self, name: &SoulName, step: &Step) -> Json {
        let answer = match self.try_step(name, step).await {
            Ok(answer) => answer,
            Err(error) => json!(ErrorPayload::from(error).code.as_str()),
        };
        if let Some(soul) = self.souls.peek(name).await {
            self.settle(&soul).await;
        }
        let (told, of_others): (Vec<_>, Vec<_>) =
            (self.told.take().into_iter()).partition(|(of, _)| of == name);
        for (of, event) in of_others {
            // A backup of all is one of each.
            let copied = matches!(step, Step::Back { of_all: true }) && event[0] == "progress";
            let what = event[1]["what"].as_str().unwrap_or_default();
            let is_own = copied && what.ends_with(of.as_str());
            assert!(is_own, "{step:?} of {name} told {of} of {event}");
        }
        let told: Vec<Json> = told.into_iter().map(|(_, event)| event).collect();
        self.plain(name, json!([answer, told]))
    }

    pub fn plain(&self, name: &SoulName, answer: Json) -> Json {
        let mut named = self.named.lock().unwrap();
        named.entry(name.clone()).or_default().plain(answer)
    }

    /// Waits for the summary that a push has asked for.
    async fn settle(&self, soul: &InUse) {
        while !soul.jobs().want_summary() {
            tokio::task::yield_now().await;
        }
        soul.jobs().summary_begins();
        drop(soul.jobs().begin(&self.souls.world().jobs).await);
    }

    /// The order of a write, as a request has one: with the leave to write to this copy.
    pub async fn order(&self, name: &SoulName, step: &Step) -> Result<WriteOrder, SoulError> {
        let leave = match step.writes() {
            Some(op) => Some(self.souls.ownerships().leave(name, op).await?),
            None => None,
        };
        Ok(WriteOrder {
            leave,
            ..WriteOrder::default()
        })
    }

    async fn try_step(&self, name: &SoulName, step: &Step) -> Result<Json, SoulError> {
        let souls = &self.souls;
        let order = self.order(name, step).await?;
        match step {
            Step::Anew => {
                souls.drop_soul(name, order).await?;
                souls.create(NewSoul::named(name.clone()), None).await?;
                Ok(Json::Null)
            }
            Step::Gone => {
                let erasure = souls.erase_soul(name, order, Vec::new()).await?;
                souls.create(NewSoul::named(name.clone()), None).await?;
                Ok(json!([erasure.erased.folders.len(), erasure.backups.len()]))
            }
            Step::Carry => self.carry(name, order).await,
            Step::Back { of_all } => self.there_and_back(name, *of_all).await,
            Step::Repair => {
                let found = souls.repair(name).await?;
                Ok(json!(format!("{:?}", found.report)))
            }
            Step::Erase { note, message } => {
                let what = Erase {
                    notes: vec![note_id(*note)],
                    messages: vec![message_id(*message)],
                };
                let erased = souls.erase(name, what, order, Vec::new()).await?.erased;
                let (messages, notes) = (erased.messages, erased.notes);
                Ok(json!([messages, notes, erased.links, erased.changed]))
            }
            Step::Upload { last } => self.upload(name, *last, order).await,
            Step::Own { state, mark } => self.own(name, *state, *mark).await,
            Step::Subscribe { event } => {
                souls.must_exist(name)?;
                let events = [EventName::ALL[usize::from(*event)]];
                let told = Arc::clone(&self.told);
                let hub = &souls.world().events;
                hub.subscribe(CONNECTION, told, name.clone(), events);
                Ok(Json::Null)
            }
            Step::Unsubscribe { event } => {
                let events = [EventName::ALL[usize::from(*event)]];
                souls.world().events.unsubscribe(CONNECTION, name, &events);
                Ok(Json::Null)
            }
            _ => {
                let soul = souls.open(name).await?;
                self.answer(&soul, step, order).await
            }
        }
    }

    /// The half of a file that the step sends; the other half makes it whole.
    async fn upload(
        &self,
        name: &SoulName,
        last: bool,
        order: WriteOrder,
    ) -> Result<Json, SoulError> {
        let soul = self.souls.open(name).await?;
        let file = format!("{}\n", json!({"role": "user", "text": name}));
        let (first, second) = file.as_bytes().split_at(10);
        let (offset, piece, last) = if last {
            (10, second, Last::Yes)
        } else {
            (0, first, Last::No)
        };
        let stand = self
            .souls
            .uploads()
            .take(name, UPLOAD, offset, piece, last)?;
        match stand {
            Stand::Whole(bytes) => {
                assert_eq!(bytes, file.as_bytes());
                let report = soul.import(bytes, ImportFormat::Messages, None, order);
                Ok(json!(report.await?))
            }
            unfinished => Ok(json!(format!("{unfinished:?}"))),
        }
    }

    async fn own(&self, name: &SoulName, state: u8, mark: u8) -> Result<Json, SoulError> {
        let soul = self.souls.open(name).await?;
        let mark = Origin {
            id: "outbox".to_owned(),
            seq: u64::from(mark) + 1,
        };
        soul.raise_marks(vec![mark]).await?;
        let ownership = Ownership {
            // Being the owner is the usual.
            state: match state {
                0 => OwnerState::HandedOver,
                1 => OwnerState::Contested,
                _ => OwnerState::Owner,
            },
            ..Ownership::default()
        };
        self.souls.ownerships().set(name, ownership).await?;
        let (position, marks) = (soul.position().await?, soul.marks().await?);
        Ok(json!([self.souls.ownerships().of(name), position, marks]))
    }

    /// Out of the house as a file, and in again as a copy that arrives.
    async fn carry(&self, name: &SoulName, order: WriteOrder) -> Result<Json, SoulError> {
        let file = {
            let soul = self.souls.open(name).await?;
            self.exported(&soul, ImportFormat::Archive, Answers::Included)
                .await?
        };
        self.souls.drop_soul(name, order).await?;
        let arriving = Ownership {
            state: OwnerState::Arriving,
            ..Ownership::default()
        };
        let about = NewSoul::named(name.clone());
        self.souls.create_as(about, arriving, None).await?;
        let soul = self.souls.open(name).await?;
        let bytes = file.clone().into_bytes();
        let report = soul.import(bytes, ImportFormat::Archive, None, WriteOrder::default());
        let report = report.await?;
        let owner = Ownership::default();
        self.souls.ownerships().set(name, owner).await?;
        Ok(json!([file, report]))
    }
}
