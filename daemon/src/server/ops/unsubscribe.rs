//! `unsubscribe`: ends what `subscribe` began.

use soulmem_proto::ops::unsubscribe::{UnsubscribeRequest, UnsubscribeResponse};

use crate::server::dispatch::{Call, Outcome, done};

/// Events that are on their way may still come.
pub fn run(mut call: Call) -> Outcome {
    let soul = call.name()?;
    let UnsubscribeRequest { events } = call.payload()?;
    call.server.souls.must_exist(&soul)?;
    call.server
        .souls
        .world()
        .events
        .unsubscribe(call.session.id(), &soul, &events);
    done(&UnsubscribeResponse {})
}
