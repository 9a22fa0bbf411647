//! `ping`: does the daemon answer? It needs no soul.

use serde::{Deserialize, Serialize};

use super::health::State;

/// Payload of a `ping` request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PingRequest {}

/// Payload of the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PingResponse {
    /// Time since the daemon started, in milliseconds.
    pub uptime_ms: u64,
    /// `Working` while any character is, else `Idle`.
    pub state: State,
}
