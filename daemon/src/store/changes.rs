//! Following what is written: the journal, entry by entry.

use jiff::Timestamp;
use uuid::Uuid;

use super::column::{Id, Micros};
use super::error::Result;
use super::tx::{JOURNAL, Seq, View};

/// One change, as the journal has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalEntry {
    /// Its place in the sequence of writing.
    pub seq: Seq,
    /// What was done, such as `note.create` or `message.push`.
    pub what: String,
    /// The note, link or message that it was done to, where it was one.
    pub subject: Option<Uuid>,
}

impl View {
    /// The seal of the entry at a place in the sequence, if there is one: no other history has the same entry there.
    pub fn journal_seal(&self, seq: Seq) -> Result<Option<i64>> {
        self.one("SELECT seal FROM journal WHERE seq = ?", [seq], |row| {
            Ok(row.get(0)?)
        })
    }

    /// When the message that has this place in the sequence was taken in: when it was written, unless it was taken in before,
    /// elsewhere, and came here in an archive.
    pub fn taken_in_at(&self, message: Seq) -> Result<Option<Timestamp>> {
        let sql = format!("{} WHERE seq = ?", JOURNAL.select());
        self.one(&sql, [message], |row| {
            JOURNAL.check(row, 0)?;
            let elsewhere: Option<String> = row.get(4)?;
            let elsewhere = elsewhere.and_then(|micros| micros.parse().ok());
            let elsewhere = elsewhere.and_then(|micros| Timestamp::from_microsecond(micros).ok());
            Ok(elsewhere.unwrap_or(row.get::<_, Micros>(1)?.0))
        })
    }

    /// The changes after a place in the sequence, oldest first.
    pub fn changes(&self, after: Seq) -> Result<Vec<JournalEntry>> {
        let sql = format!("{} WHERE seq > ? ORDER BY seq", JOURNAL.select());
        self.all(&sql, [after], |row| {
            JOURNAL.check(row, 0)?;
            let subject = row.get::<_, Option<Id>>(3)?.map(|id| id.0);
            Ok(JournalEntry {
                seq: row.get(0)?,
                what: row.get(2)?,
                subject,
            })
        })
    }
}
