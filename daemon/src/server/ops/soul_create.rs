//! `soul.create`: makes a character.

use soulmem_proto::ErrorPayload;
use soulmem_proto::ops::soul_create::{SoulCreateRequest, SoulCreateResponse};

use crate::server::dispatch::{Call, Outcome, done};
use crate::store::NewSoul;

/// Answers once the new memory is on the disk.
pub async fn run(mut call: Call) -> Outcome {
    let soul = call.name()?;
    let order = call.order().await?;
    let SoulCreateRequest {
        display_name,
        locale,
        config,
        ownership,
    } = call.payload()?;
    let config = serde_json::to_value(&config)
        .map_err(|error| ErrorPayload::invalid_argument("config", error))?;
    let about = NewSoul {
        soul: soul.clone(),
        display_name,
        locale,
        config,
    };
    let ownership = ownership.unwrap_or_default();
    let souls = &call.server.souls;
    souls.create_as(about, ownership, order.key).await?;
    done(&SoulCreateResponse { soul })
}
