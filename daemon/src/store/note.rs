//! Reading notes.

use std::sync::LazyLock;

use jiff::Timestamp;
use rusqlite::types::ToSql;
use rusqlite::{Row, TransactionState, params_from_iter};
use soulmem_engine::model::{Affect, MemoryNote, NoteId, NoteKind};
use soulmem_proto::ops::stats::NoteState;

use super::column::{Id, Micros, from_json};
use super::error::{Result, StoreError};
use super::message::Page;
use super::seal::Sealed;
use super::tx::{Seq, View};

pub(super) static NOTE: Sealed = Sealed::new(
    "note",
    1,
    &[
        "seq",
        "id",
        "kind",
        "revision",
        "created_at",
        "updated_at",
        "valid_from",
        "valid_until",
        "superseded_by",
        "deleted_at",
        "body",
        "tags",
        "source",
        "anchors",
    ],
);

/// What happens to a note without changing what it says.
pub(super) static STATE: Sealed = Sealed::new(
    "note_state",
    1,
    &[
        "note",
        "retrieval_count",
        "last_accessed_at",
        "activation_count",
        "last_active_at",
        "affect",
        "archived_at",
    ],
);

/// All notes, deleted ones too, with their state; conditions are appended.
static SELECT_ANY: LazyLock<String> = LazyLock::new(|| {
    format!(
        "SELECT {}, {} FROM note LEFT JOIN note_state ON note_state.note = note.seq",
        NOTE.columns(),
        STATE.columns()
    )
});

/// Notes that were not deleted, with their state; more conditions are appended.
static SELECT: LazyLock<String> =
    LazyLock::new(|| format!("{} WHERE note.deleted_at IS NULL", *SELECT_ANY));

/// A note as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredNote {
    /// Its place in the sequence of writing.
    pub seq: Seq,
    /// The note with its outgoing links, oldest first.
    pub note: MemoryNote,
    /// When it was last written.
    pub updated_at: Timestamp,
    /// When it faded out of recall, if it did.
    pub archived_at: Option<Timestamp>,
}

/// Which notes to list: those that meet every condition given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NoteFilter {
    /// Only notes of this kind.
    pub kind: Option<NoteKind>,
    /// Only notes with this tag.
    pub tag: Option<String>,
    /// Only notes in this state.
    pub state: Option<NoteState>,
    /// Only what was held true at this time, as it was known then.
    pub as_of: Option<Timestamp>,
}

impl View {
    /// One note, if it is there and was not deleted.
    pub fn note(&self, id: NoteId) -> Result<Option<StoredNote>> {
        self.note_without_links(id)?
            .map(|note| self.with_links(note))
            .transpose()
    }

    /// One note without its links, even if it was deleted, as long as it was not erased.
    pub(super) fn any_note(&self, id: NoteId) -> Result<Option<StoredNote>> {
        self.one(
            &format!("{} WHERE note.id = ?", *SELECT_ANY),
            [Id(id.0)],
            read,
        )
    }

    pub(super) fn note_without_links(&self, id: NoteId) -> Result<Option<StoredNote>> {
        self.one(&format!("{} AND note.id = ?", *SELECT), [Id(id.0)], read)
    }

    /// Those of the notes that are there, in the order asked for.
    pub fn notes(&self, ids: &[NoteId]) -> Result<Vec<StoredNote>> {
        ids.iter()
            .filter_map(|id| self.note(*id).transpose())
            .collect()
    }

    /// A page of the notes in the order of their writing, after the place where the page before ended.
    ///
    /// `now` decides what is current.
    pub fn list_notes(
        &self,
        filter: &NoteFilter,
        now: Timestamp,
        after: Option<Seq>,
        limit: usize,
    ) -> Result<Page<StoredNote>> {
        let mut query = Query::new(after.unwrap_or(0));
        query.narrow(filter, now);
        let items = self.select_notes(&query, limit)?;
        Ok(Page::cut(items, limit, |note| note.seq))
    }

    /// Goes through all notes that were not deleted, in the order of their writing.
    pub fn for_each_note(&self, mut each: impl FnMut(StoredNote) -> Result<()>) -> Result<()> {
        let sql = format!("{} ORDER BY note.seq", *SELECT);
        let mut links = 0;
        self.each(&sql, [], |row| {
            let note = self.with_links(read(row)?)?;
            links += note.note.mem_links.len() as u64;
            each(note)
        })?;
        // Links are found by an index: a damaged one would hide some. In the middle of a write the tally is behind.
        let writing = self.connection.transaction_state(None::<&str>)? == TransactionState::Write;
        let expected = self.tally()?.links.cast_unsigned();
        if !writing && links != expected {
            let reason = format!(
                "table link: {links} links were found from notes, there must be {expected}"
            );
            return Err(StoreError::corrupt(reason));
        }
        Ok(())
    }

    fn select_notes(&self, query: &Query, limit: usize) -> Result<Vec<StoredNote>> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX).saturating_add(1);
        let sql = format!("{} {} ORDER BY note.seq LIMIT ?", *SELECT, query.conditions);
        let values = query
            .values
            .iter()
            .map(|value| &**value)
            .chain([&limit as &dyn ToSql]);
        self.all(&sql, params_from_iter(values), |row| {
            self.with_links(read(row)?)
        })
    }

    fn with_links(&self, mut note: StoredNote) -> Result<StoredNote> {
        note.note.mem_links = self.links_from(note.seq, note.note.id)?;
        Ok(note)
    }
}

/// Conditions on notes, and the values in them.
struct Query {
    conditions: String,
    values: Vec<Box<dyn ToSql>>,
}

impl Query {
    fn new(after: Seq) -> Self {
        Self {
            conditions: " AND note.seq > ?".to_owned(),
            values: vec![Box::new(after)],
        }
    }

    fn and(&mut self, condition: &str, values: Vec<Box<dyn ToSql>>) {
        self.conditions.push_str(" AND ");
        self.conditions.push_str(condition);
        self.values.extend(values);
    }

    fn narrow(&mut self, filter: &NoteFilter, now: Timestamp) {
        if let Some(kind) = filter.kind {
            self.and("note.kind = ?", vec![Box::new(kind.as_str())]);
        }
        if let Some(tag) = &filter.tag {
            let condition =
                "EXISTS (SELECT 1 FROM json_each(note.tags) AS tag WHERE tag.value = ?)";
            self.and(condition, vec![Box::new(tag.clone())]);
        }
        if let Some(state) = filter.state {
            self.and(state_condition(state), vec![Box::new(Micros(now))]);
        }
        if let Some(then) = filter.as_of {
            let condition = "note.created_at <= ? AND note.valid_from <= ? \
                             AND (note.valid_until IS NULL OR note.valid_until > ?)";
            let then = || -> Box<dyn ToSql> { Box::new(Micros(then)) };
            self.and(condition, vec![then(), then(), then()]);
        }
    }
}

/// Each state as a condition with one value: the present.
pub(super) fn state_condition(state: NoteState) -> &'static str {
    match state {
        NoteState::Current => {
            "(note_state.archived_at IS NULL AND note.superseded_by IS NULL \
             AND (note.valid_until IS NULL OR note.valid_until > ?))"
        }
        NoteState::Superseded => {
            "(note_state.archived_at IS NULL AND (note.superseded_by IS NOT NULL OR note.valid_until <= ?))"
        }
        NoteState::Archived => "(note_state.archived_at IS NOT NULL AND ? IS NOT NULL)",
    }
}

/// A note without its links, from the columns of both tables, checked.
pub(super) fn read(row: &Row<'_>) -> Result<StoredNote> {
    NOTE.check(row, 0)?;
    let state = NOTE.width() + 1;
    if row.get::<_, Option<Seq>>(state)?.is_none() {
        return Err(NOTE.damaged(row, 0, "its row in note_state is missing"));
    }
    STATE.check(row, state)?;
    let time = |column: usize| row.get::<_, Micros>(column).map(|micros| micros.0);
    let text = |column: usize| row.get::<_, String>(column);
    let note = MemoryNote {
        id: NoteId(row.get::<_, Id>(1)?.0),
        tags: parse(row, "tags", &text(11)?)?,
        mem_type: parse(row, "body", &text(10)?)?,
        created_at: time(4)?,
        last_accessed_at: time(state + 2)?,
        retrieval_count: row.get::<_, i64>(state + 1)?.cast_unsigned(),
        revision: row.get::<_, i64>(3)?.cast_unsigned(),
        source: parse(row, "source", &text(12)?)?,
        valid_from: time(6)?,
        valid_until: row.get::<_, Option<Micros>>(7)?.map(|micros| micros.0),
        superseded_by: row.get::<_, Option<Id>>(8)?.map(|id| NoteId(id.0)),
        affect: Affect {
            activation_count: row.get(state + 3)?,
            last_active_at: time(state + 4)?,
            ..parse(row, "affect", &text(state + 5)?)?
        },
        anchors: parse(row, "anchors", &text(13)?)?,
        mem_links: Vec::new(),
    };
    Ok(StoredNote {
        seq: row.get(0)?,
        note,
        updated_at: time(5)?,
        archived_at: row
            .get::<_, Option<Micros>>(state + 6)?
            .map(|micros| micros.0),
    })
}

fn parse<T: serde::de::DeserializeOwned>(row: &Row<'_>, column: &str, text: &str) -> Result<T> {
    from_json(column, text).map_err(|reason| NOTE.damaged(row, 0, reason))
}
