//! `feedback`: says of hits whether it was right that they came up. It writes.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Payload of a `feedback` request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeedbackRequest {
    /// The notes that it is about, as `retrieve` answered with them.
    pub ids: Vec<Uuid>,
    /// 1 where it was right that they came up, -1 where it was not.
    pub value: i64,
}

/// Payload of the answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FeedbackResponse {
    /// The links that the notes were reached by, by id, with their intensity now.
    pub links: Vec<LinkIntensity>,
    /// Notes for which no link was moved: no recall that counts came up with them lately, or none followed a link to them.
    pub unmoved: Vec<Uuid>,
}

/// How strong a link is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinkIntensity {
    /// Which link.
    pub id: Uuid,
    /// How strong it is.
    pub intensity: f64,
}
