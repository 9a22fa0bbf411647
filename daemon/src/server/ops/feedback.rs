//! `feedback`: says of hits whether it was right that they came up.

use soulmem_engine::model::NoteId;
use soulmem_engine::recall::feedback::Verdict;
use soulmem_proto::ErrorPayload;
use soulmem_proto::ops::feedback::{FeedbackRequest, FeedbackResponse, LinkIntensity};

use crate::server::dispatch::{Call, Outcome, done};

/// Answers with the links that were moved.
pub async fn run(mut call: Call) -> Outcome {
    let order = call.order().await?;
    let FeedbackRequest { ids, value } = call.payload()?;
    let verdict = match value {
        1 => Verdict::Good,
        -1 => Verdict::Bad,
        _ => {
            let reason = format!("is {value}, must be 1 or -1");
            return Err(ErrorPayload::invalid_argument("value", reason));
        }
    };
    let ids = ids.into_iter().map(NoteId).collect();
    let heard = call.soul().await?.feedback(ids, verdict, order).await?;
    let links = heard.moved.into_iter().map(|link| LinkIntensity {
        id: link.id.0,
        intensity: link.intensity,
    });
    done(&FeedbackResponse {
        links: links.collect(),
        unmoved: heard.unmoved.into_iter().map(|id| id.0).collect(),
    })
}
