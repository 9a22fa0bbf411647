//! What becomes of what was said, as far as it needs neither disk nor network.
//!
//! - [`summarise`] keeps the salient sentences of a talk that slides out of the window.
//! - [`extract`] finds memories to be in what was said, by rules.
//! - [`reading`] makes findings of what somebody else understood, as far as the talk bears it out.
//! - [`companions`], [`strengthened`] and [`weakened`] are how notes and links follow use.

mod extract;
mod finding;
mod hebb;
pub mod reading;
mod summary;

pub use extract::extract;
pub use finding::{EXPERIENCE, Finding, KNOWLEDGE, PREFERENCE, Polarity, Utterance, main_text};
pub use hebb::{
    CO_RECALLED, CO_RECALLED_CONFIDENCE, CO_RECALLED_INTENSITY, COMPANIONS, MAX_CO_RECALLED,
    RecalledTogether, STRUCTURAL_VERBS, can_weaken, companions, is_co_recalled, joint_recalls,
    strengthened, weakened,
};
pub use summary::{Line, summarise};
