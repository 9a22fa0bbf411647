//! `push`: gives messages to a character.

use crate::server::dispatch::{Call, Outcome, done};

/// Answers once the messages are on the disk and can be recalled.
pub async fn run(mut call: Call) -> Outcome {
    let order = call.order().await?;
    let request = call.payload()?;
    done(&call.soul().await?.push(request, order).await?)
}
