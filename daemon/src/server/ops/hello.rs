//! `hello`: opens a connection.

use soulmem_engine::model::MAX_LIST_LENGTH;
use soulmem_proto::ops::hello::{HelloRequest, HelloResponse, Peer};
use soulmem_proto::{ErrorCode, ErrorPayload, Limits, Op, PROTOCOL_VERSION, Request};

use crate::server::Server;
use crate::server::dispatch::{Call, Outcome, done};
use crate::soul::limits::{MAX_IDS, MAX_LINKS, MAX_NOTES, MAX_PUSH_MESSAGES, MAX_TEXT_BYTES};

/// A second greeting on a connection says the same as the first.
pub fn run(call: Call) -> Outcome {
    done(&answer(&call.server, call.request)?)
}

/// Checks the token and tells what there is to know about this daemon.
pub fn answer(server: &Server, request: Request) -> Result<HelloResponse, ErrorPayload> {
    let hello: HelloRequest = request.payload()?;
    if !server.token.matches(&hello.token.0) {
        let message =
            "the token is not this daemon's: read it from its endpoint file or ready line";
        return Err(ErrorPayload::new(ErrorCode::Unauthenticated, message));
    }
    tracing::debug!(
        client = hello.client.name,
        version = hello.client.version,
        "hello"
    );
    Ok(HelloResponse {
        server: Peer {
            name: "soulmem".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        },
        protocol: PROTOCOL_VERSION,
        ops: Op::ALL.iter().map(ToString::to_string).collect(),
        limits: limits(server),
        souls: server.souls.living_here(),
    })
}

fn limits(server: &Server) -> Limits {
    let settings = &server.settings;
    Limits {
        frame_bytes: settings.max_frame_bytes as u64,
        text_bytes: MAX_TEXT_BYTES as u64,
        push_messages: MAX_PUSH_MESSAGES as u64,
        put_notes: MAX_NOTES as u64,
        put_links: MAX_LINKS as u64,
        ids: MAX_IDS as u64,
        list_entries: MAX_LIST_LENGTH as u64,
        in_flight_bytes: settings.max_in_flight_bytes as u64,
        in_flight: settings.max_in_flight as u64,
        write_queue_bytes: settings.max_outgoing_bytes as u64,
        open_souls: server.souls.settings().max_open as u64,
    }
}
