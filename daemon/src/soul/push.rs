//! Taking in what was said.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use soulmem_proto::ops::push::{PushMessage, PushRequest, PushResponse, WindowFill};

use super::character::Soul;
use super::error::{Result, SoulError};
use super::limits::{MAX_LABEL_BYTES, MAX_PUSH_MESSAGES, MAX_TEXT_BYTES, within_bytes};
use super::write::WriteOrder;
use crate::store::{NewMessage, Pushed};

impl Soul {
    /// Keeps messages and moves the window on. They are on the disk, and can be recalled, when this returns.
    pub async fn push(&self, request: PushRequest, order: WriteOrder) -> Result<PushResponse> {
        let messages = self.checked(request)?;
        let pending = order
            .submit(self.store(), move |tx| tx.push(&messages))
            .await;
        let outcome = pending.await?;
        let Pushed {
            ids, len, capacity, ..
        } = outcome.value;
        Ok(PushResponse {
            ids: ids.into_iter().map(|id| id.0).collect(),
            window: WindowFill { len, capacity },
            duplicate: outcome.duplicate,
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
        let now = self.world().outside.clock.now();
        let each = request.messages.into_iter().enumerate();
        each.map(|(index, message)| self.checked_message(index, message, now))
            .collect()
    }

    fn checked_message(
        &self,
        index: usize,
        message: PushMessage,
        now: Timestamp,
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
        let field = |name: &str| format!("messages[{index}].{name}");
        within_bytes(&text, MAX_TEXT_BYTES, || field("text"))?;
        for (label, value) in [("name", &name), ("session", &session), ("source", &source)] {
            if let Some(value) = value {
                within_bytes(value, MAX_LABEL_BYTES, || field(label))?;
            }
        }
        if let Some(tz) = &tz {
            TimeZone::get(tz).map_err(|_| {
                SoulError::invalid(
                    field("tz"),
                    format!("`{tz}` is no IANA time zone, such as Asia/Shanghai"),
                )
            })?;
        }
        let id = self.world().outside.ids.message_id();
        Ok(NewMessage {
            id,
            role,
            name,
            text,
            at: at.unwrap_or(now),
            tz,
            session,
            source,
            tag,
        })
    }
}
