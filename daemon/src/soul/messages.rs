//! Reading what was said.

use soulmem_proto::ops::message_list::{
    Message as WireMessage, MessageListRequest, MessageListResponse,
};

use super::character::Soul;
use super::error::Result;
use super::page::{Span, fit};
use crate::store::{Message, MessageFilter};

impl Soul {
    /// A page of the message log, oldest first.
    pub async fn list_messages(&self, request: MessageListRequest) -> Result<MessageListResponse> {
        let MessageListRequest {
            from,
            to,
            session,
            cursor,
            limit,
        } = request;
        let span = Span::new(cursor.as_deref(), limit)?;
        let filter = MessageFilter { from, to, session };
        let page = self
            .read(move |view| view.list_messages(&filter, span.after, span.limit))
            .await?;
        let (messages, cursor) = fit(
            page,
            |message| message.seq,
            |message| message.text.len() + 300,
        );
        Ok(MessageListResponse {
            messages: messages.into_iter().map(on_the_wire).collect(),
            cursor,
        })
    }
}

/// A message as clients see it.
pub(super) fn on_the_wire(message: Message) -> WireMessage {
    let Message {
        id,
        role,
        name,
        text,
        at,
        session,
        ..
    } = message;
    WireMessage {
        id: id.0,
        role,
        name,
        text,
        at,
        session,
    }
}
