//! Archives: a whole character as lines of JSON, written by `export` and read by `import`.
//!
//! ```text
//! {"archive":{"format":1,"program":"0.1.0","soul":"xiaohong",…}}
//! {"word":{…}}            a word of the character's own
//! {"message":{…}}         what was said, oldest first
//! {"note":{…}}            a note with its links, as it was written last
//! {"answer":{…}}          what a request with a key was answered, where that was asked for
//! {"end":{"words":0,"messages":80,"notes":68,…}}
//! ```
//!
//! Ids are kept, so that notes rest on the same messages. What can be made again is left out (vectors, segmented text),
//! and so is what only concerns the daemon that wrote it: jobs, the journal, and the keys of requests. A copy
//! that takes the character over gets those of the last day, so that what is asked again is not done again.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use soulmem_engine::model::{Field, MessageId, NoteDraft};
use soulmem_proto::SoulName;
use soulmem_proto::ops::push::Role;

use crate::store::{
    Answered, Message, NewMessage, OwnWord, Profile, Reimagined, StoredNote, Wording,
};

/// The layout of archives that this program writes.
pub const FORMAT: u32 = 1;

/// One line of an archive.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Line {
    /// The first.
    Archive(Head),
    /// A word of the character's own.
    Word(Word),
    /// A message.
    Message(Said),
    /// A note.
    Note(Box<Remembered>),
    /// What a request with a key was answered.
    Answer(Reply),
    /// The last: an archive without it was cut off.
    End(End),
}

/// What it is an archive of.
#[derive(Debug, Serialize, Deserialize)]
pub struct Head {
    /// The layout.
    pub format: u32,
    /// Version of the program that wrote it.
    pub program: String,
    /// The character.
    pub soul: SoulName,
    /// Its name to people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// Its language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locale: Option<String>,
    /// Its own settings.
    #[serde(default)]
    pub config: serde_json::Value,
}

/// A word of the character's own.
#[derive(Debug, Serialize, Deserialize)]
pub struct Word {
    #[serde(rename = "word")]
    text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    weight: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tag: Option<String>,
}

/// A message of the log.
#[derive(Debug, Serialize, Deserialize)]
pub struct Said {
    id: MessageId,
    role: Role,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    text: String,
    at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tz: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    tag: bool,
}

/// A note, and what became of it.
#[derive(Debug, Serialize, Deserialize)]
pub struct Remembered {
    /// The note.
    #[serde(flatten)]
    pub note: NoteDraft,
    /// When it faded out of recall.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archived_at: Option<Timestamp>,
    /// How its texts are worded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wordings: Vec<Worded>,
}

/// The wording of one text of a note.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Worded {
    /// Which text.
    pub field: Field,
    /// Where its words start and end, in bytes.
    pub borders: Vec<(u32, u32)>,
    /// The character's own version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reimagined: Option<String>,
    /// The missing degree that it was made for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub degree: Option<f64>,
}

/// What a request with a key was answered.
#[derive(Debug, Serialize, Deserialize)]
pub struct Reply {
    key: String,
    request: Vec<u8>,
    at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    answer: Option<String>,
}

/// How much there was, and where the window stood.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// Words before it.
    pub words: u64,
    /// Messages before it.
    pub messages: u64,
    /// Notes before it.
    pub notes: u64,
    /// Answers before it.
    #[serde(default)]
    pub answers: u64,
    /// The running summary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<Summarised>,
    /// The last message that a consolidation has seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consolidated_through: Option<MessageId>,
}

/// The running summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summarised {
    /// What it says.
    pub text: String,
    /// The last message that it covers.
    pub through: MessageId,
}

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
    pub fn of(stored: StoredNote, wordings: Vec<Wording>) -> Self {
        Self {
            note: draft(stored.note),
            archived_at: stored.archived_at,
            wordings: wordings.into_iter().map(Worded::from).collect(),
        }
    }
}

/// A note as it may be written into a file: to be made anew, wherever that is.
pub fn draft(note: soulmem_engine::model::MemoryNote) -> NoteDraft {
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
