//! `consolidate`: makes memories of what was said and not yet thought over.

use soulmem_proto::ops::consolidate::{ConsolidateRequest, ConsolidateResponse};
use soulmem_proto::{ErrorCode, ErrorPayload};

use crate::server::dispatch::{Call, Outcome, done};

/// Answers at once with the job, or with its report once it is done.
pub async fn run(mut call: Call) -> Outcome {
    let order = call.order().await?;
    let ConsolidateRequest { wait } = call.payload()?;
    let ticket = call.soul().await?.consolidate(order).await?;
    let job = ticket.id;
    let report = if wait {
        let failed = |reason| ErrorPayload::new(ErrorCode::Unavailable, reason);
        Some(ticket.outcome().await.map_err(failed)?)
    } else {
        None
    };
    done(&ConsolidateResponse { job, report })
}
