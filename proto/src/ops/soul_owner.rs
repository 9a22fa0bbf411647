//! `soul.owner`: says, or sets, whether this daemon owns a character. Set by whoever moves it to another machine or
//! finds that two have it.

use serde::{Deserialize, Serialize};

use super::push::Origin;

/// Payload of a `soul.owner` request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SoulOwnerRequest {
    /// What it is to be from now on; left out, nothing changes.
    pub set: Option<Ownership>,
    /// How far outboxes have come, from the copy that it was moved here from: no mark is lowered by it.
    #[serde(default)]
    pub marks: Vec<Origin>,
}

/// Payload of the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SoulOwnerResponse {
    /// How it is now.
    pub ownership: Ownership,
    /// The last place in the journal of this copy.
    pub position: u64,
    /// How far every outbox that it ever heard from has come.
    pub marks: Vec<Origin>,
}

/// Whether a copy of a character is the one that is written to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ownership {
    /// What this copy is.
    pub state: OwnerState,
    /// The node that it was handed over to, or that it arrives from.
    pub node: Option<String>,
    /// All copies that claim to be the one, where there is more than one.
    #[serde(default)]
    pub claims: Vec<Claim>,
    /// It came out of a backup, and nobody has looked yet whether another machine has the character. It may be written to.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub restored: bool,
}

/// What a copy of a character is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OwnerState {
    /// The one that is written to.
    #[default]
    Owner,
    /// One of several that claim to be that: none of them is written to until somebody chooses.
    Contested,
    /// An old copy: the character lives elsewhere now.
    HandedOver,
    /// A copy that is not whole yet: only what `import` brings is written to it.
    Arriving,
}

/// One of several copies that claim to be the one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// The node whose daemon has it.
    pub node: String,
    /// The last place in its journal when the others were noticed.
    pub position: u64,
}
