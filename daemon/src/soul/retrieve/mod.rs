//! Remembering: from a question to what comes to mind.

mod answer;
mod asked;
mod given;
mod helped;
mod read;
mod rendered;
mod trace;

use std::collections::HashMap;
use std::sync::Arc;

use soulmem_engine::forget::Retention;
use soulmem_engine::model::{MessageId, NoteId};
use soulmem_engine::recall::query::SubQuery;
use soulmem_proto::ops::retrieve::{RetrieveRequest, RetrieveResponse};

use self::asked::{Asked, Explain, Record, WaitRevision};
use self::helped::Helped;
use self::read::Read;
use self::trace::Trace;
use super::character::Soul;
use super::error::{Result, SoulError};
use super::forgetting::telling::{Cut, Told, tell};
use super::messages::on_the_wire;
use super::mind::{Mind, Remembered};
use crate::store::{Message, Recalled, Store, View};

/// The way of remembering, as records name it.
const MODE: &str = "retrieve";

impl Soul {
    /// What comes to mind. It counts as remembering, unless the options say otherwise, a little after the answer.
    pub async fn retrieve(&self, request: RetrieveRequest<SubQuery>) -> Result<RetrieveResponse> {
        let mind = Arc::clone(self.mind());
        let mut asked = Asked::new(
            request,
            self.world().outside.clock.now(),
            mind.model().floor().into(),
            &self.settings().fusion,
        )?;
        self.help(&mut asked).await?;
        let asked = Arc::new(asked);
        let (record, at) = (asked.record, asked.admission.now);
        let mut answer = self.answer(Arc::clone(&asked)).await?;
        let due = std::mem::take(&mut answer.due);
        match (&self.reteller, asked.wait_revision) {
            (Some(reteller), WaitRevision::Yes) if !due.is_empty() => {
                reteller.retell(due, at).await;
                answer = self.answer(asked).await?;
            }
            (Some(reteller), WaitRevision::No) if record == Record::Yes && !due.is_empty() => {
                let reteller = Arc::clone(reteller);
                tokio::spawn(async move { reteller.retell(due, at).await });
            }
            _ => {}
        }
        let Answer { response, cuts, .. } = answer;
        if record == Record::Yes {
            // Who asks what will come to mind has not remembered it then yet: what was rehearsed in the future never fades.
            self.record(&response, cuts, at.min(self.world().outside.clock.now()));
        }
        Ok(response)
    }

    async fn answer(&self, asked: Arc<Asked>) -> Result<Answer> {
        let (mind, store) = (Arc::clone(self.mind()), self.store().clone());
        let tokens = Arc::clone(&self.world().tokens);
        self.world()
            .pool
            .run(move || answer(&mind, &store, &*tokens, &asked))
            .await
    }

    /// Keeps which notes and messages came up together, and how they were cut to be told, without anybody waiting for it. From
    /// then on they fade as rehearsed.
    fn record(&self, answer: &RetrieveResponse, cuts: Vec<Cut>, at: jiff::Timestamp) {
        let notes: Vec<NoteId> = answer.notes.iter().map(|hit| NoteId(hit.id)).collect();
        let messages: Vec<MessageId> = answer
            .utterances
            .iter()
            .map(|hit| MessageId(hit.id))
            .collect();
        if notes.is_empty() && messages.is_empty() {
            return;
        }
        let recalled = Recalled {
            notes: notes.clone(),
            messages: messages.clone(),
            at,
            mode: MODE.to_owned(),
        };
        let pending = self.store().write(move |tx| {
            for cut in &cuts {
                tx.keep_borders(cut.note, cut.revision, cut.field, &cut.borders)?;
            }
            tx.record_recall(&recalled)
        });
        let (mind, pool) = (Arc::clone(self.mind()), self.world().pool.clone());
        let name = self.name().clone();
        tokio::spawn(async move {
            let rehearsed = match pending.await {
                Ok(_) => pool.run(move || mind.rehearse(&notes, &messages)).await,
                Err(error) => Err(error.into()),
            };
            if let Err(error) = rehearsed {
                tracing::warn!(soul = %name, %error, "a recall could not be recorded");
            }
        });
    }
}

/// An answer, and what is to be kept of having given it.
struct Answer {
    response: RetrieveResponse,
    cuts: Vec<Cut>,
    /// Notes that should be told anew by somebody who can.
    due: Vec<NoteId>,
}

/// Recalls and puts the answer together. Blocks.
fn answer(
    mind: &Mind,
    store: &Store,
    tokens: &dyn Fn(&str) -> usize,
    asked: &Asked,
) -> Result<Answer> {
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
    let told = store.read(|view| tell_all(view, mind, &mut remembered.recalled))?;
    let recalled = &remembered.recalled;
    if asked.record == Record::Yes {
        mind.trails().keep(&recalled.notes);
    }
    let hits = recalled.notes.iter().zip(&told);
    let mut response = RetrieveResponse {
        notes: hits
            .map(|(hit, told)| answer::note_hit(hit, told))
            .collect(),
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
        dropped: answer::dropped(recalled).filter(|_| asked.helped == Helped::Alone),
        intent: recalled.understood.as_ref().map(answer::intent),
        ..RetrieveResponse::default()
    };
    response.context = asked
        .context
        .map(|most| rendered::rendered(&remembered, &response, most, tokens));
    finish(&mut response, &remembered, &said, asked)?;
    response.degraded = damage.or(response.degraded);
    Ok(Answer {
        response,
        cuts: told.iter().flat_map(Told::cuts).collect(),
        due: told
            .iter()
            .filter(|told| told.aftermath.reimagining_due)
            .map(|told| told.note.id)
            .collect(),
    })
}

/// Tells every note that came up as far as it is remembered. From here on the hits hold the notes as they are told.
fn tell_all(
    view: &View,
    mind: &Mind,
    recalled: &mut soulmem_engine::recall::Recalled,
) -> crate::store::Result<Vec<Told>> {
    let mut all = Vec::with_capacity(recalled.notes.len());
    for hit in &mut recalled.notes {
        let left = Retention::of_share(hit.why.retention);
        let told = tell(view, &mind.curves().notes, &hit.note, left)?;
        hit.note = Arc::clone(&told.note);
        all.push(told);
    }
    Ok(all)
}

/// What the options ask for beside the hits, and what has to be said about how they were found.
fn finish(
    response: &mut RetrieveResponse,
    remembered: &Remembered,
    said: &HashMap<MessageId, Message>,
    asked: &Asked,
) -> Result<()> {
    if asked.explain == Explain::Yes {
        let recalled = &remembered.recalled;
        let added = asked
            .helped
            .traced(&asked.question.queries, &recalled.dropped);
        let trace = soulmem_proto::to_value(&Trace::of(recalled, said, added));
        response.trace = Some(trace.map_err(|error| SoulError::Bug(error.to_string()))?);
    }
    let words_alone = remembered
        .failure
        .as_ref()
        .map(|failure| format!("the embedding model failed, words alone were searched: {failure}"));
    let unhelped = match &asked.helped {
        Helped::Failed(reason) => Some(format!("the line was understood by rules alone: {reason}")),
        Helped::Alone | Helped::ByModel => None,
    };
    response.degraded = words_alone.or(unhelped);
    Ok(())
}
