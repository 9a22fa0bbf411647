//! What an import leaves out, and why.

use std::fmt;

use serde::Serialize;

use crate::cli::table::escape;

/// An entry that was not taken in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Skipped {
    /// The file it stands in.
    pub(super) file: String,
    /// Its line there, from 1; none for a whole file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) line: Option<usize>,
    /// What is wrong with it.
    pub(super) why: String,
}

impl Skipped {
    /// An entry of a file, or all of it.
    pub(super) fn at(file: &str, line: Option<usize>, why: impl Into<String>) -> Self {
        Self {
            file: file.to_owned(),
            line,
            why: why.into(),
        }
    }
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&escape(&self.file))?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}", escape(&self.why))
    }
}
