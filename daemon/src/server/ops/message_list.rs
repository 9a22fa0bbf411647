//! `message.list`: reads the message log.

use crate::server::dispatch::{Call, Outcome, done};

/// Answers with one page and the cursor of the next.
pub async fn run(mut call: Call) -> Outcome {
    let request = call.payload()?;
    done(&call.soul().await?.list_messages(request).await?)
}
