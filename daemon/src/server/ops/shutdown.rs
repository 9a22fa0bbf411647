//! `shutdown`: ends the daemon in good order.

use soulmem_proto::ops::shutdown::{ShutdownRequest, ShutdownResponse};

use crate::server::dispatch::{Call, Outcome, done};

/// Begins the drain. The answer is out before the connections close.
pub fn run(mut call: Call) -> Outcome {
    let ShutdownRequest {} = call.payload()?;
    tracing::info!("asked to shut down");
    call.server.shutdown.draining().cancel();
    done(&ShutdownResponse {})
}
