//! Recall: what comes to a character's mind.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use jiff::Timestamp;
use soulmem_engine::graph::Scratch;
use soulmem_engine::index::DocKey;
use soulmem_engine::model::{ActionType, MemoryNote, MemoryType, MessageId, NoteId, Source};
use soulmem_engine::recall::merge::Stage;
use soulmem_engine::recall::query::SubQuery;
use soulmem_engine::recall::{
    Bodies, Memory, Question, RecallError, Recalled, RecalledNote, recall, told_time,
};
use soulmem_proto::ops::retrieve::{
    ActionChannel, ActionHit, DroppedQuery, NoteHit, RetrieveRequest, RetrieveResponse,
    Stage as WireStage, UtteranceHit,
};

use super::character::Soul;
use super::context::context;
use super::error::Result;
use super::memory::{RecallVectors, ResidentMemory, Searched, StoredBodies};
use super::messages::on_the_wire;
use super::recall_options::{Settings, refused};
use super::report::wire_kind;
use super::trace::trace;
use crate::store::{Message, Recalled as Recall, Store};

thread_local! {
    /// One walk's working memory for each thread of the pool: as large as the graph, and not to be made anew each time.
    static SCRATCH: RefCell<Scratch> = RefCell::new(Scratch::new());
}

/// What a recall came to, with what is shown beside it.
pub(super) struct Found {
    pub recalled: Recalled,
    pub utterances: Vec<(Message, f64)>,
    pub window: Vec<Message>,
    pub summary: String,
    pub pinned: Vec<Arc<MemoryNote>>,
}

impl Soul {
    /// What comes to mind for sub-queries, a line, or both. It is counted as recalled after this returns.
    pub async fn retrieve(&self, request: RetrieveRequest<SubQuery>) -> Result<RetrieveResponse> {
        let RetrieveRequest {
            queries,
            text,
            options,
        } = request;
        let settings = Settings::new(
            options,
            self.world().outside.clock.now(),
            self.memory().floor(),
        )?;
        let question = Question { queries, text };
        let (memory, store) = (Arc::clone(self.memory()), self.store().clone());
        let work = move || {
            let found = find(&memory, &store, &question, &settings)?;
            let answer = answer(&found, &settings);
            Ok::<_, super::SoulError>((found.recalled, answer, settings))
        };
        let (recalled, answer, settings) = self.world().pool.run(work).await?;
        if settings.record {
            self.count_as_recalled(&recalled, &answer, settings.now);
        }
        Ok(answer)
    }

    /// Marks what came up as recalled, after the answer: a recall does not wait for the disk.
    fn count_as_recalled(&self, recalled: &Recalled, answer: &RetrieveResponse, at: Timestamp) {
        let actions = recalled.actions.iter().map(|(note, _)| note.id);
        let notes: Vec<NoteId> = recalled
            .notes
            .iter()
            .map(|hit| hit.note.id)
            .chain(actions)
            .collect();
        let messages: Vec<MessageId> = answer
            .utterances
            .iter()
            .map(|hit| MessageId(hit.id))
            .collect();
        if notes.is_empty() && messages.is_empty() {
            return;
        }
        let memory = Arc::clone(self.memory());
        let recall = Recall {
            notes: notes.clone(),
            messages,
            at,
            mode: "retrieve".to_owned(),
        };
        let written = self.store().write(move |tx| tx.record_recall(&recall));
        tokio::spawn(async move {
            match written.await {
                Ok(_) => memory.forget_bodies(&notes),
                Err(error) => tracing::warn!(%error, "a recall could not be counted"),
            }
        });
    }
}

fn find(
    memory: &ResidentMemory,
    store: &Store,
    question: &Question,
    settings: &Settings,
) -> Result<Found> {
    let asked: Vec<&str> = question
        .queries
        .iter()
        .flat_map(SubQuery::texts)
        .chain(question.text.as_deref())
        .collect();
    let vectors = memory.query_vectors(&asked)?;
    let asked: HashMap<String, _> = asked.into_iter().map(str::to_owned).zip(vectors).collect();
    let searched = memory.searched();
    let view = Memory {
        indexes: &searched.indexes,
        bodies: &StoredBodies { memory, store },
        embedded: &RecallVectors { memory, asked },
        retention: &|_| 1.0,
        admits: &|key| settings.admits(&searched, key),
    };
    let mut recalled = SCRATCH
        .with_borrow_mut(|scratch| recall(&view, question, &settings.recall, scratch))
        .map_err(refused)?;
    let pinned = match settings.context {
        Some(_) => pinned(&searched, settings, view.bodies)?,
        None => Vec::new(),
    };
    drop(searched);
    let ids: Vec<MessageId> = recalled.utterances.iter().map(|hit| hit.id).collect();
    let (messages, window, summary) =
        store.read(|view| Ok((view.messages(&ids)?, view.window()?, view.summary()?)))?;
    let mut utterances = with_scores(messages, &recalled);
    settings.lean_towards_time(&mut recalled, &mut utterances);
    Ok(Found {
        recalled,
        utterances,
        window,
        summary: summary.map(|it| it.text).unwrap_or_default(),
        pinned,
    })
}

/// The notes that stand first in every context.
fn pinned(
    searched: &Searched,
    settings: &Settings,
    bodies: &dyn Bodies,
) -> Result<Vec<Arc<MemoryNote>>> {
    let ids: Vec<NoteId> = searched
        .pinned()
        .filter(|id| settings.admits(searched, DocKey::Note(*id)))
        .collect();
    let notes = bodies
        .notes(&ids)
        .map_err(|error| refused(RecallError::Source(error)))?;
    Ok(notes.into_iter().flatten().collect())
}

fn with_scores(messages: Vec<Message>, recalled: &Recalled) -> Vec<(Message, f64)> {
    let scores: HashMap<MessageId, f64> = recalled
        .utterances
        .iter()
        .map(|hit| (hit.id, hit.score))
        .collect();
    let with_score = messages.into_iter().map(|message| {
        let score = scores.get(&message.id).copied().unwrap_or_default();
        (message, score)
    });
    with_score.collect()
}

fn answer(found: &Found, settings: &Settings) -> RetrieveResponse {
    let recalled = &found.recalled;
    RetrieveResponse {
        notes: recalled.notes.iter().map(note_hit).collect(),
        utterances: found
            .utterances
            .iter()
            .map(|(message, score)| utterance_hit(message, *score))
            .collect(),
        actions: recalled
            .actions
            .iter()
            .filter_map(|(note, score)| action_hit(note, *score))
            .collect(),
        short_history: found.window.iter().cloned().map(on_the_wire).collect(),
        summary: found.summary.clone(),
        context: settings
            .context
            .map(|max_tokens| context(found, max_tokens)),
        trace: settings.explain.then(|| trace(recalled)),
        dropped: dropped(recalled),
        ..RetrieveResponse::default()
    }
}

fn dropped(recalled: &Recalled) -> Option<Vec<DroppedQuery>> {
    let dropped = recalled.dropped.iter();
    let told = dropped.map(|it| DroppedQuery {
        query: it.query as u64,
        best_score: it.best,
    });
    Some(told.collect()).filter(|told: &Vec<_>| !told.is_empty())
}

fn note_hit(hit: &RecalledNote) -> NoteHit {
    let note = &hit.note;
    NoteHit {
        id: note.id.0,
        score: hit.score,
        stage: match hit.stage {
            Stage::Similarity => WireStage::Similarity,
            Stage::Walk => WireStage::Walk,
            Stage::Both => WireStage::Both,
        },
        text: note.summary_text(),
        masked: false,
        degree: None,
        kind: wire_kind(note.kind()),
        at: Some(told_time(note)),
        sources: sources(note),
    }
}

/// The messages that a note rests on, each once.
fn sources(note: &MemoryNote) -> Vec<uuid::Uuid> {
    let mut seen = HashSet::new();
    let messages = note.source.iter().filter_map(|source| match source {
        Source::Message { id } => Some(id.0),
        _ => None,
    });
    messages.filter(|id| seen.insert(*id)).collect()
}

fn utterance_hit(message: &Message, score: f64) -> UtteranceHit {
    UtteranceHit {
        id: message.id.0,
        score,
        role: message.role,
        name: message.name.clone(),
        text: message.text.clone(),
        at: message.at,
        session: message.session.clone(),
    }
}

fn action_hit(note: &MemoryNote, score: f64) -> Option<ActionHit> {
    let MemoryType::Procedure(procedure) = &note.mem_type else {
        return None;
    };
    let channel = match procedure.action.action_type {
        ActionType::Speak => ActionChannel::Speak,
        ActionType::Skill { .. } => ActionChannel::Skill,
        ActionType::Think => ActionChannel::Think,
    };
    Some(ActionHit {
        id: note.id.0,
        score,
        channel,
        text: procedure.action.content.clone(),
    })
}
