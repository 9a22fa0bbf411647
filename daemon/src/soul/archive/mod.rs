//! Archives: a whole character as lines of JSON, written by `export` and read by `import`.
//!
//! ```text
//! {"archive":{"format":2,"program":"0.1.0","soul":"xiaohong",…}}
//! {"window":{…}}          the running summary, and how far consolidation has come, when the archive was begun
//! {"word":{…}}            a word of the character's own
//! {"message":{…}}         what was said, oldest first
//! {"note":{…}}            a note with its links, as it was written last
//! {"recall":{…}}          what came to mind together and was not yet thought over
//! {"answer":{…}}          what a request with a key was answered, where that was asked for
//! {"end":{"words":0,"messages":80,"notes":68,…}}
//! ```
//!
//! Ids are kept, so that notes rest on the same messages, and so is everything that forgetting goes by: when messages were
//! taken in, how often each was recalled and when last, when links were weakened. What can be made again is left out (vectors,
//! segmented text), and so is what only concerns the daemon that wrote it: jobs, the journal, and the keys of requests. A copy
//! that takes the character over gets those of the last day, so that what is asked again is not done again.
//!
//! Format 1 had neither windows nor recalls, and said in the end where the window stood; it is still read.

mod rows;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use soulmem_engine::model::{Field, LinkId, MessageId, NoteDraft, NoteId};
use soulmem_proto::SoulName;
use soulmem_proto::ops::push::Role;

pub use self::rows::draft;
use crate::store::Uses;

/// The layout of archives that this program writes.
pub const FORMAT: u32 = 2;

/// One line of an archive.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Line {
    /// The first.
    Archive(Head),
    /// Where the window stood.
    Window(Window),
    /// A word of the character's own.
    Word(Word),
    /// A message.
    Message(Said),
    /// A note.
    Note(Box<Remembered>),
    /// What came to mind together.
    Recall(Together),
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
    /// When it was taken in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken_in_at: Option<Timestamp>,
    /// How often it was recalled, if ever.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recalled: Option<Uses>,
}

/// What came to mind together, and was not yet thought over by a consolidation.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Together {
    /// When.
    pub at: Timestamp,
    /// By which way of remembering.
    pub mode: String,
    /// The notes.
    pub notes: Vec<NoteId>,
}

/// When a link was last weakened.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Weakened {
    /// Which link.
    pub link: LinkId,
    /// When.
    pub at: Timestamp,
}

/// Where the window stood.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// The running summary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<Summarised>,
    /// The last message that a consolidation has seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consolidated_through: Option<MessageId>,
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
    /// When those of its links were last weakened that were.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weakened: Vec<Weakened>,
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

/// How much there was; in format 1 also where the window stood.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// Words before it.
    pub words: u64,
    /// Messages before it.
    pub messages: u64,
    /// Notes before it.
    pub notes: u64,
    /// Recalls before it.
    #[serde(default)]
    pub recalls: u64,
    /// Answers before it.
    #[serde(default)]
    pub answers: u64,
    /// See [`Window`].
    #[serde(flatten)]
    pub window: Window,
}

/// The running summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summarised {
    /// What it says.
    pub text: String,
    /// The last message that it covers.
    pub through: MessageId,
}
