//! `soul.drop`: puts a character into the trash.

use soulmem_proto::ErrorPayload;
use soulmem_proto::ops::soul_drop::{SoulDropRequest, SoulDropResponse};

use crate::server::dispatch::{Call, Outcome, done};
use crate::store::TRASH_KEPT;

/// Answers once its files are where nothing opens them any more.
pub async fn run(mut call: Call) -> Outcome {
    let name = call.name()?;
    let order = call.order().await?;
    let SoulDropRequest { confirm } = call.payload()?;
    confirmed(&confirm, &name)?;
    let dropped = call.server.souls.drop_soul(&name, order).await?;
    done(&SoulDropResponse {
        folder: dropped.folder.display().to_string(),
        kept_until: dropped
            .at
            .checked_add(TRASH_KEPT)
            .unwrap_or(jiff::Timestamp::MAX),
    })
}

/// Refuses a request whose two names of a character differ.
pub fn confirmed(
    confirm: &soulmem_proto::SoulName,
    name: &soulmem_proto::SoulName,
) -> Result<(), ErrorPayload> {
    if confirm == name {
        return Ok(());
    }
    let reason = format!("is `{confirm}`, but the request is about `{name}`");
    Err(ErrorPayload::invalid_argument("confirm", reason))
}
