//! `soul.drop`: puts the character that the envelope names into the trash. It writes.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::SoulName;

/// Payload of a `soul.drop` request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SoulDropRequest {
    /// The name of the character once more, so that a slip drops none.
    pub confirm: SoulName,
}

/// Payload of the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SoulDropResponse {
    /// Where its files are now.
    pub folder: String,
    /// From when on they may be removed for good.
    pub kept_until: Timestamp,
}
