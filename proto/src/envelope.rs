//! What every frame has in common: the envelope around a payload.
//!
//! The daemon reads [`Request`]s and answers a bad one by its [`Rejection`]; clients read [`Reply`]s. Each
//! type writes itself with `to_frame`.

use std::mem;

use serde::de::DeserializeOwned;

use crate::{
    DecodeError, EncodeError, ErrorCode, ErrorPayload, Op, PROTOCOL_VERSION, PayloadError,
    SoulName, Value, decode,
    decode::decode_structure,
    decode::leading_entries,
    encode, from_value, to_value,
    value::path::{Path, first_non_finite},
};

/// Longest idempotency key, in characters.
pub const MAX_IDEMPOTENCY_KEY_CHARS: usize = 64;

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
        let op = fields.only("op").and_then(Value::as_str).map(str::to_owned);
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

/// The entries of an envelope, taken out one by one.
struct Fields(Vec<(String, Value)>);

impl Fields {
    fn request(&mut self) -> Result<Request, ErrorPayload> {
        self.check_version()?;
        match self.text("kind")?.as_deref() {
            Some("req") => {}
            Some(kind) => {
                return Err(bad_envelope(format!(
                    "a client sends kind \"req\", not {kind:?}"
                )));
            }
            None => return Err(bad_envelope("the envelope has no kind")),
        }
        let msg_id = self.required_msg_id()?;
        let name = self
            .text("op")?
            .ok_or_else(|| bad_envelope("the envelope has no op"))?;
        let payload = self.payload()?;
        let deadline_ms = self.natural("deadline_ms")?;
        let idempotency_key = self.text("idempotency_key")?;
        let soul = self.text("soul")?;

        let op = Op::parse(&name).ok_or_else(|| unknown_op(&name))?;
        let soul = checked_soul(soul)?;
        if op.needs_soul() && soul.is_none() {
            return Err(ErrorPayload::invalid_argument(
                "soul",
                format_args!("{op} must name one"),
            ));
        }
        check_idempotency_key(idempotency_key.as_deref())?;
        if let Some(field) = first_non_finite(&payload, Path::Root) {
            return Err(DecodeError::NonFinite { field }.into());
        }
        Ok(Request {
            msg_id,
            op,
            soul,
            payload,
            deadline_ms,
            idempotency_key,
        })
    }

    fn reply(mut self) -> Result<Reply, ErrorPayload> {
        self.check_version()?;
        let op = self.text("op")?;
        match self.text("kind")?.as_deref() {
            Some("res") => Ok(Reply::Response {
                msg_id: self.required_msg_id()?,
                op,
                payload: self.payload()?,
            }),
            Some("err") => {
                let msg_id = self.natural("msg_id")?;
                let error = from_value(self.payload()?)?;
                Ok(Reply::Error(Rejection { msg_id, op, error }))
            }
            Some("event") => {
                let name = op.ok_or_else(|| bad_envelope("the event has no name"))?;
                let soul = checked_soul(self.text("soul")?)?;
                Ok(Reply::Event(Event {
                    name,
                    soul,
                    payload: self.payload()?,
                }))
            }
            Some(kind) => Err(bad_envelope(format!(
                "a daemon does not send kind {kind:?}"
            ))),
            None => Err(bad_envelope("the envelope has no kind")),
        }
    }

    fn check_version(&mut self) -> Result<(), ErrorPayload> {
        match self.take("v") {
            Value::Int(version) if version == PROTOCOL_VERSION.into() => Ok(()),
            Value::Int(version) => Err(ErrorPayload::new(
                ErrorCode::UnsupportedVersion,
                format!("version {version} of the protocol is not spoken here"),
            )
            .with_detail("versions", vec![PROTOCOL_VERSION])),
            Value::Nil => Err(bad_envelope("the envelope has no v")),
            _ => Err(bad_envelope("v must be an integer")),
        }
    }

    fn required_msg_id(&mut self) -> Result<u64, ErrorPayload> {
        self.natural("msg_id")?
            .ok_or_else(|| bad_envelope("the envelope has no msg_id"))
    }

    /// A payload that is left out is one without fields.
    fn payload(&mut self) -> Result<Value, ErrorPayload> {
        match self.take("payload") {
            Value::Nil => Ok(Value::Map(Vec::new())),
            map @ Value::Map(_) => Ok(map),
            _ => Err(bad_envelope("payload must be a map")),
        }
    }

    fn text(&mut self, key: &str) -> Result<Option<String>, ErrorPayload> {
        match self.take(key) {
            Value::Nil => Ok(None),
            Value::Str(text) => Ok(Some(text)),
            _ => Err(bad_envelope(format!("{key} must be text"))),
        }
    }

    fn natural(&mut self, key: &str) -> Result<Option<u64>, ErrorPayload> {
        match self.take(key) {
            Value::Nil => Ok(None),
            Value::Int(number) => match number.as_u64() {
                Some(number) => Ok(Some(number)),
                None => Err(bad_envelope(format!("{key} must not be negative"))),
            },
            _ => Err(bad_envelope(format!("{key} must be an integer"))),
        }
    }

    /// The value under that key, which is nil from then on, as if it had been absent.
    fn take(&mut self, key: &str) -> Value {
        let found = self.0.iter_mut().find(|(name, _)| name == key);
        found.map_or(Value::Nil, |(_, value)| mem::take(value))
    }

    /// The value under that key, unless a malformed frame has several.
    fn only(&self, key: &str) -> Option<&Value> {
        let mut values = self
            .0
            .iter()
            .filter(|(name, _)| name == key)
            .map(|(_, value)| value);
        match (values.next(), values.next()) {
            (value, None) => value,
            _ => None,
        }
    }
}

fn unknown_op(name: &str) -> ErrorPayload {
    ErrorPayload::new(
        ErrorCode::UnknownOp,
        format!("there is no operation {name:?}; hello lists those there are"),
    )
}

fn checked_soul(name: Option<String>) -> Result<Option<SoulName>, ErrorPayload> {
    let soul = name.map(SoulName::try_from).transpose();
    soul.map_err(|error| ErrorPayload::invalid_argument("soul", error))
}

fn check_idempotency_key(key: Option<&str>) -> Result<(), ErrorPayload> {
    match key.map(|key| key.chars().count()) {
        None | Some(1..=MAX_IDEMPOTENCY_KEY_CHARS) => Ok(()),
        Some(length) => Err(ErrorPayload::invalid_argument(
            "idempotency_key",
            format_args!("has 1 to {MAX_IDEMPOTENCY_KEY_CHARS} characters, not {length}"),
        )),
    }
}
