//! `soul.list`: the characters that live here.

use soulmem_proto::ops::soul_list::{SoulListRequest, SoulListResponse};

use crate::server::dispatch::{Call, Outcome, done};

/// Answers with every character, by name.
pub async fn run(mut call: Call) -> Outcome {
    let SoulListRequest {} = call.payload()?;
    done(&SoulListResponse {
        souls: call.server.souls.list().await,
    })
}
