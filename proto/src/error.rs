use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{DecodeError, EncodeError, PayloadError, Value};

/// Why a request failed, as a word that programs can act on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// Not MessagePack, or not the shape of an envelope.
    BadEnvelope,
    /// The envelope's `v` is not one that the daemon speaks.
    UnsupportedVersion,
    /// The first request of the connection was not a good `hello`.
    Unauthenticated,
    /// No such operation, or it is not built yet.
    UnknownOp,
    /// No such character.
    UnknownSoul,
    /// No such note, link or message.
    NotFound,
    /// A field is missing or out of range; `details.field` is its path in the payload.
    InvalidArgument,
    /// The thing exists, changed meanwhile, or is owned elsewhere.
    Conflict,
    /// A frame, text or batch is over its limit.
    TooLarge,
    /// The in-flight or queue limit is reached.
    Overloaded,
    /// The time that the client gave has passed.
    DeadlineExceeded,
    /// Shutting down, or something that this operation cannot do without is down.
    Unavailable,
    /// The disk is full.
    StorageFull,
    /// The database is damaged.
    Corrupt,
    /// A bug; a log line with the same `msg_id` has the details.
    Internal,
}

impl ErrorCode {
    /// Every code.
    pub const ALL: [ErrorCode; 15] = [
        ErrorCode::BadEnvelope,
        ErrorCode::UnsupportedVersion,
        ErrorCode::Unauthenticated,
        ErrorCode::UnknownOp,
        ErrorCode::UnknownSoul,
        ErrorCode::NotFound,
        ErrorCode::InvalidArgument,
        ErrorCode::Conflict,
        ErrorCode::TooLarge,
        ErrorCode::Overloaded,
        ErrorCode::DeadlineExceeded,
        ErrorCode::Unavailable,
        ErrorCode::StorageFull,
        ErrorCode::Corrupt,
        ErrorCode::Internal,
    ];

    /// The code as it stands on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            ErrorCode::BadEnvelope => "bad_envelope",
            ErrorCode::UnsupportedVersion => "unsupported_version",
            ErrorCode::Unauthenticated => "unauthenticated",
            ErrorCode::UnknownOp => "unknown_op",
            ErrorCode::UnknownSoul => "unknown_soul",
            ErrorCode::NotFound => "not_found",
            ErrorCode::InvalidArgument => "invalid_argument",
            ErrorCode::Conflict => "conflict",
            ErrorCode::TooLarge => "too_large",
            ErrorCode::Overloaded => "overloaded",
            ErrorCode::DeadlineExceeded => "deadline_exceeded",
            ErrorCode::Unavailable => "unavailable",
            ErrorCode::StorageFull => "storage_full",
            ErrorCode::Corrupt => "corrupt",
            ErrorCode::Internal => "internal",
        }
    }

    /// Whether the same request may succeed later without any change to it.
    pub const fn retryable(self) -> bool {
        matches!(
            self,
            ErrorCode::Overloaded | ErrorCode::DeadlineExceeded | ErrorCode::Unavailable
        )
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Longest message of an error, and longest path of a field in it, in bytes of UTF-8. Both may repeat what a
/// client sent, which must neither fill a log nor make the answer longer than a frame.
pub const MAX_ERROR_TEXT_BYTES: usize = 2_000;

/// The payload of an `err` frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[error("{code}: {message}")]
pub struct ErrorPayload {
    /// The kind of failure.
    pub code: ErrorCode,
    /// What happened and what to do, in words for people.
    pub message: String,
    /// Whether the same request may succeed later; follows from the code.
    pub retryable: bool,
    /// What a program may want to know beside the code: a map such as `{"field": "messages[3].text"}`.
    pub details: Option<Value>,
}

impl ErrorPayload {
    /// An error of that kind without details. A message over [`MAX_ERROR_TEXT_BYTES`] is cut.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: shortened(message.into()),
            retryable: code.retryable(),
            details: None,
        }
    }

    /// An `invalid_argument` about the field at that path of the payload.
    pub fn invalid_argument(field: &str, message: impl fmt::Display) -> Self {
        Self::new(ErrorCode::InvalidArgument, format!("{field}: {message}"))
            .with_detail("field", shortened(field.to_owned()))
    }

    /// The same error with one more entry in its details.
    #[must_use]
    pub fn with_detail(mut self, name: &str, value: impl Into<Value>) -> Self {
        let entry = (name.to_owned(), value.into());
        match &mut self.details {
            Some(Value::Map(details)) => details.push(entry),
            details => *details = Some(Value::Map(vec![entry])),
        }
        self
    }

    /// The path of the field that the error is about, if it says.
    pub fn field(&self) -> Option<&str> {
        self.details.as_ref()?.get("field")?.as_str()
    }
}

fn shortened(mut text: String) -> String {
    if text.len() > MAX_ERROR_TEXT_BYTES {
        let is_border = |at: &usize| text.is_char_boundary(*at);
        let end = (0..=MAX_ERROR_TEXT_BYTES).rev().find(is_border);
        text.truncate(end.unwrap_or_default());
        text.push('…');
    }
    text
}

impl From<PayloadError> for ErrorPayload {
    fn from(error: PayloadError) -> Self {
        Self::invalid_argument(&error.field, error.message)
    }
}

impl From<DecodeError> for ErrorPayload {
    fn from(error: DecodeError) -> Self {
        match &error {
            DecodeError::Malformed { .. } => Self::new(ErrorCode::BadEnvelope, error.to_string()),
            DecodeError::NonFinite { field } => {
                Self::invalid_argument(field, "must be a finite number")
            }
        }
    }
}

/// What the daemon says cannot be written is the daemon's fault.
impl From<EncodeError> for ErrorPayload {
    fn from(error: EncodeError) -> Self {
        Self::new(ErrorCode::Internal, error.to_string())
    }
}
