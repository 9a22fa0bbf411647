//! `note.get`: reads notes by id.

use soulmem_proto::ops::note_get::{NoteGetRequest, NoteGetResponse};

use crate::server::dispatch::{Call, Outcome, done};

/// Answers with the notes in the order of the request.
pub async fn run(mut call: Call) -> Outcome {
    let NoteGetRequest { ids } = call.payload()?;
    let notes = call
        .soul()
        .await?
        .get_notes(ids.into_iter().map(Into::into).collect())
        .await?;
    done(&NoteGetResponse { notes })
}
