//! Recalls that were made elsewhere: kept as they were, and not counted again.

use std::collections::BTreeSet;

use jiff::Timestamp;
use soulmem_engine::model::{MessageId, NoteId};

use super::column::Micros;
use super::error::Result;
use super::recall::{MESSAGE_STATE, RECALL, Uses};
use super::tx::Tx;

impl Tx {
    /// Says how often a message was recalled. False if it is not there.
    pub fn set_message_use(&self, id: MessageId, uses: Uses) -> Result<bool> {
        let Some(message) = self.message_seq(id)? else {
            return Ok(false);
        };
        let count = i64::try_from(uses.retrieval_count).unwrap_or(i64::MAX);
        MESSAGE_STATE.put(
            &self.connection,
            &[&message, &count, &Micros(uses.last_accessed_at)],
        )?;
        Ok(true)
    }

    /// Keeps that notes came up together; those that are not there are left out.
    pub fn put_recall(&self, at: Timestamp, mode: &str, notes: &[NoteId]) -> Result<()> {
        let seq = self.journal("recall", None, None)?;
        let mut together = Vec::new();
        for id in notes.iter().copied().collect::<BTreeSet<_>>() {
            if let Some(note) = self.note_without_links(id)? {
                together.extend(note.seq.to_le_bytes());
            }
        }
        RECALL.insert(&self.connection, &[&seq, &Micros(at), &mode, &together])
    }
}
