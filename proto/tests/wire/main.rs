//! The wire from outside: the golden vectors of `fixtures/wire`, typed payloads, laws and the frame codec.

// clippy knows the test functions, but not what they share.
#![allow(clippy::unwrap_used)]

mod codec;
mod envelopes;
mod golden;
mod laws;
mod names;
mod payloads;
mod vectors;
