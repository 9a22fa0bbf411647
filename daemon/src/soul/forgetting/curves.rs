//! Which curve a character's memories follow.

use serde::Deserialize;
use soulmem_engine::forget::{Profile, ProfileName};
use soulmem_engine::model::ModelError;

/// What is set about forgetting; what is left out is as the layer below says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ForgetConfig {
    /// The profile of notes.
    pub profile: Option<ProfileName>,
    /// The profile of utterances; that of notes where it is left out.
    pub utterances: Option<ProfileName>,
    /// Hours instead of those of the profile.
    pub base_half_life_hours: Option<f64>,
    /// What each recall adds, instead of what the profile says.
    pub active_factor: Option<f64>,
    /// How many recalls count, instead of what the profile says.
    pub max_activation_cap: Option<u64>,
}

/// The curves of one character.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Curves {
    /// That of its notes.
    pub notes: Profile,
    /// That of what was said.
    pub utterances: Profile,
}

impl Default for Curves {
    fn default() -> Self {
        ForgetConfig::default().curves()
    }
}

impl ForgetConfig {
    /// What this says, and where it says nothing, what `base` does.
    #[must_use]
    pub fn over(self, base: Self) -> Self {
        Self {
            profile: self.profile.or(base.profile),
            utterances: self.utterances.or(self.profile).or(base.utterances),
            base_half_life_hours: self.base_half_life_hours.or(base.base_half_life_hours),
            active_factor: self.active_factor.or(base.active_factor),
            max_activation_cap: self.max_activation_cap.or(base.max_activation_cap),
        }
    }

    /// The curves that come of it.
    pub fn curves(self) -> Curves {
        let notes = self.profile.unwrap_or_default();
        Curves {
            notes: self.numbers(notes),
            utterances: self.numbers(self.utterances.unwrap_or(notes)),
        }
    }

    /// Refuses numbers that make no curve.
    pub fn check(self) -> Result<(), ModelError> {
        self.numbers(ProfileName::Companion).check()
    }

    /// A profile with the numbers that are given in place of its own; where nothing fades nothing is to be set.
    fn numbers(self, name: ProfileName) -> Profile {
        let usual = name.profile();
        if name == ProfileName::None {
            return usual;
        }
        Profile {
            base_half_life_hours: self
                .base_half_life_hours
                .unwrap_or(usual.base_half_life_hours),
            active_factor: self.active_factor.unwrap_or(usual.active_factor),
            max_activation_cap: self.max_activation_cap.unwrap_or(usual.max_activation_cap),
            ..usual
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_says_what_it_does_otherwise_and_the_rest_is_the_daemons() {
        let daemon = ForgetConfig {
            profile: Some(ProfileName::Seed),
            active_factor: Some(0.2),
            ..ForgetConfig::default()
        };
        let own = ForgetConfig {
            utterances: Some(ProfileName::None),
            base_half_life_hours: Some(48.0),
            ..ForgetConfig::default()
        };
        let Curves { notes, utterances } = own.over(daemon).curves();
        assert_eq!(utterances, Profile::NONE);
        let expected = Profile {
            base_half_life_hours: 48.0,
            active_factor: 0.2,
            ..Profile::SEED
        };
        assert_eq!(notes, expected);
    }

    #[test]
    fn a_characters_own_profile_counts_for_what_was_said_too() {
        let daemon = ForgetConfig {
            profile: Some(ProfileName::Seed),
            utterances: Some(ProfileName::Seed),
            ..ForgetConfig::default()
        };
        let own = ForgetConfig {
            profile: Some(ProfileName::None),
            ..ForgetConfig::default()
        };
        let Curves { notes, utterances } = own.over(daemon).curves();
        assert_eq!((notes, utterances), (Profile::NONE, Profile::NONE));
        let usual = Curves::default();
        assert_eq!(
            (usual.notes, usual.utterances),
            (Profile::COMPANION, Profile::COMPANION)
        );
    }
}
