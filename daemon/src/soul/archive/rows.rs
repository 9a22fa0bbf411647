//! The lines of an archive from the rows of a memory, and back.

use soulmem_engine::model::{MemoryNote, NoteDraft};

use super::{FORMAT, Head, Remembered, Reply, Said, Weakened, Word, Worded};
use crate::store::{
    Answered, Message, NewMessage, OwnWord, Profile, Reimagined, StoredNote, Wording,
};

impl Head {
    /// The first line for a character.
    pub fn of(profile: Profile) -> Self {
        Self {
            format: FORMAT,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            soul: profile.soul,
            display_name: profile.display_name,
            locale: profile.locale,
            config: profile.config,
        }
    }
}

impl From<Answered> for Reply {
    fn from(answered: Answered) -> Self {
        Self {
            key: answered.key,
            request: answered.request,
            at: answered.at,
            answer: answered.answer,
        }
    }
}

impl From<Reply> for Answered {
    fn from(reply: Reply) -> Self {
        Self {
            key: reply.key,
            request: reply.request,
            at: reply.at,
            answer: reply.answer,
        }
    }
}

impl From<OwnWord> for Word {
    fn from(OwnWord { word, weight, tag }: OwnWord) -> Self {
        Self {
            text: word,
            weight,
            tag,
        }
    }
}

impl From<Word> for OwnWord {
    fn from(Word { text, weight, tag }: Word) -> Self {
        Self {
            word: text,
            weight,
            tag,
        }
    }
}

impl From<Message> for Said {
    fn from(message: Message) -> Self {
        Self {
            id: message.id,
            role: message.role,
            name: message.name,
            text: message.text,
            at: message.at,
            tz: message.tz,
            session: message.session,
            source: message.source,
            tag: message.tag,
            taken_in_at: None,
            recalled: None,
        }
    }
}

impl From<Said> for NewMessage {
    fn from(said: Said) -> Self {
        Self {
            id: said.id,
            role: said.role,
            name: said.name,
            text: said.text,
            at: said.at,
            tz: said.tz,
            session: said.session,
            source: said.source,
            tag: Some(said.tag),
        }
    }
}

impl Remembered {
    /// A note with its wordings.
    pub fn of(stored: StoredNote, wordings: Vec<Wording>, weakened: Vec<Weakened>) -> Self {
        Self {
            weakened,
            note: draft(stored.note),
            archived_at: stored.archived_at,
            wordings: wordings.into_iter().map(Worded::from).collect(),
        }
    }
}

/// A note as it may be written into a file: to be made anew, wherever that is.
pub fn draft(note: MemoryNote) -> NoteDraft {
    NoteDraft {
        if_revision: None,
        ..NoteDraft::from(note)
    }
}

impl From<Wording> for Worded {
    fn from(wording: Wording) -> Self {
        let (reimagined, degree) = wording
            .reimagined
            .map(|version| (version.text, version.degree))
            .unzip();
        Self {
            field: wording.field,
            borders: wording.borders,
            reimagined,
            degree,
        }
    }
}

impl Worded {
    /// The character's own version, if there is one.
    pub fn version(&self) -> Option<Reimagined> {
        let (text, degree) = (self.reimagined.clone()?, self.degree?);
        Some(Reimagined { text, degree })
    }
}
