//! `restore`: brings characters back from a backup.

use soulmem_proto::ops::restore::{RestoreRequest, RestoreResponse, RestoredSoul};

use super::erase::absolute;
use crate::server::dispatch::{Call, Outcome, done};
use crate::soul::RestorePlan;

/// Answers once all of them are there again. Nothing is touched before everything was checked.
pub async fn run(mut call: Call) -> Outcome {
    call.refuse_key()?;
    let RestoreRequest {
        folder,
        souls,
        replace,
        identity,
    } = call.payload()?;
    let identity = identity
        .map(|file| absolute("identity", file))
        .transpose()?;
    let plan = RestorePlan {
        folder: absolute("folder", folder)?,
        souls,
        replace,
        identity,
    };
    let restored = call.server.souls.restore(plan).await?;
    let souls = restored.into_iter().map(|soul| RestoredSoul {
        soul: soul.soul,
        notes: soul.notes,
        links: soul.links,
        messages: soul.messages,
        replaced: soul.replaced,
    });
    done(&RestoreResponse {
        souls: souls.collect(),
    })
}
