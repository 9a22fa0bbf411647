//! `note.list`: reads all notes, page by page.

use soulmem_proto::ops::note_list::{NoteFilter, NoteListRequest, NoteListResponse};

use crate::server::dispatch::{Call, Outcome, done};
use crate::soul::Span;
use crate::soul::report::model_kind;
use crate::store;

/// Answers with one page and the cursor of the next.
pub async fn run(mut call: Call) -> Outcome {
    let NoteListRequest {
        filter,
        cursor,
        limit,
    } = call.payload()?;
    let NoteFilter { kind, tag } = filter;
    let filter = store::NoteFilter {
        kind: kind.map(model_kind),
        tag,
        ..store::NoteFilter::default()
    };
    let span = Span::new(cursor.as_deref(), limit)?;
    let (notes, cursor) = call.soul().await?.list_notes(filter, span).await?;
    done(&NoteListResponse { notes, cursor })
}
