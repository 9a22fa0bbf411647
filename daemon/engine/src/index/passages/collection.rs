//! Notes and messages are counted apart.

use super::DocKey;

/// Texts that are weighed against each other. What was made of a talk repeats its words; counted together, the talk's own
/// telling words would become common by being remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Collection {
    /// Notes, and their single texts.
    Notes = 0,
    /// Messages.
    Said = 1,
}

impl Collection {
    /// All there are.
    pub const BOTH: [Self; 2] = [Self::Notes, Self::Said];

    /// The one that an entry belongs to.
    pub fn of(key: &DocKey) -> Self {
        match key {
            DocKey::Note(_) | DocKey::NoteText(..) => Self::Notes,
            DocKey::Message(_) => Self::Said,
        }
    }
}
