//! What never fades.

use crate::model::{Bucket, MemoryNote, NoteKind};

/// The tag of a promise. Until it is resolved it does not fade.
pub const PROMISE_TAG: &str = "promise";

/// Whether a note fades: a specific situation or something known that is neither pinned, protected nor permanent, no
/// feeling of the character's own, and no open promise.
pub fn fades(note: &MemoryNote) -> bool {
    let affect = &note.affect;
    let of_a_kind_that_does = matches!(
        note.kind(),
        NoteKind::Semantic | NoteKind::SpecificSituation
    );
    let held = affect.pinned
        || affect.protected
        || matches!(affect.bucket, Bucket::Permanent | Bucket::Feel);
    of_a_kind_that_does && !held && !is_open_promise(note)
}

fn is_open_promise(note: &MemoryNote) -> bool {
    !note.affect.resolved && note.tags.iter().any(|tag| tag == PROMISE_TAG)
}
