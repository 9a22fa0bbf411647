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
//! Nothing here does I/O or knows the memory engine: payloads that carry notes, links or queries are
//! generic over them.

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
pub use decode::{DecodeError, Malformed, decode};
pub use encode::{EncodeError, encode, to_bytes};
pub use envelope::{Event, Rejection, Reply, Request};
pub use error::{ErrorCode, ErrorPayload};
pub use event::{
    EventName, LaggedEvent, NoteChangedEvent, SoulChange, SoulChangedEvent, StateEvent,
};
pub use limits::Limits;
pub use op::Op;
pub use soul_name::{SoulName, SoulNameError};
pub use value::{Integer, PayloadError, Value, from_value, to_value};

/// The protocol version that this crate speaks: the envelope's `v`.
pub const PROTOCOL_VERSION: u64 = 1;

/// How many arrays and maps may be open at once in one frame, the envelope itself among them.
pub const MAX_DEPTH: usize = 64;
