//! `retrieve`: asks what comes to a character's mind.

use crate::server::dispatch::{Call, Outcome, done};

/// Answers with notes, messages and actions, the window and the summary.
pub async fn run(mut call: Call) -> Outcome {
    let request = call.payload()?;
    done(&call.soul().await?.retrieve(request).await?)
}
