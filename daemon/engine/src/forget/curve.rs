//! The forgetting curve of Ebbinghaus (*Über das Gedächtnis*, 1885), as an exponential with a half-life.
//!
//! `R(t) = e^(−t/τ)` with `τ = h / ln 2`, which is `2^(−t/h)`. It is computed as the latter, in software
//! (`libm`), so that the same memory has faded equally far on every machine, to the last bit.

use jiff::Timestamp;

use super::profile::{Feeling, Profile, Since};
use crate::model::{Affect, MemoryNote};

/// The missing degree from which on words of a memory are masked.
pub const MASK_FROM: f64 = 0.05;

/// The missing degree from which on a memory is told anew, where there is somebody to tell it.
pub const REIMAGINE_FROM: f64 = 0.15;

/// How many half-lives the wording of something said outlasts: after them 0.4 of it is left (`log2(1 / 0.4)`), and it leaves
/// recall.
pub const UTTERANCE_HALF_LIVES: f64 = 1.321_928_094_887_362_4;

/// How much of a memory is left, from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Retention(f64);

/// What of a memory decides how far it has faded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MemoryTrace {
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last recalled; the creation where it never was.
    pub last_rehearsed_at: Timestamp,
    /// How often it was recalled.
    pub recalls: u64,
    /// How much it matters, from 1 to 10.
    pub importance: u8,
    /// How stirring it is, from 0 to 1.
    pub arousal: f64,
}

crate::pack_fields!(MemoryTrace {
    created_at,
    last_rehearsed_at,
    recalls,
    importance,
    arousal,
});

/// How a memory fades: what a [`Profile`] makes of a [`MemoryTrace`], so that how much is left can be asked again and again.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace {
    since: Timestamp,
    half_life_hours: f64,
}

/// What is done to a memory when it is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Nothing.
    Whole,
    /// Some of its words are masked.
    Masked,
    /// It is told anew; where nobody can, more of its words are masked.
    Reimagined,
}

impl Retention {
    /// All of it.
    pub const FULL: Self = Self(1.0);

    /// What is left after some hours of a memory with this half-life. Hours under 0 count as 0.
    ///
    /// ```
    /// use soulmem_engine::forget::Retention;
    /// assert_eq!(Retention::after(24.0, 24.0).share(), 0.5);
    /// assert_eq!(Retention::after(72.0, 24.0).missing_degree(), 0.875);
    /// assert_eq!(Retention::after(-1.0, 24.0), Retention::FULL);
    /// ```
    pub fn after(hours: f64, half_life_hours: f64) -> Self {
        Self(libm::exp2(-hours.max(0.0) / half_life_hours))
    }

    /// So much of the whole; what is not a share is nothing or all.
    pub fn of_share(share: f64) -> Self {
        if share >= 0.0 {
            Self(share.min(1.0))
        } else {
            Self(0.0)
        }
    }

    /// As a share of the whole.
    pub fn share(self) -> f64 {
        self.0
    }

    /// What is not left.
    pub fn missing_degree(self) -> f64 {
        1.0 - self.0
    }
}

impl Stage {
    /// What is done at a missing degree.
    pub fn at(degree: f64) -> Self {
        if degree < MASK_FROM {
            Self::Whole
        } else if degree < REIMAGINE_FROM {
            Self::Masked
        } else {
            Self::Reimagined
        }
    }
}

impl MemoryTrace {
    /// That of a note.
    pub fn of_note(note: &MemoryNote) -> Self {
        Self {
            created_at: note.created_at,
            last_rehearsed_at: note.last_accessed_at,
            recalls: note.retrieval_count,
            importance: note.affect.importance,
            arousal: note.affect.arousal,
        }
    }

    /// That of something said, with no more feeling to it than any note has at first.
    pub fn of_utterance(said_at: Timestamp, last_rehearsed_at: Timestamp, recalls: u64) -> Self {
        let neutral = Affect::at(said_at);
        Self {
            created_at: said_at,
            last_rehearsed_at,
            recalls,
            importance: neutral.importance,
            arousal: neutral.arousal,
        }
    }
}

impl Pace {
    /// That of what does not fade.
    pub const STEADY: Self = Self {
        since: Timestamp::UNIX_EPOCH,
        half_life_hours: f64::INFINITY,
    };

    /// How much is left at `now`. A memory of the future has not begun to fade.
    pub fn retention(&self, now: Timestamp) -> Retention {
        Retention::after(self.hours(now), self.half_life_hours)
    }

    /// Whether no more than so many half-lives have passed; the same as asking what is left, without the exponential.
    pub fn outlasts(&self, now: Timestamp, half_lives: f64) -> bool {
        self.hours(now) <= half_lives * self.half_life_hours
    }

    fn hours(&self, now: Timestamp) -> f64 {
        now.duration_since(self.since).as_secs_f64() / 3_600.0
    }
}

impl Profile {
    /// Hours after which half of a memory is left.
    pub fn half_life_hours(&self, trace: &MemoryTrace) -> f64 {
        let counted = trace.recalls.min(self.max_activation_cap) as f64;
        let recalled = self.base_half_life_hours * (1.0 + self.active_factor * counted);
        match self.feeling {
            Feeling::Ignored => recalled,
            Feeling::Prolongs => {
                let matters = 0.5 + f64::from(trace.importance) / 10.0;
                recalled * matters * (1.0 + 0.8 * trace.arousal)
            }
        }
    }

    /// How a memory fades.
    pub fn pace(&self, trace: &MemoryTrace) -> Pace {
        Pace {
            since: self.fades_since(trace),
            half_life_hours: self.half_life_hours(trace),
        }
    }

    /// How much of a memory is left at `now`. A memory of the future has not begun to fade.
    pub fn retention(&self, trace: &MemoryTrace, now: Timestamp) -> Retention {
        self.pace(trace).retention(now)
    }

    /// From when on a memory fades.
    pub fn fades_since(&self, trace: &MemoryTrace) -> Timestamp {
        match self.since {
            Since::Creation => trace.created_at,
            Since::Rehearsal => trace.last_rehearsed_at.max(trace.created_at),
        }
    }

    /// The missing degree that is told: never past what the profile leaves.
    pub fn shown_degree(&self, retention: Retention) -> f64 {
        retention.missing_degree().min(self.shown_at_most)
    }
}
