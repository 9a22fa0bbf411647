//! `subscribe`: asks for events about a character on this connection.

use serde::{Deserialize, Serialize};

use crate::EventName;

/// Payload of a `subscribe` request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubscribeRequest {
    /// The events to be told.
    pub events: Vec<EventName>,
}

/// Payload of the answer; `event` frames follow it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubscribeResponse {}
