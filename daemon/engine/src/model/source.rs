//! Where a note came from.

use serde::{Deserialize, Serialize};

use super::check::{self, ModelError};
use super::id::MessageId;

/// One origin of a note; a note may have several.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Source {
    /// A message of the log.
    Message {
        /// Which message.
        id: MessageId,
    },
    /// An entry of an imported file.
    Import {
        /// The file's name.
        file: String,
        /// The entry's own id there.
        id: String,
    },
    /// A consolidation run.
    Consolidation {
        /// The job's id.
        job: String,
    },
    /// Given directly by a caller.
    Given,
}

impl Source {
    pub(super) fn check(&self) -> Result<(), ModelError> {
        match self {
            Self::Message { .. } | Self::Given => Ok(()),
            Self::Import { file, id } => {
                check::length("Import.file", file)?;
                check::length("Import.id", id)
            }
            Self::Consolidation { job } => check::length("Consolidation.job", job),
        }
    }
}
