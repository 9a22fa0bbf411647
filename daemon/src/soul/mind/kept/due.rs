//! When the index file is to be written while a character is busy.

use std::time::{Duration, Instant};

use crate::store::Seq;

/// Changes that are followed at opening in a fraction of a second.
const CHANGES: Seq = 8_000;

/// Writing may take one part in so many of the time.
const SHARE: u32 = 20;

/// How the file stands.
#[derive(Debug, Default)]
pub struct Due {
    /// Up to where it reaches, if there is one.
    through: Option<Seq>,
    /// When writing it began and ended.
    began: Option<Instant>,
    rests_until: Option<Instant>,
    /// How many sections it has.
    sections: u64,
}

impl Due {
    /// Whether it should be written: after many changes, but not so often that writing it takes much of the time.
    pub fn is_due(&self, through: Seq) -> bool {
        through - self.through.unwrap_or(0) >= CHANGES
            && self.rests_until.is_none_or(|until| Instant::now() >= until)
    }

    /// Begins to write it; false where nothing changed since.
    pub fn begin(&mut self, through: Seq) -> bool {
        self.began = Some(Instant::now());
        self.through != Some(through)
    }

    /// Notes that it was written, or found, up to a place in the sequence of writing, with so many sections.
    pub fn written(&mut self, through: Seq, sections: u64) {
        self.through = Some(through);
        self.sections = sections;
        let took = self.began.map_or(Duration::ZERO, |began| began.elapsed());
        self.rests_until = Instant::now().checked_add(took * SHARE);
    }

    /// Notes that there is no file any more.
    pub fn removed(&mut self) {
        self.through = None;
    }

    /// How many sections the file has; `None` where there is no file.
    pub fn sections(&self) -> Option<u64> {
        self.through.map(|_| self.sections)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_due_after_many_changes_and_not_at_once_again() {
        let mut due = Due::default();
        assert!(!due.is_due(CHANGES - 1));
        assert!(due.is_due(CHANGES));
        assert!(due.begin(CHANGES));
        due.written(CHANGES, 12);
        assert_eq!(due.sections(), Some(12));
        assert!(!due.is_due(2 * CHANGES - 1));
        assert!(!due.begin(CHANGES));
    }
}
