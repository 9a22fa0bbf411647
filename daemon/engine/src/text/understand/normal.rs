//! The form of a text that phrases are looked for in.

use crate::text::folded::Folded;
use crate::text::script::Class;
use crate::text::simplified::simplified;

/// A text folded and simplified: words of alphabets and numbers between single spaces, unspaced scripts as they are,
/// question and exclamation marks as words of their own, every other sign as a space. It begins and ends with a space.
#[derive(Debug)]
pub(super) struct Normal {
    pub(super) text: String,
}

impl Normal {
    pub(super) fn new(folded: &Folded) -> Self {
        let mut normal = Self {
            text: String::with_capacity(folded.text.len() + 16),
        };
        normal.space();
        let mut before = Class::Gap;
        for (at, unit) in folded.units.iter().enumerate() {
            let written = folded.slice(at..at + 1);
            let class = unit.class;
            if written == "?" || written == "!" {
                normal.space();
                normal.text.push_str(written);
                normal.space();
            } else if class.is_unspaced() || class.is_spaced() || joins(folded, at) {
                if class.is_spaced() != before.is_spaced()
                    && !joins(folded, at)
                    && before != Class::Gap
                {
                    normal.space();
                }
                normal.text.extend(written.chars().map(simplified));
            } else {
                normal.space();
            }
            before = if joins(folded, at) { before } else { class };
        }
        normal.space();
        normal
    }

    /// Whether the text holds `phrase`; of words of an alphabet, with their spaces.
    pub(super) fn contains(&self, phrase: &str) -> bool {
        self.text.contains(phrase)
    }

    /// The words and runs of the text.
    pub(super) fn words(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.text.split_ascii_whitespace()
    }

    fn space(&mut self) {
        if !self.text.ends_with(' ') {
            self.text.push(' ');
        }
    }
}

/// An apostrophe between letters: `don't`.
fn joins(folded: &Folded, at: usize) -> bool {
    folded.slice(at..at + 1) == "'"
        && at > 0
        && folded.class(at - 1) == Class::Latin
        && folded.class(at + 1) == Class::Latin
}
