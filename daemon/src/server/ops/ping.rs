//! `ping`: does the daemon answer?

use soulmem_proto::ops::ping::{PingRequest, PingResponse};

use crate::server::dispatch::{Call, Outcome, done};

/// Answers with how long the daemon has been up.
pub fn run(mut call: Call) -> Outcome {
    let PingRequest {} = call.payload()?;
    let uptime = call.server.started.elapsed();
    done(&PingResponse {
        uptime_ms: uptime.as_millis() as u64,
        state: call.server.souls.state(),
    })
}
