//! What is taken out of recall.

use super::curve::Retention;
use super::exempt::fades;
use crate::graph::weight::CONDUCTS_FROM;
use crate::model::MemoryNote;

/// The missing degree from which on a note that nothing links to is taken out of recall.
pub const ARCHIVE_FROM: f64 = 0.98;

/// Whether anything still leads to a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ties {
    /// A link that conducts leads to it.
    Held,
    /// None does.
    Loose,
}

/// How strong a link is when so much of the note that it starts from is left. Nothing where it does not conduct any more; what
/// is stored stays as it is.
pub fn effective_intensity(intensity: f64, source: Retention) -> Option<f64> {
    let effective = intensity * source.share();
    (effective >= CONDUCTS_FROM).then_some(effective)
}

/// Whether a note is to be taken out of recall. It is never erased, and found by its id.
pub fn is_to_be_archived(note: &MemoryNote, retention: Retention, ties: Ties) -> bool {
    fades(note) && ties == Ties::Loose && retention.missing_degree() >= ARCHIVE_FROM
}
