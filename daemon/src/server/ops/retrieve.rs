//! `retrieve`: what comes to a character's mind.

use soulmem_engine::recall::query::SubQuery;
use soulmem_proto::ops::retrieve::RetrieveRequest;

use crate::server::dispatch::{Call, Outcome, done};

/// Answers with the notes, utterances and actions that come up.
pub async fn run(mut call: Call) -> Outcome {
    let request: RetrieveRequest<SubQuery> = call.payload()?;
    done(&call.soul().await?.retrieve(request).await?)
}
