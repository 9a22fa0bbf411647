//! `link.put`: creates or replaces links.

use soulmem_engine::model::LinkDraft;
use soulmem_proto::ops::link_put::{LinkPutRequest, LinkPutResponse};

use crate::server::dispatch::{Call, Outcome, done};

/// Answers with the ids of the links.
pub async fn run(mut call: Call) -> Outcome {
    let order = call.order().await?;
    let LinkPutRequest::<LinkDraft> { links } = call.payload()?;
    let ids = call.soul().await?.put_links(links, order).await?;
    done(&LinkPutResponse {
        ids: ids.into_iter().map(|id| id.0).collect(),
    })
}
