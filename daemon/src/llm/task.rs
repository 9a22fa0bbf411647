//! What a language model is asked for.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A kind of question. Each can have a model of its own, and is counted by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Task {
    /// Notes out of what was said.
    Extract,
    /// The summary of what slides out of the window.
    Summarise,
    /// What stands in the place of a masked span.
    Gist,
    /// A blurred memory told anew.
    Reimagine,
    /// Structured questions out of a plain one.
    SubQueries,
}

impl Task {
    /// Every task, in the order in which they are shown.
    pub const ALL: [Self; 5] = [
        Self::Extract,
        Self::Summarise,
        Self::Gist,
        Self::Reimagine,
        Self::SubQueries,
    ];

    /// The name in the configuration, in the ledger and on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Extract => "extract",
            Self::Summarise => "summarise",
            Self::Gist => "gist",
            Self::Reimagine => "reimagine",
            Self::SubQueries => "sub_queries",
        }
    }
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
