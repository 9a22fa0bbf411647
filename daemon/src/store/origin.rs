//! Exactly once for good: how far each node's outbox has come.
//!
//! An idempotency key is remembered for a day. What waited in an outbox may be sent again much later, so it is numbered
//! by the node that it comes from, and the highest number seen is kept with what it wrote, in the same transaction.

use super::column::Micros;
use super::error::Result;
use super::seal::{Mode, Sealed};
use super::tx::{Tx, View};

pub(super) static ORIGIN: Sealed = Sealed::new("origin", 1, &["origin", "seq", "at"]);

/// Where something comes from, and its number there. Numbers only rise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// The outbox, by a name that no other ever has.
    pub origin: String,
    /// From 1.
    pub seq: i64,
}

impl View {
    /// The highest number seen of an outbox; 0 where nothing was.
    pub fn origin_mark(&self, origin: &str) -> Result<i64> {
        let sql = format!("{} WHERE origin = ?", ORIGIN.select());
        let mark = self.one(&sql, [origin], |row| {
            ORIGIN.check(row, 0)?;
            Ok(row.get(1)?)
        })?;
        Ok(mark.unwrap_or(0))
    }

    /// The highest number of every outbox that was ever heard from, by name.
    pub fn origin_marks(&self) -> Result<Vec<Sent>> {
        let sql = format!("{} ORDER BY origin", ORIGIN.select());
        self.all(&sql, [], |row| {
            ORIGIN.check(row, 0)?;
            Ok(Sent {
                origin: row.get(0)?,
                seq: row.get(1)?,
            })
        })
    }
}

impl Tx {
    /// Whether that is new. If so it counts as seen from now on.
    pub fn first_time(&self, sent: &Sent) -> Result<bool> {
        let mark = self.origin_mark(&sent.origin)?;
        if sent.seq <= mark {
            return Ok(false);
        }
        let mode = if mark == 0 {
            Mode::Insert
        } else {
            Mode::Update
        };
        let now = Micros(self.now());
        let row: [&dyn rusqlite::ToSql; 3] = [&sent.origin, &sent.seq, &now];
        match mode {
            Mode::Insert => ORIGIN.insert(&self.connection, &row)?,
            Mode::Update => {
                ORIGIN.update(&self.connection, &row)?;
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use jiff::Timestamp;
    use soulmem_engine::model::{FixedClock, SequentialIds};

    use super::super::{NewSoul, Store, StoreError, StoreOptions};
    use super::*;

    fn options(now: Timestamp) -> StoreOptions {
        StoreOptions::new(Arc::new(FixedClock(now)), Arc::new(SequentialIds::new()))
    }

    fn create(folder: &Path) -> Store {
        let about = NewSoul::named("x".parse().unwrap());
        Store::create(folder, about, &options(Timestamp::UNIX_EPOCH)).unwrap()
    }

    fn sent(origin: &str, seq: i64) -> Sent {
        Sent {
            origin: origin.to_owned(),
            seq,
        }
    }

    fn first_time(store: &Store, origin: &str, seq: i64) -> bool {
        let sent = sent(origin, seq);
        store.write(move |tx| tx.first_time(&sent)).wait().unwrap()
    }

    #[test]
    fn a_number_is_new_once_for_good_and_each_outbox_counts_for_itself() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("x");
        let store = create(&folder);
        assert!(first_time(&store, "laptop", 1));
        assert!(!first_time(&store, "laptop", 1));
        assert!(first_time(&store, "desktop", 1));
        // Numbers may be left out; none that was passed is new again.
        assert!(first_time(&store, "laptop", 7));
        assert!(!first_time(&store, "laptop", 3));
        drop(store);

        let a_year_later = Timestamp::from_second(31_536_000).unwrap();
        let store = Store::open(&folder, &options(a_year_later)).unwrap();
        assert!(!first_time(&store, "laptop", 7));
        assert!(first_time(&store, "laptop", 8));
        let marks = store.read(View::origin_marks).unwrap();
        assert_eq!(marks, [sent("desktop", 1), sent("laptop", 8)]);
        assert!(store.check(&mut |_| ()).unwrap().is_healthy());
    }

    #[test]
    fn what_fails_does_not_count_as_seen() {
        let home = tempfile::tempdir().unwrap();
        let store = create(&home.path().join("x"));
        let failing = |tx: &Tx| {
            tx.first_time(&sent("laptop", 1))?;
            Err::<(), _>(StoreError::Conflict("no".to_owned()))
        };
        store.write(failing).wait().unwrap_err();
        assert!(first_time(&store, "laptop", 1));
    }
}
