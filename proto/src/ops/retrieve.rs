//! `retrieve`: what comes to a character's mind.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    message_list::Message, note_list::NoteKind, push::Role, retrieve_options::RetrieveOptions,
};
use crate::Value;

/// Payload of a `retrieve` request: sub-queries, plain text, or both. `Q` is a sub-query as the engine reads it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RetrieveRequest<Q = Value> {
    /// Structured sub-queries.
    #[serde(default = "Vec::new")]
    pub queries: Vec<Q>,
    /// Plain text, from which the daemon makes sub-queries itself.
    pub text: Option<String>,
    /// How to go about it.
    #[serde(default)]
    pub options: RetrieveOptions,
}

/// Payload of the answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RetrieveResponse {
    /// Notes, best first.
    pub notes: Vec<NoteHit>,
    /// Messages of the log, best first.
    pub utterances: Vec<UtteranceHit>,
    /// What the character tends to do here, likeliest first.
    pub actions: Vec<ActionHit>,
    /// The messages of the window, oldest first.
    pub short_history: Vec<Message>,
    /// Summary of what slid out of the window; empty when there is none.
    pub summary: String,
    /// What the plain text was taken to want.
    pub intent: Option<Intent>,
    /// All of it rendered for a prompt, where `options.context` asked for it.
    pub context: Option<String>,
    /// How each hit was found, where `options.explain` asked for it.
    pub trace: Option<Value>,
    /// Why recall works with less than it has been configured with.
    pub degraded: Option<String>,
    /// Sub-queries that nothing answered.
    pub dropped: Option<Vec<DroppedQuery>>,
}

/// One note that came to mind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NoteHit {
    /// The note's id.
    pub id: Uuid,
    /// How well it fits; comparable within one answer.
    pub score: f64,
    /// How it was found.
    pub stage: Stage,
    /// What it says, as far as the character remembers.
    pub text: String,
    /// Whether parts of the text are masked.
    pub masked: bool,
    /// How much of it is missing, 0 to 1; absent for what does not fade.
    pub degree: Option<f64>,
    /// Its kind.
    #[serde(rename = "type")]
    pub kind: NoteKind,
    /// When it happened or was learnt.
    pub at: Option<Timestamp>,
    /// The messages that it came from.
    pub sources: Vec<Uuid>,
}

/// Which stage of recall found a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// It is like the query.
    Similarity,
    /// Links led to it.
    Walk,
    /// Both.
    Both,
}

/// One message that came to mind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UtteranceHit {
    /// The message's id.
    pub id: Uuid,
    /// How well it fits; comparable within one answer.
    pub score: f64,
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

/// One thing that the character tends to do in the situations that came to mind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ActionHit {
    /// Id of the procedure note.
    pub id: Uuid,
    /// How strongly the situations call for it; comparable within the actions of one answer.
    pub score: f64,
    /// What kind of action it is.
    pub channel: ActionChannel,
    /// The action.
    pub text: String,
}

/// The kinds of actions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ActionChannel {
    /// A way of speaking.
    Speak,
    /// Something that it does.
    Skill,
    /// A habit of thought.
    Think,
}

/// What a plain text wants to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Intent {
    /// A liking.
    Preference,
    /// A fact.
    Knowledge,
    /// Something that happened.
    Experience,
    /// Something about code.
    Code,
    /// None of these in particular.
    General,
}

/// A sub-query whose best hit was under the floor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DroppedQuery {
    /// Its place in the request's `queries`, from 0.
    pub query: u64,
    /// Score of its best hit; absent when it had none.
    pub best_score: Option<f64>,
}
