//! Recall: from a question to the notes, utterances and actions that it calls up.
//!
//! - [`query`]: structured sub-queries and their decoder.
//! - [`weights`]: how much each field counts.
//! - [`similarity`]: how alike a sub-query and a note are.
//! - [`merge`]: one entry per note, from all stages and all sub-queries.
//! - [`actions`]: what the character tends to do now.
//! - [`plain`]: a plain line against notes and messages.
//! - [`indexes`]: what of each note and message is searched.
//! - [`memory`]: what a recall reads.
//! - [`why`]: the evidence for each hit.
//! - [`pipeline`]: the stages, strictly in their order.
//! - [`feedback`]: what is said of a hit moves the links that it was reached by.
//! - [`context`]: what came to mind, as text for a language model.

pub mod actions;
pub mod context;
pub mod feedback;
pub mod indexes;
pub mod memory;
pub mod merge;
pub mod pipeline;
pub mod plain;
pub mod query;
pub mod similarity;
pub mod weights;
pub mod why;

pub use indexes::{IndexError, Indexes, TextVector, searched_texts};
pub use memory::{Bodies, Memory, SourceError};
pub use pipeline::{
    Dropped, Options, Question, RecallError, Recalled, RecalledAction, RecalledNote, Utterances,
    recall, told_time,
};
pub use why::{Asked, OwnWay, Reached, Why};
