//! A daemon whose disk is full, read-only, closed to it or gone: a clear error and never a silent loss, reads go on, and
//! it serves again by itself.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod denied;
mod full;
mod gone;
mod talk;
