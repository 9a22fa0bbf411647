//! `note.supersede`: corrects a note by another.

use soulmem_engine::model::{NoteDraft, NoteId};
use soulmem_proto::ErrorPayload;
use soulmem_proto::ops::note_supersede::{NoteSupersedeRequest, NoteSupersedeResponse};

use crate::server::dispatch::{Call, Outcome, done};
use crate::soul::{Corrected, Correction};

/// Answers with both notes as they now are.
pub async fn run(mut call: Call) -> Outcome {
    let order = call.order().await?;
    let NoteSupersedeRequest::<NoteDraft> { old, new, note, at } = call.payload()?;
    let by = match (new, note) {
        (Some(id), None) => Correction::There(NoteId(id)),
        (None, Some(draft)) => Correction::Draft(Box::new(draft)),
        (Some(_), Some(_)) => {
            let reason = "is given beside note: one of them says what takes its place";
            return Err(ErrorPayload::invalid_argument("new", reason));
        }
        (None, None) => {
            let reason = "is missing, and so is note: one of them says what takes its place";
            return Err(ErrorPayload::invalid_argument("new", reason));
        }
    };
    let soul = call.soul().await?;
    let Corrected { old, new } = soul.supersede(NoteId(old), by, at, order).await?;
    done(&NoteSupersedeResponse { old, new })
}
