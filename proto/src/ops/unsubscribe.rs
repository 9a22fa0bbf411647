//! `unsubscribe`: ends what `subscribe` began.

use serde::{Deserialize, Serialize};

use crate::EventName;

/// Payload of an `unsubscribe` request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnsubscribeRequest {
    /// The events not to be told any more.
    pub events: Vec<EventName>,
}

/// Payload of the answer. Events that were on their way may still come.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnsubscribeResponse {}
