//! Every table of the schema: what goes before what, and which of them can be made again from others.

use super::idempotency::IDEMPOTENCY;
use super::job::{JOB, LLM_REPLY};
use super::link::LINK;
use super::message::MESSAGE;
use super::note::{NOTE, STATE};
use super::origin::ORIGIN;
use super::profile::META;
use super::recall::{MESSAGE_STATE, RECALL};
use super::seal::Sealed;
use super::tx::{JOURNAL, TALLY};
use super::vector::{MESSAGE_VECTOR, NOTE_VECTOR};
use super::vector_model::VECTOR_MODEL;
use super::window::{SUMMARY, WINDOW};
use super::wording::WORDING;
use super::words::{DICTIONARY, MESSAGE_WORDS, NOTE_WORDS};

/// Whether what is lost with a table's row is lost for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Worth {
    /// It is the only place where that is kept.
    Truth,
    /// It can be made again from what is kept elsewhere.
    Derived,
}

/// The sealed tables, each after those that it refers to.
pub(super) static TABLES: [(&Sealed, Worth); 21] = [
    (&META, Worth::Truth),
    (&JOURNAL, Worth::Truth),
    (&NOTE, Worth::Truth),
    (&STATE, Worth::Truth),
    (&WORDING, Worth::Truth),
    (&LINK, Worth::Truth),
    (&MESSAGE, Worth::Truth),
    (&MESSAGE_STATE, Worth::Truth),
    (&WINDOW, Worth::Truth),
    (&SUMMARY, Worth::Truth),
    (&DICTIONARY, Worth::Truth),
    (&RECALL, Worth::Truth),
    (&JOB, Worth::Truth),
    (&LLM_REPLY, Worth::Truth),
    (&IDEMPOTENCY, Worth::Truth),
    (&ORIGIN, Worth::Truth),
    (&VECTOR_MODEL, Worth::Derived),
    (&NOTE_VECTOR, Worth::Derived),
    (&MESSAGE_VECTOR, Worth::Derived),
    (&NOTE_WORDS, Worth::Derived),
    (&MESSAGE_WORDS, Worth::Derived),
];

/// The schema version that brought a table: a snapshot of an earlier one does not have it.
pub(super) fn since(table: &Sealed) -> u32 {
    if table.table() == ORIGIN.table() {
        2
    } else {
        1
    }
}

/// The tally, which is counted anew where it is wrong.
pub(super) static COUNTED: &Sealed = &TALLY;
