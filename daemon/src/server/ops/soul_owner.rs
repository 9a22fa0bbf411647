//! `soul.owner`: whether this copy of a character is the one that is written to.

use soulmem_proto::ops::soul_owner::{SoulOwnerRequest, SoulOwnerResponse};

use crate::server::dispatch::{Call, Outcome, done};

/// Answers once what is set is on the disk.
pub async fn run(mut call: Call) -> Outcome {
    let name = call.name()?;
    let soul = call.soul_undisturbed().await?;
    let SoulOwnerRequest { set, marks } = call.payload()?;
    let ownerships = call.server.souls.ownerships();
    // The marks first: what is sent again once the copy is written to must meet them.
    soul.raise_marks(marks).await?;
    if let Some(ownership) = set {
        ownerships.set(&name, ownership).await?;
        soul.finish_writing().await;
    }
    done(&SoulOwnerResponse {
        ownership: ownerships.of(&name),
        position: soul.position().await?,
        marks: soul.marks().await?,
    })
}
