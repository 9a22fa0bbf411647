//! Remembering: from a question to what comes to mind.

mod answer;
mod asked;
mod given;
mod read;
mod rendered;
mod trace;

use std::collections::HashMap;
use std::sync::Arc;

use soulmem_engine::model::{MessageId, NoteId};
use soulmem_engine::recall::query::SubQuery;
use soulmem_proto::ops::retrieve::{RetrieveRequest, RetrieveResponse};

use self::asked::{Asked, Explain, Record};
use self::read::Read;
use self::trace::Trace;
use super::character::Soul;
use super::error::{Result, SoulError};
use super::messages::on_the_wire;
use super::mind::{Mind, Remembered};
use crate::store::{Message, Recalled, Store};

/// The way of remembering, as records name it.
const MODE: &str = "retrieve";

impl Soul {
    /// What comes to mind. It counts as remembering, unless the options say otherwise, a little after the answer.
    pub async fn retrieve(&self, request: RetrieveRequest<SubQuery>) -> Result<RetrieveResponse> {
        let mind = Arc::clone(self.mind());
        let asked = Asked::new(
            request,
            self.world().outside.clock.now(),
            mind.model().floor().into(),
        )?;
        let (record, at) = (asked.record, asked.admission.now);
        let (store, tokens) = (self.store().clone(), Arc::clone(&self.world().tokens));
        let answer = self
            .world()
            .pool
            .run(move || answer(&mind, &store, &*tokens, &asked))
            .await?;
        if record == Record::Yes {
            self.record(&answer, at);
        }
        Ok(answer)
    }

    /// Keeps which notes and messages came up together, without anybody waiting for it.
    fn record(&self, answer: &RetrieveResponse, at: jiff::Timestamp) {
        let notes: Vec<NoteId> = answer.notes.iter().map(|hit| NoteId(hit.id)).collect();
        let messages: Vec<MessageId> = answer
            .utterances
            .iter()
            .map(|hit| MessageId(hit.id))
            .collect();
        if notes.is_empty() && messages.is_empty() {
            return;
        }
        let changed = notes.clone();
        let recalled = Recalled {
            notes,
            messages,
            at,
            mode: MODE.to_owned(),
        };
        let pending = self.store().write(move |tx| tx.record_recall(&recalled));
        let (mind, name) = (Arc::clone(self.mind()), self.name().clone());
        tokio::spawn(async move {
            match pending.await {
                Ok(_) => mind.forget_bodies(&changed),
                Err(error) => {
                    tracing::warn!(soul = %name, %error, "a recall could not be recorded");
                }
            }
        });
    }
}

/// Recalls and puts the answer together. Blocks.
fn answer(
    mind: &Mind,
    store: &Store,
    tokens: &dyn Fn(&str) -> usize,
    asked: &Asked,
) -> Result<RetrieveResponse> {
    let mut remembered = mind.recall(&asked.question, &asked.options, &asked.admission)?;
    let utterances = remembered.recalled.utterances.iter();
    let mut ids: Vec<MessageId> = utterances.map(|hit| hit.id).collect();
    if asked.explain == Explain::Yes {
        ids.extend(trace::source_messages(&remembered.recalled));
    }
    let Read {
        said,
        window,
        summary,
        damage,
    } = store.read(|view| Read::of(view, &ids))?;
    answer::weigh(&mut remembered.recalled, &said, asked.around, asked.limit);
    let recalled = &remembered.recalled;
    if asked.record == Record::Yes {
        mind.trails().keep(&recalled.notes);
    }
    let mut response = RetrieveResponse {
        notes: recalled.notes.iter().map(answer::note_hit).collect(),
        utterances: recalled
            .utterances
            .iter()
            .filter_map(|hit| answer::utterance_hit(hit, &said))
            .collect(),
        actions: recalled
            .actions
            .iter()
            .filter_map(|action| answer::action_hit(&action.note, action.score))
            .collect(),
        short_history: window.into_iter().map(on_the_wire).collect(),
        summary,
        dropped: answer::dropped(recalled),
        ..RetrieveResponse::default()
    };
    response.context = asked
        .context
        .map(|most| rendered::rendered(&remembered, &response, most, tokens));
    finish(&mut response, &remembered, &said, asked)?;
    response.degraded = damage.or(response.degraded);
    Ok(response)
}

/// What the options ask for beside the hits, and what has to be said about how they were found.
fn finish(
    response: &mut RetrieveResponse,
    remembered: &Remembered,
    said: &HashMap<MessageId, Message>,
    asked: &Asked,
) -> Result<()> {
    if asked.explain == Explain::Yes {
        let trace = soulmem_proto::to_value(&Trace::of(&remembered.recalled, said));
        response.trace = Some(trace.map_err(|error| SoulError::Bug(error.to_string()))?);
    }
    response.degraded = remembered
        .failure
        .as_ref()
        .map(|failure| format!("the embedding model failed, words alone were searched: {failure}"));
    Ok(())
}
