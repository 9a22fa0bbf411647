//! Recall: from a question to the notes, utterances and actions that it calls up.
//!
//! - [`query`]: structured sub-queries and their decoder.
//! - [`weights`]: how much each field counts.
//! - [`similarity`]: how alike a sub-query and a note are.
//! - [`merge`]: one entry per note, from all stages and all sub-queries.
//! - [`actions`]: what the character tends to do now.
//! - [`context`]: what came to mind, as text for a language model.

pub mod actions;
pub mod context;
pub mod merge;
pub mod query;
pub mod similarity;
pub mod weights;
