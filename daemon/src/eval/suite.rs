//! The suites: which part of the memory is put to the test.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A part of the memory that can be put to the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Suite {
    /// `retrieve/embedding`: similarity alone.
    RetrieveEmbedding,
    /// `retrieve/association`: similarity, and the walk from what is most similar.
    RetrieveAssociation,
    /// `retrieve/full`: the whole pipeline, with actions.
    RetrieveFull,
    /// `forget`: the observable consequences of the forgetting curve.
    Forget,
}

/// A text that names no suite.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "`{0}` is no suite; there are: {known}",
    known = Suite::ALL.map(Suite::as_str).join(", ")
)]
pub struct UnknownSuite(String);

impl Suite {
    /// Every suite.
    pub const ALL: [Self; 4] = [
        Self::RetrieveEmbedding,
        Self::RetrieveAssociation,
        Self::RetrieveFull,
        Self::Forget,
    ];

    /// The name on the command line and in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::RetrieveEmbedding => "retrieve/embedding",
            Self::RetrieveAssociation => "retrieve/association",
            Self::RetrieveFull => "retrieve/full",
            Self::Forget => "forget",
        }
    }
}

impl fmt::Display for Suite {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl FromStr for Suite {
    type Err = UnknownSuite;

    fn from_str(text: &str) -> Result<Self, UnknownSuite> {
        Self::ALL
            .into_iter()
            .find(|suite| suite.as_str() == text)
            .ok_or_else(|| UnknownSuite(text.to_owned()))
    }
}

impl TryFrom<String> for Suite {
    type Error = UnknownSuite;

    fn try_from(text: String) -> Result<Self, UnknownSuite> {
        text.parse()
    }
}

impl From<Suite> for String {
    fn from(suite: Suite) -> Self {
        suite.as_str().to_owned()
    }
}
