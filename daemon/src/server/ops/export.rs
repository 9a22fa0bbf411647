//! `export`: writes a character as a file.

use soulmem_proto::ops::export::{ExportRequest, ExportResponse};
use soulmem_proto::ops::import::ImportFormat;

use crate::server::dispatch::{Call, Outcome, done};
use crate::soul::Answers;

/// Answers with one piece and the cursor of the next.
pub async fn run(mut call: Call) -> Outcome {
    let ExportRequest {
        format,
        cursor,
        answers,
    } = call.payload()?;
    let format = format.unwrap_or(ImportFormat::Archive);
    let answers = if answers {
        Answers::Included
    } else {
        Answers::LeftOut
    };
    let soul = call.soul_undisturbed().await?;
    let (bytes, cursor) = soul.export(format, cursor.as_deref(), answers).await?;
    done(&ExportResponse {
        bytes,
        done: cursor.is_none(),
        cursor,
    })
}
