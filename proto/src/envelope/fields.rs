//! An envelope's keys, checked one by one.

use std::mem;

use super::{Event, MAX_IDEMPOTENCY_KEY_CHARS, Rejection, Reply, Request, bad_envelope};
use crate::{
    DecodeError, ErrorCode, ErrorPayload, Op, PROTOCOL_VERSION, SoulName, Value, from_value,
    value::path::{Path, first_non_finite},
};

/// The entries of an envelope, taken out one by one.
pub(super) struct Fields(pub(super) Vec<(String, Value)>);

impl Fields {
    pub(super) fn request(&mut self) -> Result<Request, ErrorPayload> {
        self.check_version()?;
        self.check_finite()?;
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
        Ok(Request {
            msg_id,
            op,
            soul,
            payload,
            deadline_ms,
            idempotency_key,
        })
    }

    pub(super) fn reply(mut self) -> Result<Reply, ErrorPayload> {
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

    /// Errors name a field of the payload by its path there, one of the envelope by its key.
    fn check_finite(&self) -> Result<(), ErrorPayload> {
        let non_finite = self
            .0
            .iter()
            .find_map(|(name, value)| match (name.as_str(), value) {
                ("payload", Value::Map(_)) => first_non_finite(value, Path::Root),
                (name, value) => first_non_finite(value, Path::Key(&Path::Root, name)),
            });
        match non_finite {
            Some(field) => Err(DecodeError::NonFinite { field }.into()),
            None => Ok(()),
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
    pub(super) fn only(&self, key: &str) -> Option<&Value> {
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
