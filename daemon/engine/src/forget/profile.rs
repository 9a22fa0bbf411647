//! The numbers of a forgetting curve.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::model::ModelError;

/// How fast memories fade, and from when on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Profile {
    /// Hours after which half of a memory that was never recalled is left. Infinite where nothing fades.
    pub base_half_life_hours: f64,
    /// How much each recall lengthens the half-life, as a share of the base.
    pub active_factor: f64,
    /// How many recalls count at most.
    pub max_activation_cap: u64,
    /// From when on it fades.
    pub since: Since,
    /// Whether what matters fades more slowly.
    pub feeling: Feeling,
    /// The missing degree past which nothing that is told is blurred: the gist stays. From 0 to 1.
    pub shown_at_most: f64,
}

/// From when on a memory fades.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// From when it was made.
    Creation,
    /// From when it was last recalled.
    Rehearsal,
}

/// Whether feeling has a part in the half-life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feeling {
    /// It has none.
    Ignored,
    /// The half-life is multiplied by `(0.5 + importance / 10) · (1 + 0.8 · arousal)`.
    Prolongs,
}

/// A profile that has a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProfileName {
    /// A day's half-life from the creation on, whatever the memory is about.
    Seed,
    /// Ninety days' half-life from the last rehearsal on, longer for what matters.
    #[default]
    Companion,
    /// Nothing fades.
    None,
}

/// A text that names no profile.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{0}` is no forgetting profile; there are: seed, companion, none")]
pub struct UnknownProfile(String);

impl ProfileName {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Seed, Self::Companion, Self::None];

    /// The name in configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Seed => "seed",
            Self::Companion => "companion",
            Self::None => "none",
        }
    }

    /// Its numbers.
    pub fn profile(self) -> Profile {
        match self {
            Self::Seed => Profile::SEED,
            Self::Companion => Profile::COMPANION,
            Self::None => Profile::NONE,
        }
    }
}

impl fmt::Display for ProfileName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl FromStr for ProfileName {
    type Err = UnknownProfile;

    fn from_str(text: &str) -> Result<Self, UnknownProfile> {
        Self::ALL
            .into_iter()
            .find(|name| name.as_str() == text)
            .ok_or_else(|| UnknownProfile(text.to_owned()))
    }
}

impl Profile {
    /// See [`ProfileName::Seed`].
    pub const SEED: Self = Self {
        base_half_life_hours: 24.0,
        active_factor: 0.1,
        max_activation_cap: 50,
        since: Since::Creation,
        feeling: Feeling::Ignored,
        shown_at_most: 1.0,
    };

    /// See [`ProfileName::Companion`].
    pub const COMPANION: Self = Self {
        base_half_life_hours: 2_160.0,
        active_factor: 0.1,
        max_activation_cap: 50,
        since: Since::Rehearsal,
        feeling: Feeling::Prolongs,
        shown_at_most: 0.6,
    };

    /// See [`ProfileName::None`].
    pub const NONE: Self = Self {
        base_half_life_hours: f64::INFINITY,
        ..Self::COMPANION
    };

    /// Refuses numbers that make no curve, naming the first.
    pub fn check(&self) -> Result<(), ModelError> {
        let positive = self.base_half_life_hours > 0.0;
        if !positive {
            let reason = format!("is {}; give hours above 0", self.base_half_life_hours);
            return Err(ModelError::new("base_half_life_hours", reason));
        }
        if !(self.active_factor.is_finite() && self.active_factor >= 0.0) {
            let reason = format!("is {}; give 0 or more", self.active_factor);
            return Err(ModelError::new("active_factor", reason));
        }
        if !(0.0..=1.0).contains(&self.shown_at_most) {
            let reason = format!("is {}; give 0 to 1", self.shown_at_most);
            return Err(ModelError::new("shown_at_most", reason));
        }
        Ok(())
    }
}
