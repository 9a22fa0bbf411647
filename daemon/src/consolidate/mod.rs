//! From what was said to what is remembered: one module a step.
//!
//! 1. [`material`]: what is to be thought over, from the disk.
//! 2. [`understand`]: findings out of it, by rules; by a language model where there is one, and then [`gists`] too.
//! 3. [`identify`]: each finding against what is known: new, the same again, or a correction (`correct`).
//! 4. [`associate`]: new notes are linked with what was in mind lately, and with what they name.
//! 5. [`strengthen`]: links grow and shrink by use.
//! 6. [`generalise`]: what several situations share becomes a pattern, what recurs in it a way of acting.
//! 7. [`write`]: all of it in one transaction with the place that it reaches to, so that a crash repeats nothing.
//!
//! A long backlog is taken in batches of whole messages, each with a transaction of its own; steps 5 and 6 come with the
//! last one.

pub mod associate;
mod correct;
pub mod generalise;
pub mod gists;
pub mod identify;
pub mod known;
pub mod material;
pub mod strengthen;
pub mod understand;
pub mod write;

/// A place where tests can stop or fail the work.
macro_rules! fail_here {
    ($point:literal) => {
        fail::fail_point!($point, |_| Err(crate::store::StoreError::injected()))
    };
}
pub(crate) use fail_here;
