//! A character whose clock the tests turn: what it has forgotten, what it still tells, and what it gets back.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod life;
mod reimagining;
mod rounds;
mod telling;
mod year;
