//! Nothing crosses between characters: one that lives beside another, with the same ids and the same texts, answers in
//! every way as it does alone.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::Arc;

use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::{Value as Json, json};
use soulmem::llm::Llm;
use soulmem::soul::events::EventHub;
use soulmem::soul::outside::Outside;
use soulmem::soul::pool::Pool;
use soulmem::soul::{
    Answers, BackupPlan, Correction, RestorePlan, SoulError, SoulSettings, Souls, Span, World,
    WriteOrder,
};
use soulmem::store::backup::Recipients;
use soulmem::store::{Erase, Idempotency, NewSoul, NoteFilter};
use soulmem_embed::LexicalModel;
use soulmem_engine::model::{
    FixedClock, LinkDraft, LinkId, MessageId, NoteDraft, NoteId, SequentialIds,
};
use soulmem_engine::recall::feedback::Verdict;
use soulmem_engine::text::estimate_tokens;
use soulmem_proto::ops::import::ImportFormat;
use soulmem_proto::ops::message_list::MessageListRequest;
use soulmem_proto::ops::retrieve::RetrieveRequest;
use soulmem_proto::{ErrorPayload, SoulName, from_value, to_value};
use tempfile::TempDir;
use tokio::sync::Semaphore;
use uuid::Uuid;

const NOW: &str = "2026-06-01T08:00:00Z";

/// Ids and texts that both characters have in common.
const TEXTS: [&str; 4] = [
    "雨天的猫",
    "老钟停在三点",
    "a walk in the rain",
    "다리 아래의 강",
];

fn note_id(n: u8) -> NoteId {
    NoteId(Uuid::from_u128(0x100 + u128::from(n)))
}

fn link_id(n: u8) -> LinkId {
    LinkId(Uuid::from_u128(0x200 + u128::from(n)))
}

fn message_id(n: u8) -> MessageId {
    MessageId(Uuid::from_u128(0x300 + u128::from(n)))
}

/// What is done to one of the characters. Numbers choose among few ids, so that they meet.
#[derive(Debug, Clone)]
enum Step {
    Say {
        id: u8,
        text: u8,
    },
    Put {
        id: u8,
        text: u8,
        revision: Option<u64>,
        key: Option<u8>,
    },
    Link {
        id: u8,
        from: u8,
        to: u8,
    },
    Unlink {
        id: u8,
    },
    Hide {
        id: u8,
    },
    Correct {
        old: u8,
        new: u8,
    },
    Erase {
        note: u8,
        message: u8,
    },
    Ask {
        text: u8,
    },
    Praise {
        id: u8,
    },
    Checkpoint,
    Repair,
    Anew,
    Back,
}

fn step() -> impl Strategy<Value = Step> {
    let n = 0..4_u8;
    prop_oneof![
        4 => (n.clone(), n.clone()).prop_map(|(id, text)| Step::Say { id, text }),
        6 => (n.clone(), n.clone(), prop::option::of(1..3_u64), prop::option::of(n.clone()))
            .prop_map(|(id, text, revision, key)| Step::Put { id, text, revision, key }),
        3 => (n.clone(), n.clone(), n.clone()).prop_map(|(id, from, to)| Step::Link { id, from, to }),
        1 => n.clone().prop_map(|id| Step::Unlink { id }),
        1 => n.clone().prop_map(|id| Step::Hide { id }),
        2 => (n.clone(), n.clone()).prop_map(|(old, new)| Step::Correct { old, new }),
        1 => (n.clone(), n.clone()).prop_map(|(note, message)| Step::Erase { note, message }),
        3 => n.clone().prop_map(|text| Step::Ask { text }),
        1 => n.clone().prop_map(|id| Step::Praise { id }),
        1 => Just(Step::Checkpoint),
        1 => Just(Step::Repair),
        1 => Just(Step::Anew),
        1 => Just(Step::Back),
    ]
}

/// A daemon's characters without its socket.
struct House {
    folder: TempDir,
    souls: Arc<Souls>,
}

impl House {
    async fn with(names: &[&SoulName]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let now: Timestamp = NOW.parse().unwrap();
        let world = World {
            outside: Outside {
                clock: Arc::new(FixedClock(now)),
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
        Self { folder, souls }
    }

    /// Does a step; gives what the caller is answered, with what only counts through the whole house left out.
    async fn step(&self, name: &SoulName, step: &Step) -> Json {
        match self.try_step(name, step).await {
            Ok(answer) => answer,
            Err(error) => json!(ErrorPayload::from(error).code.as_str()),
        }
    }

    async fn try_step(&self, name: &SoulName, step: &Step) -> Result<Json, SoulError> {
        let souls = &self.souls;
        let plain = WriteOrder::default;
        let soul = match step {
            Step::Anew => {
                souls.drop_soul(name, plain()).await?;
                souls.create(NewSoul::named(name.clone()), None).await?;
                return Ok(Json::Null);
            }
            Step::Back => return self.there_and_back(name).await,
            Step::Repair => {
                let found = souls.repair(name).await?;
                return Ok(json!(format!("{:?}", found.report)));
            }
            Step::Erase { note, message } => {
                let what = Erase {
                    notes: vec![note_id(*note)],
                    messages: vec![message_id(*message)],
                };
                let erasure = souls.erase(name, what, plain(), Vec::new()).await?;
                let erased = &erasure.erased;
                return Ok(json!([
                    erased.messages,
                    erased.notes,
                    erased.links,
                    erased.changed
                ]));
            }
            _ => souls.open(name).await?,
        };
        Ok(match step {
            Step::Say { id, text } => {
                let bytes = archive(name, *id, *text).into_bytes();
                let report = soul
                    .import(bytes, ImportFormat::Archive, None, plain())
                    .await?;
                json!(report)
            }
            Step::Put {
                id,
                text,
                revision,
                key,
            } => {
                let draft = draft(*id, *text, *revision);
                let key = key.map(|key| {
                    Idempotency::new(
                        format!("k{key}"),
                        "note.put",
                        json!(draft).to_string().as_bytes(),
                    )
                });
                let order = WriteOrder {
                    key,
                    ..WriteOrder::default()
                };
                json!(soul.put_notes(vec![draft], order).await?)
            }
            Step::Link { id, from, to } => {
                json!(soul.put_links(vec![link(*id, *from, *to)], plain()).await?)
            }
            Step::Unlink { id } => json!(soul.delete_links(vec![link_id(*id)], plain()).await?),
            Step::Hide { id } => json!(soul.delete_notes(vec![note_id(*id)], plain()).await?),
            Step::Correct { old, new } => {
                let by = Correction::There(note_id(*new));
                let corrected = soul.supersede(note_id(*old), by, None, plain()).await?;
                json!([corrected.old, corrected.new])
            }
            Step::Ask { text } => ask(&soul, *text).await?,
            Step::Praise { id } => {
                json!(
                    soul.feedback(vec![note_id(*id)], Verdict::Good, plain())
                        .await?
                )
            }
            _ => {
                soul.checkpoint().await?;
                Json::Null
            }
        })
    }

    /// A backup of the character alone, and its restore in place of it.
    async fn there_and_back(&self, name: &SoulName) -> Result<Json, SoulError> {
        let plan = BackupPlan {
            folder: self.folder.path().join("backups"),
            souls: vec![name.clone()],
            recipients: Recipients::default(),
        };
        let backup = self.souls.back_up(plan).await?;
        let plan = RestorePlan {
            folder: backup.folder,
            souls: vec![],
            replace: true,
            identity: None,
        };
        let restored = self.souls.restore(plan).await?;
        Ok(json!(format!("{restored:?}")))
    }

    /// Everything that can be asked of a character.
    async fn all_of(&self, name: &SoulName) -> Json {
        let soul = self.souls.open(name).await.unwrap();
        let span = Span::new(None, Some(1_000)).unwrap();
        let (notes, _) = soul.list_notes(NoteFilter::default(), span).await.unwrap();
        let everything = MessageListRequest::default();
        let messages = soul.list_messages(everything).await.unwrap();
        let stats = soul.stats().await.unwrap();
        let mut answers = Vec::new();
        for text in 0..4 {
            answers.push(ask(&soul, text).await.unwrap());
        }
        let mut files = Vec::new();
        for format in [
            ImportFormat::Archive,
            ImportFormat::Graph,
            ImportFormat::Messages,
        ] {
            let (bytes, cursor) = soul.export(format, None, Answers::LeftOut).await.unwrap();
            assert_eq!(cursor, None);
            files.push(String::from_utf8(bytes).unwrap());
        }
        let found = self.souls.examine(name).await.unwrap();
        assert!(found.report.is_healthy(), "{:?}", found.report);
        json!([notes, messages, stats, answers, files])
    }
}

fn draft(id: u8, text: u8, revision: Option<u64>) -> NoteDraft {
    let content = TEXTS[usize::from(text)];
    let draft = json!({
        "id": note_id(id),
        "mem_type": {"Semantic": {"content": content, "concept_type": "Entity", "description": content}},
        "if_revision": revision,
    });
    serde_json::from_value(draft).unwrap()
}

fn link(id: u8, from: u8, to: u8) -> LinkDraft {
    let link = json!({
        "id": link_id(id),
        "from": note_id(from),
        "to": note_id(to),
        "link_type": {"Sem": {"verb": "calls for", "confidence": 0.5}},
    });
    serde_json::from_value(link).unwrap()
}

/// A message with an id of the caller's choosing comes by an archive.
fn archive(soul: &SoulName, id: u8, text: u8) -> String {
    let message = json!({"message": {
        "id": message_id(id),
        "role": "user",
        "text": TEXTS[usize::from(text)],
        "at": NOW,
        "tag": false,
    }});
    let head = json!({"archive": {"format": 1, "program": "test", "soul": soul, "config": null}});
    let end = json!({"end": {"words": 0, "messages": 1, "notes": 0}});
    format!("{head}\n{message}\n{end}\n")
}

async fn ask(soul: &soulmem::soul::Soul, text: u8) -> Result<Json, SoulError> {
    // Recording goes on after the answer, in its own time: what is asked here must not depend on it.
    let request =
        json!({"text": TEXTS[usize::from(text)], "options": {"record": false, "explain": true}});
    let request: RetrieveRequest<_> = from_value(to_value(&request).unwrap()).unwrap();
    Ok(json!(soul.retrieve(request).await?))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn a_character_beside_another_is_as_it_is_alone(
        life in prop::collection::vec((any::<bool>(), step()), 1..40)
    ) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(async {
            let [ann, bo]: [SoulName; 2] = ["ann", "bo"].map(|name| name.parse().unwrap());
            let both = House::with(&[&ann, &bo]).await;
            let alone = [House::with(&[&ann]).await, House::with(&[&bo]).await];
            for (is_bo, step) in &life {
                let name = if *is_bo { &bo } else { &ann };
                let beside = both.step(name, step).await;
                let apart = alone[usize::from(*is_bo)].step(name, step).await;
                prop_assert_eq!(beside, apart, "{:?}", step);
            }
            for (house, name) in alone.iter().zip([&ann, &bo]) {
                prop_assert_eq!(both.all_of(name).await, house.all_of(name).await);
            }
            Ok(())
        })?;
    }
}
