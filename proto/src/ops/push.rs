//! `push`: gives the messages of a talk to a character. It writes.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Payload of a `push` request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PushRequest {
    /// The messages, oldest first.
    pub messages: Vec<PushMessage>,
    /// Where they waited to be sent, if they did: what came from there under this number or a higher one is not taken
    /// in again, ever.
    pub origin: Option<Origin>,
}

/// A place where pushes wait until they can be sent, and the number that one has there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The place, by a name that no other ever has: 1 to 64 characters.
    pub id: String,
    /// From 1, rising.
    pub seq: u64,
}

/// One message as a client gives it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PushMessage {
    /// Whose part it is.
    pub role: Role,
    /// What was said.
    pub text: String,
    /// Name of who said it.
    pub name: Option<String>,
    /// When; the time of the push if left out.
    pub at: Option<Timestamp>,
    /// IANA name of the time zone that it was said in, such as `Asia/Shanghai`.
    pub tz: Option<String>,
    /// Which talk it belongs to, by a name of the caller's choosing.
    pub session: Option<String>,
    /// Whether it carries the summary tag; by default every message that fills the window does.
    pub tag: Option<bool>,
    /// Where it came from, such as the name of an application or a file.
    pub source: Option<String>,
}

/// Whose part a message is in a talk, seen from the character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The one that the character talks with.
    User,
    /// The character.
    Assistant,
    /// The frame of the talk, such as a change of scene.
    System,
}

/// Payload of the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PushResponse {
    /// Ids of the messages, in the order of the request; none where its origin's number was seen before and its key is
    /// forgotten.
    pub ids: Vec<Uuid>,
    /// The window after the push.
    pub window: WindowFill,
    /// Whether the idempotency key or the origin's number was seen before: then nothing was written.
    pub duplicate: bool,
}

/// How full the sliding window is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowFill {
    /// Messages in it.
    pub len: u64,
    /// Messages that it can hold.
    pub capacity: u64,
}
