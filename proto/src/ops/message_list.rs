//! `message.list`: reads the message log.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::push::Role;

/// Payload of a `message.list` request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageListRequest {
    /// Only messages said at this time or later.
    pub from: Option<Timestamp>,
    /// Only messages said before this time.
    pub to: Option<Timestamp>,
    /// Only messages of this talk.
    pub session: Option<String>,
    /// Where the page before ended: its `cursor`.
    pub cursor: Option<String>,
    /// Most messages to answer with.
    pub limit: Option<u32>,
}

/// Payload of the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageListResponse {
    /// The messages, oldest first.
    pub messages: Vec<Message>,
    /// Where to go on; absent on the last page.
    pub cursor: Option<String>,
}

/// One message of the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Its id.
    pub id: Uuid,
    /// Whose part it is.
    pub role: Role,
    /// Name of who said it.
    pub name: Option<String>,
    /// What was said.
    pub text: String,
    /// When.
    pub at: Timestamp,
    /// Which talk it belongs to.
    pub session: Option<String>,
}
