//! Forgetting: how a character's memories are told once they have faded, and the cycle that goes through them.
//!
//! - [`curves`]: which curve its notes and its utterances follow.
//! - [`telling`]: what came to mind, as it is still told.
//! - [`cycle`]: the daily round over all notes, in batches; [`assess`] is what it makes of each.
//! - [`reimagining`]: blurred memories told anew by a language model, in the background.
//! - [`storyteller`]: the language model as the one who tells them.
//! - [`restore`]: taking back what was forgotten.

mod assess;
pub mod curves;
mod cycle;
mod preview;
pub mod reimagining;
mod restore;
mod storyteller;
pub mod telling;

pub use curves::{Curves, ForgetConfig};
pub use storyteller::Storyteller;
