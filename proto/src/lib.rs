//! The wire of SoulMem: what a client and the daemon say to each other on one machine.
//!
//! - [`Value`] is a message before it has a type; [`decode`] and [`encode`] carry it to and from
//!   MessagePack under the rules of the protocol, [`from_value`] and [`to_value`] to and from Rust types.
//! - [`envelope`] is what every frame has in common: [`Request`] as the daemon reads it, [`Reply`] as a
//!   client does, and what both write.
//! - [`ops`] holds the payloads, one file an operation; [`Op`] names the operations, [`EventName`] the events.
//! - [`ErrorCode`] and [`ErrorPayload`] are every way in which a request can fail.
//! - [`Limits`] are the sizes that both sides keep to, told in `hello`.
//! - [`FrameCodec`] cuts a byte stream into frames.
//!
//! ```
//! use soulmem_proto::{Op, Reply, Request, ops::ping::PingRequest, to_value};
//!
//! let request = Request {
//!     msg_id: 1,
//!     op: Op::Ping,
//!     soul: None,
//!     payload: to_value(&PingRequest {})?,
//!     deadline_ms: Some(500),
//!     idempotency_key: None,
//! };
//! let frame = request.to_frame()?; // what FrameCodec puts on the socket
//! assert_eq!(Request::parse(&frame).unwrap().op, Op::Ping);
//!
//! let no_kind = Request::parse(b"\x82\xa1v\x01\xa6msg_id\x01").unwrap_err();
//! let Reply::Error(answer) = Reply::parse(&no_kind.to_frame()?)? else { panic!() };
//! assert_eq!(answer.msg_id, Some(1));
//! assert_eq!(answer.error.to_string(), "bad_envelope: the envelope has no kind");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The rules of the encoding
//!
//! 1. Every key of a map is text. A struct is a map of its field names, never an array.
//! 2. Text is valid UTF-8 in a `str`; raw bytes are a `bin`. Neither is taken for the other.
//! 3. Absent means that the key is left out; a reader takes `nil` for absent too.
//! 4. Ids are lower-case hyphenated UUIDs, times RFC 3339 in UTC, both as text. Durations and counts are
//!    integers.
//! 5. A writer puts the shortest integer, 64-bit floats, and maps in the order of their keys' bytes. A reader
//!    takes any width and any order, and an integer where a float is due. NaN and the infinities are refused
//!    (`invalid_argument`).
//! 6. Enums are externally tagged: `"Speak"`, `{"Semantic": {…}}`.
//! 7. Unknown keys are ignored. Duplicate keys, extension types, trailing bytes and nesting deeper than
//!    [`MAX_DEPTH`] are refused (`bad_envelope`).
//!
//! Nothing here does I/O or knows the memory engine: payloads that carry notes, links or queries are
//! generic over them.

// What comes from outside may end a request, never the program.
#![cfg_attr(
    not(test),
    warn(
        clippy::expect_used,
        clippy::panic,
        clippy::todo,
        clippy::unimplemented,
        clippy::unreachable
    )
)]

mod codec;
mod decode;
mod encode;
pub mod envelope;
mod error;
mod event;
mod limits;
mod op;
pub mod ops;
mod soul_name;
mod value;

pub use codec::{FrameCodec, FrameError};
pub use decode::{DecodeError, Malformed, decode, weight};
pub use encode::{EncodeError, encode, to_bytes};
pub use envelope::{Event, Rejection, Reply, Request};
pub use error::{ErrorCode, ErrorPayload};
pub use event::{
    ConsolidatedEvent, EventName, LaggedEvent, NoteChangedEvent, ProgressEvent, SoulChange,
    SoulChangedEvent, StateEvent, WindowSummarisedEvent,
};
pub use limits::Limits;
pub use op::Op;
pub use soul_name::{SoulName, SoulNameError};
pub use value::{Integer, PayloadError, Value, from_value, to_value};

/// The protocol version that this crate speaks: the envelope's `v`.
pub const PROTOCOL_VERSION: u64 = 1;

/// How many arrays and maps may be open at once in one frame, the envelope itself among them.
pub const MAX_DEPTH: usize = 64;
