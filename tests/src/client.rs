//! A connection to a daemon, without a BEAM between.

use std::io;
use std::net::TcpStream;

use serde::Serialize;
use serde::de::DeserializeOwned;
use soulmem_proto::ops::hello::{HelloRequest, Peer, Token};
use soulmem_proto::ops::message_list::{Message, MessageListRequest, MessageListResponse};
use soulmem_proto::ops::note_list::{NoteListRequest, NoteListResponse};
use soulmem_proto::{ErrorPayload, Op, Reply, Request, SoulName, Value, from_value, to_value};

use crate::{Endpoint, PATIENCE, frames};

/// Most entries that a page may have.
const PAGE: u32 = 1_000;

/// Why there is no answer.
#[derive(Debug)]
pub enum Failure {
    /// The daemon said no.
    Refused(ErrorPayload),
    /// The connection is gone. What was asked may have been done.
    Lost(io::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Lost(error)
    }
}

/// A connection that has said hello. Requests may be pipelined.
#[derive(Debug)]
pub struct Client {
    stream: TcpStream,
    last_id: u64,
}

impl Client {
    /// Connects and says hello.
    pub fn connect(endpoint: &Endpoint) -> Result<Self, Failure> {
        let stream = TcpStream::connect(("127.0.0.1", endpoint.port))?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        let mut client = Self { stream, last_id: 0 };
        let client_name = Peer {
            name: "soulmem-tests".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        let hello = HelloRequest {
            token: Token(endpoint.token.clone()),
            client: client_name,
        };
        client.call::<Value>(Op::Hello, None, &hello, None)?;
        Ok(client)
    }

    /// Sends a request and gives its id.
    pub fn send(
        &mut self,
        op: Op,
        soul: Option<&SoulName>,
        payload: &impl Serialize,
        key: Option<&str>,
    ) -> Result<u64, Failure> {
        self.last_id += 1;
        let request = Request {
            msg_id: self.last_id,
            op,
            soul: soul.cloned(),
            payload: to_value(payload).unwrap(),
            deadline_ms: None,
            idempotency_key: key.map(str::to_owned),
        };
        let frame = request.to_frame().unwrap();
        frames::write(&mut self.stream, &frame)?;
        Ok(self.last_id)
    }

    /// The next answer and the id of its request.
    pub fn receive(&mut self) -> Result<(u64, Result<Value, ErrorPayload>), Failure> {
        let frame = frames::read(&mut self.stream)?;
        match Reply::parse(&frame).unwrap() {
            Reply::Response {
                msg_id, payload, ..
            } => Ok((msg_id, Ok(payload))),
            Reply::Error(rejection) => Ok((rejection.msg_id.unwrap(), Err(rejection.error))),
            Reply::Event(event) => panic!("an event that nobody asked for: {event:?}"),
        }
    }

    /// Sends a request and waits for its answer. Nothing else may be unanswered.
    pub fn call<T: DeserializeOwned>(
        &mut self,
        op: Op,
        soul: Option<&SoulName>,
        payload: &impl Serialize,
        key: Option<&str>,
    ) -> Result<T, Failure> {
        let asked = self.send(op, soul, payload, key)?;
        let (answered, outcome) = self.receive()?;
        assert_eq!(answered, asked, "an answer to something else: {outcome:?}");
        let payload = outcome.map_err(Failure::Refused)?;
        Ok(from_value(payload).unwrap())
    }

    /// Everything that was said to a character, page by page.
    pub fn messages(&mut self, soul: &SoulName) -> Result<Vec<Message>, Failure> {
        let mut messages = Vec::new();
        let mut request = MessageListRequest {
            limit: Some(PAGE),
            ..MessageListRequest::default()
        };
        loop {
            let page: MessageListResponse =
                self.call(Op::MessageList, Some(soul), &request, None)?;
            messages.extend(page.messages);
            request.cursor = page.cursor;
            if request.cursor.is_none() {
                return Ok(messages);
            }
        }
    }

    /// Every note of a character, page by page.
    pub fn notes(&mut self, soul: &SoulName) -> Result<Vec<Value>, Failure> {
        let mut notes = Vec::new();
        let mut request = NoteListRequest {
            limit: Some(PAGE),
            ..NoteListRequest::default()
        };
        loop {
            let page: NoteListResponse = self.call(Op::NoteList, Some(soul), &request, None)?;
            notes.extend(page.notes);
            request.cursor = page.cursor;
            if request.cursor.is_none() {
                return Ok(notes);
            }
        }
    }
}
