//! `checkpoint`: moves the write-ahead log into the database.

use soulmem_proto::ops::checkpoint::{CheckpointRequest, CheckpointResponse};

use crate::server::dispatch::{Call, Outcome, done};

/// Answers with how much was moved; a repeat with the same key moves nothing and gets the first answer.
pub async fn run(mut call: Call) -> Outcome {
    let order = call.order().await?;
    let CheckpointRequest {} = call.payload()?;
    let bytes = call.soul().await?.checkpoint_once(order).await?;
    done(&CheckpointResponse { bytes })
}
