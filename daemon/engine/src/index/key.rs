//! What an index entry stands for.

use crate::model::field::Field;
use crate::model::id::{MessageId, NoteId};

/// The text or vector of an index entry. The order decides between equal scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DocKey {
    /// A note as a whole: all its texts together.
    Note(NoteId),
    /// One text of a note: its field, and which of the texts of that field, from 0.
    NoteText(NoteId, Field, u16),
    /// A message of the log.
    Message(MessageId),
}

impl DocKey {
    /// The note this entry belongs to, if it is one's.
    pub fn note(self) -> Option<NoteId> {
        match self {
            Self::Note(id) | Self::NoteText(id, ..) => Some(id),
            Self::Message(_) => None,
        }
    }

    /// The message this entry belongs to, if it is one's.
    pub fn message(self) -> Option<MessageId> {
        match self {
            Self::Message(id) => Some(id),
            Self::Note(_) | Self::NoteText(..) => None,
        }
    }
}
