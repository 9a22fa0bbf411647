//! Notes and links: what a character remembers, as plain data with its checks.
//!
//! - [`MemoryNote`] is one memory, [`MemoryType`] its body, [`MemoryLink`] what it calls up.
//! - [`NoteDraft`] and [`LinkDraft`] are what a caller gives; `build` checks them and fills in the rest.
//! - [`Affect`] is the emotional layer of a note, [`Anchor`] a passage that struck the character.
//! - [`Field`] names every text of a note that can be embedded and searched.
//! - [`graph_file`] reads and writes whole memories as JSON, [`strict`] reads JSON that may hold
//!   nothing unknown.
//!
//! The serde shape of these types is the shape on the wire and in files: enums are externally
//! tagged, unknown keys are ignored, and a `null` reads as an absent key.

pub mod affect;
pub mod anchor;
pub mod check;
pub mod clock;
pub mod draft;
pub mod field;
pub mod graph_file;
pub mod id;
pub mod interval;
pub mod link;
pub mod note;
pub mod procedure;
pub mod semantic;
pub mod situation;
pub mod source;
pub mod strict;
pub mod time_span;

mod nil;

pub use affect::{Affect, AffectDraft, Bucket};
pub use anchor::{Anchor, AnchorKind};
pub use check::{MAX_LIST_LENGTH, MAX_TEXT_BYTES, ModelError};
pub use clock::{Clock, FixedClock};
pub use draft::{LinkDraft, NoteDraft};
pub use field::Field;
pub use id::{IdSource, LinkId, MessageId, NoteId, SequentialIds};
pub use interval::Interval;
pub use link::{LinkType, MemoryLink, ProcLink, SemLink, SituationLink};
pub use note::{MemoryNote, MemoryType, NoteKind};
pub use procedure::{Action, ActionType, ProcMemory};
pub use semantic::{ConceptType, SemMemory};
pub use situation::{
    AbstractSituation, Context, Emotion, Environment, Event, Location, Participant, SensoryData,
    SituationMemory, SpecificSituation,
};
pub use source::Source;
pub use time_span::TimeSpan;
