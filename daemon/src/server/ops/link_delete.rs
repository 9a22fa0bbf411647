//! `link.delete`: takes links away.

use soulmem_engine::model::LinkId;
use soulmem_proto::ops::link_delete::{LinkDeleteRequest, LinkDeleteResponse};

use crate::server::dispatch::{Call, Outcome, done};

/// Answers with the ids of those that were there.
pub async fn run(mut call: Call) -> Outcome {
    let order = call.order().await?;
    let LinkDeleteRequest { ids } = call.payload()?;
    let ids = ids.into_iter().map(LinkId).collect();
    let deleted = call.soul().await?.delete_links(ids, order).await?;
    done(&LinkDeleteResponse {
        ids: deleted.into_iter().map(|id| id.0).collect(),
    })
}
