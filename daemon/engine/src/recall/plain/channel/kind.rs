//! What a candidate is.

/// What a candidate is: what speaks for it differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Something said in a talk.
    Turn,
    /// Something said outside of talks: each stands for itself.
    Said,
    /// A note of something known.
    Known,
    /// Any other note: something lived, a pattern of it, a way of acting.
    Lived,
}

/// Candidates that are counted and ranked among themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::recall::plain) enum Group {
    Messages,
    Known,
    Lived,
}

impl Group {
    pub(in crate::recall::plain) const ALL: [Self; 3] = [Self::Messages, Self::Known, Self::Lived];
}

impl Kind {
    pub(in crate::recall::plain) fn group(self) -> Group {
        match self {
            Self::Turn | Self::Said => Group::Messages,
            Self::Known => Group::Known,
            Self::Lived => Group::Lived,
        }
    }

    /// Whether it is a note.
    pub fn is_note(self) -> bool {
        self.group() != Group::Messages
    }
}
