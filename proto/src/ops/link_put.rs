//! `link.put`: creates links, or replaces those whose id exists. It writes.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::Value;

/// Payload of a `link.put` request. `L` is a link as the engine reads it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinkPutRequest<L = Value> {
    /// The links to write: all of them or none.
    pub links: Vec<L>,
}

/// Payload of the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkPutResponse {
    /// Ids of the links, in the order of the request.
    pub ids: Vec<Uuid>,
}
