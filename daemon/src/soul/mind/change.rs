//! What changed of a character, on its way into the indexes.

use jiff::Timestamp;
use soulmem_engine::model::{LinkId, MemoryLink, MessageId, NoteId};
use soulmem_engine::recall::TextVector;

use crate::store::{Message, StoredNote, Uses};

/// Something that changed, ready to be put in: nothing more is read or embedded for it.
#[derive(Debug)]
pub enum Change {
    /// A note is new or not what it was.
    Note(Box<StoredNote>, Vec<TextVector>),
    /// What a note says is as it was, but something else about it is not.
    NoteFacts(Box<StoredNote>),
    /// A note is no more.
    NoteGone(NoteId),
    /// A link is new or not what it was.
    Link(MemoryLink),
    /// A link is no more.
    LinkGone(LinkId),
    /// A message is new. Without a vector it is found by its words alone.
    Message(Box<Heard>, Option<Vec<f32>>),
    /// How often a message was recalled that came from elsewhere.
    MessageRecalled(MessageId, Uses),
    /// A message is no more.
    MessageGone(MessageId),
    /// What the character itself is called.
    Called(Vec<String>),
}

/// A message, and when it was taken in.
#[derive(Debug)]
pub struct Heard {
    /// The message.
    pub message: Message,
    /// When it was taken in, which may be long after it was said.
    pub taken_in_at: Timestamp,
}
