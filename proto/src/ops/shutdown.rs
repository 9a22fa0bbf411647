//! `shutdown`: ends the daemon in good order. It needs no soul.

use serde::{Deserialize, Serialize};

/// Payload of a `shutdown` request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShutdownRequest {}

/// Payload of the answer, which is sent before the daemon drains.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShutdownResponse {}
