//! Taking in what was said.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use soulmem_engine::model::MessageId;
use soulmem_proto::ops::push::{PushMessage, PushRequest, PushResponse, WindowFill};

use super::character::Soul;
use super::error::{Result, SoulError};
use super::limits::{MAX_LABEL_BYTES, MAX_PUSH_MESSAGES, MAX_TEXT_BYTES, within_bytes};
use super::origins::sent;
use super::write::WriteOrder;
use crate::store::{NewMessage, Pushed, Tx};

impl Soul {
    /// Keeps messages and moves the window on. They are on the disk, and can be recalled, when this returns.
    pub async fn push(&self, request: PushRequest, mut order: WriteOrder) -> Result<PushResponse> {
        let numbered = request
            .origin
            .clone()
            .map(|origin| sent(origin, "origin"))
            .transpose()?;
        if let Some(key) = &mut order.key {
            key.sent.clone_from(&numbered);
        }
        let messages = self.checked(request)?;
        // Whoever tags a message says that a talk or a topic ended with it.
        let told_the_end = messages.iter().any(|message| message.tag == Some(true));
        let push = move |tx: &Tx| match &numbered {
            Some(sent) if !tx.first_time(sent)? => tx.push(&[]),
            _ => tx.push(&messages),
        };
        let outcome = self.write(order, push).await?;
        let Pushed {
            ids,
            len,
            capacity,
            summary_due,
        } = outcome.value;
        if (summary_due || told_the_end) && !outcome.duplicate && !ids.is_empty() {
            self.summarise_soon();
        }
        Ok(PushResponse {
            duplicate: outcome.duplicate || ids.is_empty(),
            ids: ids.into_iter().map(|id| id.0).collect(),
            window: WindowFill { len, capacity },
        })
    }

    fn checked(&self, request: PushRequest) -> Result<Vec<NewMessage>> {
        let count = request.messages.len();
        if count == 0 {
            return Err(SoulError::invalid(
                "messages",
                "must hold at least one message",
            ));
        }
        if count > MAX_PUSH_MESSAGES {
            let reason = format!("has {count} messages, {MAX_PUSH_MESSAGES} may be pushed at once");
            return Err(SoulError::TooLarge {
                field: "messages".to_owned(),
                reason,
            });
        }
        let outside = &self.world().outside;
        let now = outside.clock.now();
        let each = request.messages.into_iter().enumerate();
        each.map(|(index, message)| {
            let place = |field: &str| format!("messages[{index}].{field}");
            checked_message(message, now, outside.ids.message_id(), place)
        })
        .collect()
    }
}

/// A message as it is to be kept. One that does not say when was said `now`; `place` makes the path of a field.
pub(super) fn checked_message(
    message: PushMessage,
    now: Timestamp,
    id: MessageId,
    place: impl Fn(&str) -> String,
) -> Result<NewMessage> {
    let PushMessage {
        role,
        text,
        name,
        at,
        tz,
        session,
        tag,
        source,
    } = message;
    within_bytes(&text, MAX_TEXT_BYTES, || place("text"))?;
    for (label, value) in [("name", &name), ("session", &session), ("source", &source)] {
        if let Some(value) = value {
            within_bytes(value, MAX_LABEL_BYTES, || place(label))?;
        }
    }
    if let Some(tz) = &tz {
        TimeZone::get(tz).map_err(|_| {
            let reason = format!("`{tz}` is no IANA time zone, such as Asia/Shanghai");
            SoulError::invalid(place("tz"), reason)
        })?;
    }
    let at = at.unwrap_or(now);
    Ok(NewMessage {
        id,
        role,
        name,
        text,
        at,
        tz,
        session,
        source,
        tag,
    })
}
