//! Anchors: passages of a note's text that struck the character, or that leave a gist.

use serde::{Deserialize, Serialize};

use super::check::{self, ModelError};
use super::field::Field;
use super::note::MemoryNote;

/// A passage that fades last (a [unit](AnchorKind::Unit) with the others), with what it comes down to once it has faded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Anchor {
    /// The text it stands in: `narrative`, `description` or `content`.
    pub field: Field,
    /// Where it starts, in bytes of that text.
    pub start: usize,
    /// Where it ends, in bytes of that text; the byte there is no longer part of it.
    pub end: usize,
    /// What is remembered of it when the words are gone ("an animal that hisses" for "cat").
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gist: Option<String>,
    /// Why it struck.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<AnchorKind>,
}

/// Why a passage struck the character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum AnchorKind {
    /// Words that were said.
    Quote,
    /// A name.
    Name,
    /// A number, a date, an amount.
    Number,
    /// Any other detail.
    Detail,
    /// It did not: it fades with the words around it, and its gist stands in its place for a while.
    Unit,
}

impl Anchor {
    /// Whether its words are lost after all others.
    pub fn fades_last(&self) -> bool {
        self.kind != Some(AnchorKind::Unit)
    }

    pub(super) fn check(&self, note: &MemoryNote) -> Result<(), ModelError> {
        if !matches!(
            self.field,
            Field::Narrative | Field::Description | Field::Content
        ) {
            return Err(ModelError::new(
                "field",
                format!(
                    "is `{}`, an anchor stands in `narrative`, `description` or `content`",
                    self.field
                ),
            ));
        }
        let texts = note.text_fields();
        let Some((_, text)) = texts.iter().find(|(field, _)| *field == self.field) else {
            return Err(ModelError::new(
                "field",
                format!("this note has no text `{}`", self.field),
            ));
        };
        if self.start >= self.end {
            return Err(ModelError::new(
                "end",
                format!("is {}, must be after the start {}", self.end, self.start),
            ));
        }
        for (name, offset) in [("start", self.start), ("end", self.end)] {
            if !text.is_char_boundary(offset) {
                return Err(ModelError::new(
                    name,
                    format!(
                        "is {offset}, not a border between characters of the {} bytes of `{}`",
                        text.len(),
                        self.field
                    ),
                ));
            }
        }
        self.gist
            .as_deref()
            .map_or(Ok(()), |gist| check::text("gist", gist))
    }
}
