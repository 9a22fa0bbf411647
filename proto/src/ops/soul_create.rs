//! `soul.create`: makes the character that the envelope names.

use serde::{Deserialize, Serialize};

use super::soul_owner::Ownership;
use crate::{SoulName, Value};

/// Payload of a `soul.create` request.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SoulCreateRequest {
    /// Name to show to people, in any script.
    pub display_name: Option<String>,
    /// Language of the character, a BCP 47 tag such as `zh-CN`.
    pub locale: Option<String>,
    /// Settings of this character that differ from the daemon's.
    pub config: Option<Value>,
    /// What the copy is from its first moment on, for one that is moved here; the owner if left out.
    pub ownership: Option<Ownership>,
}

/// Payload of the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SoulCreateResponse {
    /// Name of the new character.
    pub soul: SoulName,
}
