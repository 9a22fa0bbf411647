//! Links: what a note calls up.

use serde::{Deserialize, Serialize};

use super::check::{self, ModelError};
use super::id::{LinkId, NoteId};

/// The intensity of a link for which none is given.
pub const DEFAULT_INTENSITY: f64 = 1.0;

/// The largest intensity a link may have. Learning keeps it under 2; the bound keeps sums over
/// imported links finite.
pub const MAX_INTENSITY: f64 = 1e6;

/// A directed link from one note to another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MemoryLink {
    /// Which link.
    pub id: LinkId,
    /// The note it starts from.
    pub from: NoteId,
    /// The note it leads to, which need not be there yet.
    pub to: NoteId,
    /// How strong it is: 0 or more, 1 for a link like any other. Strengthened by use.
    pub intensity: f64,
    /// What kind of link.
    pub link_type: LinkType,
}

/// What kind of link.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum LinkType {
    /// Between concepts.
    Sem(SemLink),
    /// Towards a way of acting.
    Proc(ProcLink),
    /// Between a pattern and an experience.
    Situation(SituationLink),
}

/// A relation that has a verb.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SemLink {
    /// What the one is or does to the other.
    pub verb: String,
    /// How sure it is, from 0 to 1.
    pub confidence: f64,
}

/// A link towards a way of acting.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum ProcLink {
    /// From what triggers an action to the action.
    TrigToAction {
        /// How likely the action follows, from 0 to 1.
        prob: f64,
    },
}

/// A link between a pattern and an experience.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum SituationLink {
    /// From a pattern to an experience that follows it.
    AbstractToSpecific {},
    /// From an experience to the pattern it follows.
    SpecificToAbstract {},
}

impl LinkType {
    /// The name of the kind: `sem`, `trig_to_action`, `abstract_to_specific` or
    /// `specific_to_abstract`.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Sem(_) => "sem",
            Self::Proc(ProcLink::TrigToAction { .. }) => "trig_to_action",
            Self::Situation(SituationLink::AbstractToSpecific {}) => "abstract_to_specific",
            Self::Situation(SituationLink::SpecificToAbstract {}) => "specific_to_abstract",
        }
    }

    fn check(&self) -> Result<(), ModelError> {
        match self {
            Self::Sem(sem) => {
                check::text("Sem.verb", &sem.verb)?;
                check::unit("Sem.confidence", sem.confidence)
            }
            Self::Proc(ProcLink::TrigToAction { prob }) => {
                check::unit("Proc.TrigToAction.prob", *prob)
            }
            Self::Situation(_) => Ok(()),
        }
    }
}

impl MemoryLink {
    /// Checks the link: not to itself, a finite intensity of 0 or more, probabilities from 0 to 1.
    pub fn check(&self) -> Result<(), ModelError> {
        if self.from == self.to {
            return Err(ModelError::new(
                "to",
                format!("is {}, the note that the link starts from", self.to),
            ));
        }
        check_intensity(self.intensity)?;
        self.link_type
            .check()
            .map_err(|error| error.within("link_type"))
    }
}

/// Refuses an intensity that is not a number from 0 to [`MAX_INTENSITY`].
pub fn check_intensity(intensity: f64) -> Result<(), ModelError> {
    if (0.0..=MAX_INTENSITY).contains(&intensity) {
        return Ok(());
    }
    Err(ModelError::new(
        "intensity",
        format!("is {intensity}, must be a number from 0 to {MAX_INTENSITY}"),
    ))
}
