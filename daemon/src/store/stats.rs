//! How much there is.

use std::collections::BTreeMap;

use jiff::Timestamp;
use soulmem_engine::model::NoteKind;
use soulmem_proto::ops::stats::NoteState;

use super::column::Micros;
use super::connection::header;
use super::error::{Result, StoreError};
use super::note::state_condition;
use super::tx::View;

/// How much a memory holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stats {
    /// Notes of each kind that has any.
    pub notes_by_kind: BTreeMap<NoteKind, u64>,
    /// Notes in each state that has any.
    pub notes_by_state: BTreeMap<NoteState, u64>,
    /// Links, those that wait for their target among them.
    pub links: u64,
    /// Messages in the log.
    pub messages: u64,
    /// Version of the database's schema.
    pub schema: u32,
    /// Size of the database without its log, in bytes.
    pub bytes: u64,
}

impl View {
    /// How much the memory holds; `now` decides what is current.
    pub fn stats(&self, now: Timestamp) -> Result<Stats> {
        let pragma = |name| {
            self.connection
                .pragma_query_value(None, name, |row| row.get::<_, i64>(0))
        };
        Ok(Stats {
            notes_by_kind: self.notes_by_kind()?,
            notes_by_state: self.notes_by_state(now)?,
            links: self.count("SELECT count(*) FROM link", None)?,
            messages: self.count("SELECT count(*) FROM message", None)?,
            schema: header(&self.connection)?.schema,
            bytes: (pragma("page_count")? * pragma("page_size")?).cast_unsigned(),
        })
    }

    fn notes_by_kind(&self) -> Result<BTreeMap<NoteKind, u64>> {
        let kinds = [
            NoteKind::Semantic,
            NoteKind::SpecificSituation,
            NoteKind::AbstractSituation,
            NoteKind::Procedure,
        ];
        let sql = "SELECT kind, count(*) FROM note WHERE deleted_at IS NULL GROUP BY kind";
        let mut counts = BTreeMap::new();
        self.each(sql, [], |row| {
            let name: String = row.get(0)?;
            let kind = kinds.into_iter().find(|kind| kind.as_str() == name);
            let kind = kind
                .ok_or_else(|| StoreError::corrupt(format!("table note: unknown kind {name}")))?;
            counts.insert(kind, row.get::<_, i64>(1)?.cast_unsigned());
            Ok(())
        })?;
        Ok(counts)
    }

    fn notes_by_state(&self, now: Timestamp) -> Result<BTreeMap<NoteState, u64>> {
        let mut counts = BTreeMap::new();
        for state in [
            NoteState::Current,
            NoteState::Superseded,
            NoteState::Archived,
        ] {
            let sql = format!(
                "SELECT count(*) FROM note JOIN note_state ON note_state.note = note.seq \
                 WHERE note.deleted_at IS NULL AND {}",
                state_condition(state)
            );
            let found = self.count(&sql, Some(Micros(now)))?;
            if found > 0 {
                counts.insert(state, found);
            }
        }
        Ok(counts)
    }

    fn count(&self, sql: &str, value: Option<Micros>) -> Result<u64> {
        let found = self.one(sql, rusqlite::params_from_iter(value), |row| {
            Ok(row.get::<_, i64>(0)?)
        })?;
        Ok(found.unwrap_or(0).cast_unsigned())
    }
}
