//! `stats`: counts what a character has.

use soulmem_proto::ops::stats::StatsRequest;

use crate::server::dispatch::{Call, Outcome, done};

/// Answers without counting as talk.
pub async fn run(mut call: Call) -> Outcome {
    let StatsRequest {} = call.payload()?;
    done(&call.soul_undisturbed().await?.stats().await?)
}
