//! `checkpoint`: moves the write-ahead log into the database.

use soulmem_proto::ops::checkpoint::{CheckpointRequest, CheckpointResponse};

use crate::server::dispatch::{Call, Outcome, done};

/// Answers with how much was moved. An idempotency key has no effect: nothing that is remembered changes, so a
/// repeat does no harm.
pub async fn run(mut call: Call) -> Outcome {
    let CheckpointRequest {} = call.payload()?;
    let bytes = call.soul().await?.checkpoint().await?;
    done(&CheckpointResponse { bytes })
}
