//! `link.delete`: takes links away. It writes.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Payload of a `link.delete` request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkDeleteRequest {
    /// The links to take away.
    pub ids: Vec<Uuid>,
}

/// Payload of the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkDeleteResponse {
    /// Those that were there, in the order of the request.
    pub ids: Vec<Uuid>,
}
