//! `note.put`: creates or replaces notes.

use soulmem_engine::model::NoteDraft;
use soulmem_proto::ops::note_put::{NotePutRequest, NotePutResponse};

use crate::server::dispatch::{Call, Outcome, done};

/// Answers with the notes as they now are.
pub async fn run(mut call: Call) -> Outcome {
    let order = call.order().await?;
    let NotePutRequest::<NoteDraft> { notes } = call.payload()?;
    let notes = call.soul().await?.put_notes(notes, order).await?;
    done(&NotePutResponse { notes })
}
