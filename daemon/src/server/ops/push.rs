//! `push`: gives messages to a character.

use std::borrow::Cow;

use soulmem_proto::Value;

use crate::server::dispatch::{Call, Outcome, done};

/// What a push asks for. Where it waited before, and under which number, is no part of it: a caller who repeats it under
/// its key may have it wait anew.
pub fn asked(payload: &Value) -> Cow<'_, Value> {
    match payload {
        Value::Map(entries) if payload.get("origin").is_some() => {
            let asked = entries.iter().filter(|(field, _)| field != "origin");
            Cow::Owned(Value::Map(asked.cloned().collect()))
        }
        _ => Cow::Borrowed(payload),
    }
}

/// Answers once the messages are on the disk and can be recalled.
pub async fn run(mut call: Call) -> Outcome {
    let order = call.order().await?;
    let request = call.payload()?;
    done(&call.soul().await?.push(request, order).await?)
}
