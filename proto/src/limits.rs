use serde::{Deserialize, Serialize};

/// The sizes that a daemon keeps to, told to each client in the answer to `hello`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// Largest frame, in bytes of MessagePack without the length prefix.
    pub frame_bytes: u64,
    /// Largest text of one message or note field, in bytes of UTF-8.
    pub text_bytes: u64,
    /// Most messages in one `push`.
    pub push_messages: u64,
    /// Most notes in one request that writes notes.
    pub put_notes: u64,
    /// Most links in one request, those of its notes among them.
    pub put_links: u64,
    /// Most ids in one request.
    pub ids: u64,
    /// Most entries in each list of a note that it is searched by, such as aliases and tags.
    pub list_entries: u64,
    /// Most bytes that the requests of one connection may take in memory before they are answered.
    pub in_flight_bytes: u64,
    /// Most requests that one connection may have unanswered.
    pub in_flight: u64,
    /// Most bytes that may wait to be written to one connection before events are dropped.
    pub write_queue_bytes: u64,
    /// Most characters open at once; the longest unused is closed and reopened on need.
    pub open_souls: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            frame_bytes: 16 * 1024 * 1024,
            text_bytes: 1024 * 1024,
            push_messages: 1_000,
            put_notes: 1_000,
            put_links: 10_000,
            ids: 10_000,
            list_entries: 1_000,
            in_flight_bytes: 256 * 1024 * 1024,
            in_flight: 256,
            write_queue_bytes: 32 * 1024 * 1024,
            open_souls: 64,
        }
    }
}
