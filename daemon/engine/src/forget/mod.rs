//! Forgetting: what is left of a memory, what of it is still told, and what comes up by itself.
//!
//! - [`profile`]: the numbers of a curve, and the profiles that have a name.
//! - [`curve`]: how much of a memory is retained, from when it was made, rehearsed and how often.
//! - [`exempt`]: what never fades.
//! - [`permutation`]: in which order the words of a text are lost; a documented hash and generator.
//! - [`mask`]: a text with some of its words hidden.
//! - [`gist`]: what a span comes down to once its words are gone.
//! - [`blur`]: a note as the character still tells it.
//! - [`reimagine`]: what a language model may change of a blurred memory, and what it may not.
//! - [`archive`]: what is taken out of recall.
//! - [`decay`]: how strongly a memory comes up by itself.
//!
//! Nothing here writes to a note: a memory is blurred when it is told, and its original text stays.

pub mod archive;
pub mod blur;
pub mod curve;
pub mod decay;
pub mod exempt;
pub mod gist;
pub mod mask;
pub mod permutation;
pub mod profile;
pub mod reimagine;

pub use archive::{ARCHIVE_FROM, Ties, is_to_be_archived};
pub use blur::{Blurred, Version, blurred, is_sentence, told_fields};
pub use curve::{MemoryTrace, Pace, Retention, Stage};
pub use exempt::fades;
pub use mask::Mask;
pub use profile::{Profile, ProfileName};
