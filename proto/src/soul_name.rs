use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, de};

/// The name of a character, and so of its memory: 1 to 64 of `a-z 0-9 _ -`.
///
/// Checked when it is made, so that a name can be used as a folder's without a second look.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct SoulName(String);

/// A name that is no [`SoulName`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SoulNameError {
    /// No character at all, or more than 64.
    #[error("a soul's name has 1 to 64 characters, this one has {0}")]
    Length(usize),
    /// A character that is not allowed.
    #[error("a soul's name is made of a-z, 0-9, _ and -, not {0:?}")]
    Character(char),
}

impl SoulName {
    /// Longest name, in characters (and so in bytes).
    pub const MAX_CHARS: usize = 64;

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn check(name: &str) -> Result<(), SoulNameError> {
        let length = name.chars().count();
        if length == 0 || length > Self::MAX_CHARS {
            return Err(SoulNameError::Length(length));
        }
        let allowed = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '_' | '-');
        match name.chars().find(|&c| !allowed(c)) {
            Some(stranger) => Err(SoulNameError::Character(stranger)),
            None => Ok(()),
        }
    }
}

impl TryFrom<String> for SoulName {
    type Error = SoulNameError;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        Self::check(&name)?;
        Ok(Self(name))
    }
}

impl FromStr for SoulName {
    type Err = SoulNameError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::try_from(name.to_owned())
    }
}

impl<'de> Deserialize<'de> for SoulName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::try_from(String::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

impl AsRef<str> for SoulName {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SoulName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
