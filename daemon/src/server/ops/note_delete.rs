//! `note.delete`: hides notes.

use soulmem_engine::model::NoteId;
use soulmem_proto::ops::note_delete::{NoteDeleteRequest, NoteDeleteResponse};

use crate::server::dispatch::{Call, Outcome, done};

/// Answers with the ids of those that were there.
pub async fn run(mut call: Call) -> Outcome {
    let order = call.order().await?;
    let NoteDeleteRequest { ids } = call.payload()?;
    let ids = ids.into_iter().map(NoteId).collect();
    let deleted = call.soul().await?.delete_notes(ids, order).await?;
    done(&NoteDeleteResponse {
        ids: deleted.into_iter().map(|id| id.0).collect(),
    })
}
