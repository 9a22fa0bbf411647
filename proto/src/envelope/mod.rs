//! What every frame has in common: the envelope around a payload.
//!
//! The daemon reads [`Request`]s and answers a bad one by its [`Rejection`]; clients read [`Reply`]s. Each
//! type writes itself with `to_frame`.

mod fields;

use serde::de::DeserializeOwned;

use crate::{
    EncodeError, ErrorCode, ErrorPayload, Op, PROTOCOL_VERSION, PayloadError, SoulName, Value,
    decode,
    decode::{decode_structure, leading_entries},
    encode, from_value, to_value,
};
use fields::Fields;

/// Longest idempotency key, in characters.
pub const MAX_IDEMPOTENCY_KEY_CHARS: usize = 64;

/// Longest name of an operation that a rejection repeats, in bytes: no operation of any version comes near it.
const MAX_REPEATED_OP_BYTES: usize = 64;

/// A client's request.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// Chosen by the client, unique among its outstanding requests.
    pub msg_id: u64,
    /// The operation.
    pub op: Op,
    /// Whose memory it is about; there for every operation that needs one.
    pub soul: Option<SoulName>,
    /// The operation's own fields, a map.
    pub payload: Value,
    /// How long the client will wait, in milliseconds.
    pub deadline_ms: Option<u64>,
    /// Names this write, so that a repeat of it does nothing and gets the first answer; 1 to 64 characters.
    pub idempotency_key: Option<String>,
}

/// A request that could not be taken, as it is answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Rejection {
    /// The request's id, where it could be read.
    pub msg_id: Option<u64>,
    /// Name of its operation, where it could be read.
    pub op: Option<String>,
    /// What is wrong with it.
    pub error: ErrorPayload,
}

/// What a daemon sends.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// The answer to a request.
    Response {
        /// The request's id.
        msg_id: u64,
        /// Name of the operation, where the daemon repeats it.
        op: Option<String>,
        /// The answer's own fields, a map.
        payload: Value,
    },
    /// A request that failed.
    Error(Rejection),
    /// Something that a subscriber is told.
    Event(Event),
}

/// Something that happened, told to those who subscribed.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// The event's name: one of [`EventName`](crate::EventName), unless the daemon is newer than this crate.
    pub name: String,
    /// Whose memory it is about.
    pub soul: Option<SoulName>,
    /// The event's own fields, a map.
    pub payload: Value,
}

impl Request {
    /// Reads a request, or tells how to answer what is none.
    pub fn parse(frame: &[u8]) -> Result<Request, Rejection> {
        let value = decode_structure(frame).map_err(|error| Rejection {
            error: error.into(),
            ..Rejection::addressed(&Fields(leading_entries(frame)))
        })?;
        let mut fields = match value {
            Value::Map(entries) => Fields(entries),
            _ => return Err(Rejection::anonymous(bad_envelope("a frame must be a map"))),
        };
        let address = Rejection::addressed(&fields);
        fields
            .request()
            .map_err(|error| Rejection { error, ..address })
    }

    /// The typed payload.
    pub fn payload<T: DeserializeOwned>(self) -> Result<T, PayloadError> {
        from_value(self.payload)
    }

    /// Writes the request.
    pub fn to_frame(self) -> Result<Vec<u8>, EncodeError> {
        let mut entries = head("req", Some(self.msg_id), Some(self.op.as_str().into()));
        entries.extend(self.soul.map(|soul| entry("soul", soul.as_str())));
        entries.push(entry("payload", self.payload));
        entries.extend(
            self.deadline_ms
                .map(|deadline| entry("deadline_ms", deadline)),
        );
        entries.extend(
            self.idempotency_key
                .map(|key| entry("idempotency_key", key)),
        );
        encode(&Value::Map(entries))
    }
}

impl Rejection {
    fn anonymous(error: ErrorPayload) -> Self {
        Rejection {
            msg_id: None,
            op: None,
            error,
        }
    }

    /// A rejection that says whose request it is about; what is wrong is still to be filled in.
    fn addressed(fields: &Fields) -> Self {
        let op = fields
            .only("op")
            .and_then(Value::as_str)
            .filter(|op| op.len() <= MAX_REPEATED_OP_BYTES)
            .map(str::to_owned);
        let msg_id = fields.only("msg_id").and_then(Value::as_u64);
        Rejection {
            msg_id,
            op,
            error: bad_envelope(""),
        }
    }

    /// Writes the answer.
    pub fn to_frame(self) -> Result<Vec<u8>, EncodeError> {
        let mut entries = head("err", self.msg_id, self.op);
        entries.push(entry("payload", to_value(&self.error)?));
        encode(&Value::Map(entries))
    }
}

impl Reply {
    /// Reads what a daemon sent.
    pub fn parse(frame: &[u8]) -> Result<Reply, ErrorPayload> {
        match decode(frame)? {
            Value::Map(entries) => Fields(entries).reply(),
            _ => Err(bad_envelope("a frame must be a map")),
        }
    }

    /// Writes the frame.
    pub fn to_frame(self) -> Result<Vec<u8>, EncodeError> {
        match self {
            Reply::Response {
                msg_id,
                op,
                payload,
            } => {
                let mut entries = head("res", Some(msg_id), op);
                entries.push(entry("payload", payload));
                encode(&Value::Map(entries))
            }
            Reply::Error(rejection) => rejection.to_frame(),
            Reply::Event(event) => event.to_frame(),
        }
    }
}

impl Event {
    /// Writes the event.
    pub fn to_frame(self) -> Result<Vec<u8>, EncodeError> {
        let mut entries = head("event", None, Some(self.name));
        entries.extend(self.soul.map(|soul| entry("soul", soul.as_str())));
        entries.push(entry("payload", self.payload));
        encode(&Value::Map(entries))
    }
}

fn head(kind: &str, msg_id: Option<u64>, op: Option<String>) -> Vec<(String, Value)> {
    let mut entries = vec![entry("v", PROTOCOL_VERSION), entry("kind", kind)];
    entries.extend(msg_id.map(|id| entry("msg_id", id)));
    entries.extend(op.map(|op| entry("op", op)));
    entries
}

fn entry(key: &str, value: impl Into<Value>) -> (String, Value) {
    (key.to_owned(), value.into())
}

fn bad_envelope(message: impl Into<String>) -> ErrorPayload {
    ErrorPayload::new(ErrorCode::BadEnvelope, message)
}
