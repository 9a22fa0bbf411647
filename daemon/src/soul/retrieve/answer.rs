//! What came to mind, in the wire's terms.

use std::collections::HashMap;

use soulmem_engine::index::Interval;
use soulmem_engine::model::{ActionType, MemoryNote, MemoryType, MessageId, Source};
use soulmem_engine::recall::merge::Stage as EngineStage;
use soulmem_engine::recall::plain::PlainScore;
use soulmem_engine::recall::{Recalled, RecalledNote, told_time};
use soulmem_engine::text::{Intent as EngineIntent, Understanding};
use soulmem_proto::ops::retrieve::{
    ActionChannel, ActionHit, DroppedQuery, Intent, NoteHit, Stage, UtteranceHit,
};

use crate::soul::forgetting::telling::Told;
use crate::soul::mind::told;
use crate::soul::report::wire_kind;
use crate::store::Message;

/// What is left of the score of something outside of the time that a question is about.
const OUTSIDE: f64 = 0.8;

/// Ranks what lies outside of `around` lower, then keeps the best `limit` notes and as many messages.
pub fn weigh(
    recalled: &mut Recalled,
    said: &HashMap<MessageId, Message>,
    around: Option<Interval>,
    limit: usize,
) {
    if let Some(around) = around {
        for hit in &mut recalled.notes {
            hit.score *= share(around, told(&hit.note));
        }
        for hit in &mut recalled.utterances {
            if let Some(message) = said.get(&hit.id) {
                hit.score *= share(around, Interval::instant(message.at));
            }
        }
        recalled
            .notes
            .sort_by(|a, b| b.score.total_cmp(&a.score).then(a.note.id.cmp(&b.note.id)));
        recalled
            .utterances
            .sort_by(|a, b| b.score.total_cmp(&a.score).then(a.id.cmp(&b.id)));
    }
    recalled.notes.truncate(limit);
    recalled.utterances.truncate(limit);
}

fn share(around: Interval, when: Interval) -> f64 {
    if around.overlaps(when) { 1.0 } else { OUTSIDE }
}

/// What the line was taken to want.
pub fn intent(understood: &Understanding) -> Intent {
    match understood.intent() {
        EngineIntent::Preference => Intent::Preference,
        EngineIntent::Knowledge => Intent::Knowledge,
        EngineIntent::Experience => Intent::Experience,
        EngineIntent::Code => Intent::Code,
        EngineIntent::General => Intent::General,
    }
}

/// A note that came up.
pub fn note_hit(hit: &RecalledNote, told: &Told) -> NoteHit {
    let message = |source: &Source| match source {
        Source::Message { id } => Some(id.0),
        _ => None,
    };
    NoteHit {
        id: hit.note.id.0,
        score: hit.score,
        stage: match hit.stage {
            EngineStage::Similarity => Stage::Similarity,
            EngineStage::Walk => Stage::Walk,
            EngineStage::Both => Stage::Both,
        },
        text: hit.note.summary_text(),
        masked: told.masked,
        degree: told.degree,
        kind: wire_kind(hit.note.kind()),
        at: Some(told_time(&hit.note)),
        sources: hit.note.source.iter().filter_map(message).collect(),
    }
}

/// A message that came up, unless it is gone meanwhile.
pub fn utterance_hit(
    hit: &PlainScore<MessageId>,
    said: &HashMap<MessageId, Message>,
) -> Option<UtteranceHit> {
    let Message {
        id,
        role,
        name,
        text,
        at,
        session,
        ..
    } = said.get(&hit.id)?.clone();
    Some(UtteranceHit {
        id: id.0,
        score: hit.score,
        role,
        name,
        text,
        at,
        session,
    })
}

/// A way of acting that came up. A note of another kind is none.
pub fn action_hit(note: &MemoryNote, score: f64) -> Option<ActionHit> {
    let MemoryType::Procedure(procedure) = &note.mem_type else {
        return None;
    };
    let channel = match procedure.action.action_type {
        ActionType::Speak => ActionChannel::Speak,
        ActionType::Skill {} => ActionChannel::Skill,
        ActionType::Think => ActionChannel::Think,
    };
    Some(ActionHit {
        id: note.id.0,
        score,
        channel,
        text: procedure.action.content.clone(),
    })
}

/// The sub-queries that found nothing good enough; none is said where there are none.
pub fn dropped(recalled: &Recalled) -> Option<Vec<DroppedQuery>> {
    let dropped = recalled.dropped.iter();
    let dropped: Vec<_> = dropped
        .map(|query| DroppedQuery {
            query: query.query as u64,
            best_score: query.best,
        })
        .collect();
    (!dropped.is_empty()).then_some(dropped)
}
