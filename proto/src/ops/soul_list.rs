//! `soul.list`: the characters that live here. It needs no soul.

use serde::{Deserialize, Serialize};

use super::soul_owner::Ownership;
use crate::SoulName;

/// Payload of a `soul.list` request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SoulListRequest {}

/// Payload of the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SoulListResponse {
    /// Every character, by name.
    pub souls: Vec<SoulEntry>,
}

/// One character.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SoulEntry {
    /// Its name on the wire.
    pub soul: SoulName,
    /// Its name to people, where it was given one.
    pub display_name: Option<String>,
    /// Its language, a BCP 47 tag, where it was given one.
    pub locale: Option<String>,
    /// What this copy of it is, where it is not simply the one that is written to.
    pub ownership: Option<Ownership>,
}
