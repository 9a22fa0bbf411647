//! How far the outboxes of other nodes have come, and taking that along when a character moves.

use soulmem_proto::ops::push::Origin;

use super::character::Soul;
use super::error::{Result, SoulError};
use super::write::WriteOrder;
use crate::store::{Sent, Tx, View};

/// Longest name of an outbox.
const MAX_ORIGIN_CHARS: usize = 64;

impl Soul {
    /// The last place in its journal.
    pub async fn position(&self) -> Result<u64> {
        Ok(self.read(View::last_seq).await?.cast_unsigned())
    }

    /// Returns when everything that was handed to the store before is on the disk. What the disk does not take is
    /// acknowledged to nobody.
    pub async fn finish_writing(&self) {
        if let Err(error) = self.write(WriteOrder::default(), |_| Ok(())).await {
            tracing::warn!(soul = %self.name(), %error, "nothing can be written any more");
        }
    }

    /// How far every outbox that it ever heard from has come.
    pub async fn marks(&self) -> Result<Vec<Origin>> {
        let marks = self.read(View::origin_marks).await?;
        let wire = |sent: Sent| Origin {
            id: sent.origin,
            seq: sent.seq.cast_unsigned(),
        };
        Ok(marks.into_iter().map(wire).collect())
    }

    /// Raises marks to those of another copy. None is lowered.
    pub async fn raise_marks(&self, marks: Vec<Origin>) -> Result<()> {
        if marks.is_empty() {
            return Ok(());
        }
        let checked = marks.into_iter().enumerate();
        let marks = checked
            .map(|(index, mark)| sent(mark, &format!("marks[{index}]")))
            .collect::<Result<Vec<_>>>()?;
        let raise = move |tx: &Tx| {
            for mark in &marks {
                tx.first_time(mark)?;
            }
            Ok(())
        };
        self.write(WriteOrder::default(), raise).await?;
        Ok(())
    }
}

/// Where something comes from, checked; `place` is its path in the request.
pub(super) fn sent(Origin { id, seq }: Origin, place: &str) -> Result<Sent> {
    if id.is_empty() || id.chars().count() > MAX_ORIGIN_CHARS {
        let reason = format!("must have 1 to {MAX_ORIGIN_CHARS} characters");
        return Err(SoulError::invalid(format!("{place}.id"), reason));
    }
    match i64::try_from(seq) {
        Ok(seq) if seq > 0 => Ok(Sent { origin: id, seq }),
        _ => Err(SoulError::invalid(
            format!("{place}.seq"),
            "must be from 1 to 2^63 - 1",
        )),
    }
}
