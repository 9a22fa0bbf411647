//! `subscribe`: asks for events about a character on this connection.

use std::sync::Arc;

use soulmem_proto::ops::subscribe::{SubscribeRequest, SubscribeResponse};

use crate::server::dispatch::{Call, Outcome, done};

/// Events follow the answer, or come just before it.
pub fn run(mut call: Call) -> Outcome {
    let soul = call.name()?;
    let SubscribeRequest { events } = call.payload()?;
    call.server.souls.must_exist(&soul)?;
    let subscriber = Arc::new(call.session.outgoing().clone());
    call.server
        .souls
        .world()
        .events
        .subscribe(call.session.id(), subscriber, soul, events);
    done(&SubscribeResponse {})
}
