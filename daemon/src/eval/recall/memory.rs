//! One memory: filled through the real write path, then asked.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use soulmem_embed::LexicalModel;
use soulmem_engine::forget::ProfileName;
use soulmem_engine::model::{FixedClock, MemoryNote, SequentialIds};
use soulmem_engine::recall::plain::channel::FusionWeights;
use soulmem_engine::text::estimate_tokens;
use soulmem_proto::SoulName;
use soulmem_proto::Value;
use soulmem_proto::ops::push::{PushMessage, PushRequest, Role};
use soulmem_proto::ops::retrieve::{RetrieveRequest, RetrieveResponse};
use soulmem_proto::ops::retrieve_options::RetrieveOptions;
use tokio::sync::Semaphore;
use uuid::Uuid;

use super::data::{Conversation, Query, Row};
use super::ranking::{Ranked, ranked};
use super::{Depth, Thought};
use crate::llm::Llm;
use crate::soul::document::Document;
use crate::soul::events::EventHub;
use crate::soul::limits::MAX_PUSH_MESSAGES;
use crate::soul::outside::Outside;
use crate::soul::pool::Pool;
use crate::soul::{ForgetConfig, Result, Soul, SoulError, SoulSettings, Souls, World, WriteOrder};
use crate::store::NewSoul;

/// Hits asked for: more than any measure looks at.
const HITS: u32 = 60;

/// The same where everything that was looked at is wanted.
const CANDIDATES: u32 = 400;

/// Documents in one write.
const BATCH: usize = 500;

/// What is asked at where no row says when it was.
const NO_TIME: Timestamp = Timestamp::UNIX_EPOCH;

/// What came of one question.
#[derive(Debug)]
pub struct Answered {
    /// The rows that came up.
    pub hits: Ranked,
    /// How each hit was found, where everything that was looked at is wanted.
    pub trace: Option<Value>,
    /// Which row each message that came up was.
    rows: HashMap<Uuid, String>,
}

impl Answered {
    /// Which row each message that came up was.
    pub fn found(&self) -> BTreeMap<String, &str> {
        let rows = self.rows.iter();
        rows.map(|(id, row)| (id.to_string(), &**row)).collect()
    }
}

/// How memories are filled and asked.
#[derive(Clone, Copy, Debug)]
pub struct Way<'a> {
    /// The name of the file that they are filled from.
    pub file: &'a str,
    /// What the channels are worth.
    pub weights: FusionWeights,
    /// How deep the answers go.
    pub depth: Depth,
    /// Whether what was said is thought over before it is asked for.
    pub thought: Thought,
}

/// Fills a memory and asks it. `done` is told of each answer.
pub async fn answers(
    conversation: &Conversation,
    way: &Way<'_>,
    done: &(impl Fn() + Sync),
) -> Result<Vec<Answered>> {
    let folder = tempfile::tempdir().map_err(|error| SoulError::Bug(error.to_string()))?;
    let last = conversation.rows.iter().filter_map(Row::at).max();
    let now = last
        .unwrap_or(NO_TIME)
        .saturating_add(SignedDuration::from_hours(1))
        .unwrap_or(Timestamp::MAX);
    let settings = SoulSettings {
        fusion: way.weights,
        forget: ForgetConfig {
            profile: Some(ProfileName::None),
            ..ForgetConfig::default()
        },
        ..SoulSettings::default()
    };
    let souls = Souls::find(world(now), folder.path(), settings)
        .map_err(|error| SoulError::Bug(error.to_string()))?;
    let souls = Arc::new(souls);
    let name: SoulName = "memory"
        .parse()
        .map_err(|_| SoulError::Bug("the memory's name".to_owned()))?;
    souls.create(NewSoul::named(name.clone()), None).await?;
    let soul = souls.open(&name).await?;
    let filled = fill(&soul, &conversation.rows, way.file).await?;
    if way.thought == Thought::Over {
        let ticket = soul.consolidate(WriteOrder::default()).await?;
        ticket.outcome().await.map_err(SoulError::Bug)?;
    }
    let mut answers = Vec::with_capacity(conversation.queries.len());
    for query in &conversation.queries {
        answers.push(ask(&soul, query, now, &filled, way.depth).await?);
        done();
    }
    drop(soul);
    souls.close().await;
    Ok(answers)
}

/// Fixed time and counted ids, so that the same files give the same answers.
fn world(now: Timestamp) -> World {
    World {
        outside: Outside {
            clock: Arc::new(FixedClock(now)),
            ids: Arc::new(SequentialIds::new()),
        },
        model: Arc::new(LexicalModel::new()),
        tokens: Arc::new(estimate_tokens),
        events: Arc::new(EventHub::default()),
        pool: Pool::new(2),
        jobs: Arc::new(Semaphore::new(1)),
        llm: Arc::new(Llm::none()),
        reimagine: None,
    }
}

/// What was written.
struct Filled {
    rows: HashMap<Uuid, String>,
    notes: HashMap<Uuid, MemoryNote>,
}

async fn fill(soul: &Soul, rows: &[Row], file: &str) -> Result<Filled> {
    let mut filled = HashMap::new();
    let said = said(rows);
    for batch in said.chunks(MAX_PUSH_MESSAGES) {
        let messages = batch.iter().map(|(_, message)| message.clone()).collect();
        let pushed = soul
            .push(
                PushRequest {
                    messages,
                    origin: None,
                },
                WriteOrder::default(),
            )
            .await?;
        let names = batch.iter().map(|(row, _)| row.clone());
        filled.extend(pushed.ids.into_iter().zip(names));
    }
    let mut notes = HashMap::new();
    let passages: Vec<&Row> = rows.iter().filter(|row| row.is_passage()).collect();
    for batch in passages.chunks(BATCH) {
        let drafts = batch.iter().flat_map(|row| {
            let document = Document {
                title: row.title.as_deref().unwrap_or_default(),
                text: &row.text,
                file,
                id: &row.id,
            };
            document.notes()
        });
        let written = soul.put_notes(drafts.collect(), WriteOrder::default());
        notes.extend(written.await?.into_iter().map(|note| (note.id.0, note)));
    }
    Ok(Filled {
        rows: filled,
        notes,
    })
}

/// The messages with the rows that they are of. Who speaks first is the one that the character talks with, the next is
/// the character.
fn said(rows: &[Row]) -> Vec<(String, PushMessage)> {
    let talks = rows.iter().any(|row| row.session != 0);
    let mut speakers: Vec<&str> = Vec::new();
    let mut said = Vec::new();
    for row in rows.iter().filter(|row| !row.is_passage()) {
        let place = speakers.iter().position(|name| *name == row.speaker);
        let place = place.unwrap_or_else(|| {
            speakers.push(&row.speaker);
            speakers.len() - 1
        });
        let mut push = |role, name: Option<&str>, text: &str| {
            if !text.is_empty() {
                let message = PushMessage {
                    role,
                    text: text.to_owned(),
                    name: name.map(str::to_owned),
                    at: row.at(),
                    tz: None,
                    session: talks.then(|| row.session.to_string()),
                    tag: None,
                    source: None,
                };
                said.push((row.id.clone(), message));
            }
        };
        let speaker = Some(&*row.speaker).filter(|name| !name.is_empty());
        match (&row.user, &row.reply) {
            (Some(user), Some(reply)) => {
                push(Role::User, speaker, user);
                push(Role::Assistant, None, reply);
            }
            _ if place == 1 => push(Role::Assistant, speaker, &row.text),
            _ => push(Role::User, speaker, &row.text),
        }
    }
    said
}

async fn ask(
    soul: &Soul,
    query: &Query,
    now: Timestamp,
    filled: &Filled,
    depth: Depth,
) -> Result<Answered> {
    let options = RetrieveOptions {
        limit: Some(match depth {
            Depth::Hits => HITS,
            Depth::Candidates => CANDIDATES,
        }),
        floor: Some(0.0),
        now: Some(now),
        record: Some(false),
        explain: Some(depth == Depth::Candidates),
        ..RetrieveOptions::default()
    };
    let request = RetrieveRequest {
        queries: Vec::new(),
        text: Some(query.text.clone()),
        options,
    };
    let response: RetrieveResponse = soul.retrieve(request).await?;
    let said = response.utterances.iter().map(|hit| hit.id);
    let rows = said.filter_map(|id| Some((id, filled.rows.get(&id)?.clone())));
    Ok(Answered {
        rows: rows.collect(),
        hits: ranked(&response, &filled.rows, &filled.notes),
        trace: response.trace,
    })
}
