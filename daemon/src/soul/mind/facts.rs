//! What of each note and message decides whether it may come up.

use jiff::Timestamp;
use soulmem_engine::index::Interval;
use soulmem_engine::model::{MemoryNote, MemoryType, SituationMemory};
use soulmem_engine::pack_fields;
use soulmem_engine::recall::told_time;

use crate::store::StoredNote;

/// What is known of a note without its body.
#[derive(Debug, Clone, PartialEq)]
pub struct NoteFacts {
    created_at: Timestamp,
    valid_from: Timestamp,
    valid_until: Option<Timestamp>,
    superseded: bool,
    archived: bool,
    /// When it was.
    told: Interval,
}

pack_fields!(NoteFacts {
    created_at,
    valid_from,
    valid_until,
    superseded,
    archived,
    told
});

/// What may come up in one recall.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Admission {
    /// The time that is asked at.
    pub now: Timestamp,
    /// Only what was believed at this time.
    pub as_of: Option<Timestamp>,
    /// Notes that faded out of recall too.
    pub archived: Archived,
    /// Only what was within this time.
    pub within: Option<Interval>,
    /// Messages whose wording has faded too.
    pub faded_words: FadedWords,
}

/// Whether messages take part that are no longer remembered word by word.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FadedWords {
    /// They do not.
    #[default]
    LeftOut,
    /// They do.
    Included,
}

/// Whether notes that faded out of recall take part.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Archived {
    /// They do not.
    #[default]
    LeftOut,
    /// They do.
    Included,
}

impl NoteFacts {
    /// Those of a note as it is kept.
    pub fn of(stored: &StoredNote) -> Self {
        let note = &stored.note;
        Self {
            created_at: note.created_at,
            valid_from: note.valid_from,
            valid_until: note.valid_until,
            superseded: note.superseded_by.is_some(),
            archived: stored.archived_at.is_some(),
            told: told(note),
        }
    }

    /// Whether there is a time at which the note may not come up, though nobody asks for what was believed at some time.
    pub fn are_passing(&self) -> bool {
        self.superseded || self.archived || self.valid_until.is_some()
    }
}

impl Admission {
    /// Whether every note may come up of which [the facts](NoteFacts::are_passing) say nothing against it.
    pub fn asks_for_any_time(&self) -> bool {
        self.as_of.is_none() && self.within.is_none()
    }

    /// Whether a note may come up.
    pub fn of_note(&self, facts: &NoteFacts) -> bool {
        let faded = facts.archived && self.archived == Archived::LeftOut;
        !faded
            && self.believed(facts)
            && self.within.is_none_or(|within| within.overlaps(facts.told))
    }

    /// Whether a message that was said at this time may come up.
    pub fn of_message(&self, at: Timestamp) -> bool {
        self.as_of.is_none_or(|as_of| at <= as_of)
            && self
                .within
                .is_none_or(|within| within.overlaps(Interval::instant(at)))
    }

    /// Whether messages may come up however far their wording has faded.
    pub fn includes_faded_words(&self) -> bool {
        self.faded_words == FadedWords::Included
    }

    fn believed(&self, facts: &NoteFacts) -> bool {
        let ended = |at: Timestamp| facts.valid_until.is_some_and(|until| until <= at);
        match self.as_of {
            Some(then) => facts.created_at <= then && facts.valid_from <= then && !ended(then),
            None => !facts.superseded && !ended(self.now),
        }
    }
}

/// When a note was, from its first to its last moment.
pub fn told(note: &MemoryNote) -> Interval {
    match &note.mem_type {
        MemoryType::Situation(SituationMemory::SpecificSituation(lived)) => {
            Interval::new(lived.time_span.start(), lived.time_span.end())
        }
        _ => Interval::instant(told_time(note)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn facts() -> NoteFacts {
        NoteFacts {
            created_at: at("2026-02-01T00:00:00Z"),
            valid_from: at("2026-02-01T00:00:00Z"),
            valid_until: None,
            superseded: false,
            archived: false,
            told: Interval::instant(at("2026-02-01T00:00:00Z")),
        }
    }

    #[test]
    fn a_corrected_note_is_believed_until_its_correction_only() {
        let corrected = NoteFacts {
            valid_until: Some(at("2026-03-01T00:00:00Z")),
            superseded: true,
            ..facts()
        };
        let as_of = |time| Admission {
            as_of: Some(at(time)),
            ..Admission::default()
        };
        assert!(!as_of("2026-01-31T00:00:00Z").of_note(&corrected));
        assert!(as_of("2026-02-28T00:00:00Z").of_note(&corrected));
        assert!(!as_of("2026-03-01T00:00:00Z").of_note(&corrected));
        let now = Admission {
            now: at("2026-02-15T00:00:00Z"),
            ..Admission::default()
        };
        assert!(!now.of_note(&corrected));
        assert!(now.of_note(&facts()));
    }

    #[test]
    fn what_is_not_passing_comes_up_whenever_no_time_is_asked_for() {
        let mut different = vec![facts()];
        for change in [
            |it: &mut NoteFacts| it.superseded = true,
            |it: &mut NoteFacts| it.archived = true,
            |it: &mut NoteFacts| it.valid_until = Some(at("2026-03-01T00:00:00Z")),
        ] {
            let changed = different.clone().into_iter().map(|mut facts| {
                change(&mut facts);
                facts
            });
            different.extend(changed.collect::<Vec<_>>());
        }
        for facts in different.iter().filter(|facts| !facts.are_passing()) {
            for now in [
                "2000-01-01T00:00:00Z",
                "2026-02-15T00:00:00Z",
                "9000-01-01T00:00:00Z",
            ] {
                let asked = Admission {
                    now: at(now),
                    ..Admission::default()
                };
                assert!(asked.asks_for_any_time() && asked.of_note(facts));
            }
        }
        assert_eq!(
            different
                .iter()
                .filter(|facts| !facts.are_passing())
                .count(),
            1
        );
    }

    #[test]
    fn archived_notes_come_up_only_when_asked_for() {
        let faded = NoteFacts {
            archived: true,
            ..facts()
        };
        assert!(!Admission::default().of_note(&faded));
        let all = Admission {
            archived: Archived::Included,
            ..Admission::default()
        };
        assert!(all.of_note(&faded));
    }

    #[test]
    fn a_time_that_is_asked_for_leaves_out_what_was_outside_of_it() {
        let spring = Interval::new(at("2026-03-01T00:00:00Z"), at("2026-05-31T00:00:00Z"));
        let asked = Admission {
            within: Some(spring),
            ..Admission::default()
        };
        assert!(!asked.of_note(&facts()));
        assert!(asked.of_message(at("2026-04-01T00:00:00Z")));
        assert!(!asked.of_message(at("2026-06-01T00:00:00Z")));
    }
}
