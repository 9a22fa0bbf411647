//! `note.get`: reads notes by id.

use soulmem_proto::ops::note_get::{NoteGetRequest, NoteGetResponse};

use crate::server::dispatch::{Call, Outcome, done};

/// Answers with the notes in the order of the request, as they were written and as they are remembered.
pub async fn run(mut call: Call) -> Outcome {
    let NoteGetRequest { ids } = call.payload()?;
    let soul = call.soul().await?;
    let notes = soul
        .get_notes(ids.into_iter().map(Into::into).collect())
        .await?;
    let remembered = soul.remembered(notes.clone()).await?;
    done(&NoteGetResponse { notes, remembered })
}
