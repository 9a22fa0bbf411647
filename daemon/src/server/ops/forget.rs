//! `forget`: goes through all notes as time has made them, says what that would come to, or takes notes back.

use soulmem_engine::model::NoteId;
use soulmem_proto::ErrorPayload;
use soulmem_proto::ops::forget::{ForgetRequest, ForgetResponse};

use crate::server::dispatch::{Call, Outcome, done};

/// Notes that a dry run tells of where the request does not say.
const USUAL: u32 = 100;
/// Most notes that one request tells of, or takes back.
const MOST: u32 = 1_000;

/// Answers with the report once all of it is on the disk.
pub async fn run(mut call: Call) -> Outcome {
    let order = call.order().await?;
    let ForgetRequest {
        now,
        dry_run,
        limit,
        restore,
    } = call.payload()?;
    let limit = limit.unwrap_or(USUAL);
    if !(1..=MOST).contains(&limit) {
        let reason = format!("is {limit}, must be from 1 to {MOST}");
        return Err(ErrorPayload::invalid_argument("limit", reason));
    }
    if restore.len() > MOST as usize {
        let reason = format!("has {} notes, at most {MOST} are taken", restore.len());
        return Err(ErrorPayload::invalid_argument("restore", reason));
    }
    if dry_run && !restore.is_empty() {
        let reason = "is for notes that are taken back, and a dry run writes nothing";
        return Err(ErrorPayload::invalid_argument("restore", reason));
    }
    let soul = call.soul().await?;
    let mut response = ForgetResponse::default();
    if dry_run {
        let (report, notes) = soul.preview_forgetting(now, limit as usize).await?;
        (response.report, response.notes) = (report, notes);
    } else if restore.is_empty() {
        response.report = soul.forget(now, order).await?;
    } else {
        let ids: Vec<NoteId> = restore.into_iter().map(NoteId).collect();
        let restored = soul.restore(ids, now, order).await?;
        response.restored = restored.into_iter().map(|id| id.0).collect();
    }
    done(&response)
}
