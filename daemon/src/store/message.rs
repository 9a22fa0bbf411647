//! The message log: everything that was said, whole, in the order in which it came.

use jiff::Timestamp;
use rusqlite::types::ToSql;
use rusqlite::{Row, params_from_iter};
use serde::{Deserialize, Serialize};
use soulmem_engine::model::MessageId;
use soulmem_proto::ops::push::Role;

use super::column::{Id, Micros, kept};
use super::error::{Result, StoreError};
use super::seal::Sealed;
use super::tx::{Seq, Tx, View};

pub(super) static MESSAGE: Sealed = Sealed::new(
    "message",
    1,
    &[
        "seq", "id", "role", "name", "text", "at", "tz", "session", "source", "tag",
    ],
);

/// A message to be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMessage {
    /// Its id, new to this memory.
    pub id: MessageId,
    /// Whose part it is.
    pub role: Role,
    /// Name of who said it.
    pub name: Option<String>,
    /// What was said.
    pub text: String,
    /// When.
    pub at: Timestamp,
    /// IANA name of the time zone that it was said in.
    pub tz: Option<String>,
    /// Which talk it belongs to.
    pub session: Option<String>,
    /// Where it came from.
    pub source: Option<String>,
    /// Whether it carries the summary tag; by default every message that fills the window does.
    pub tag: Option<bool>,
}

/// A message of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Its place in the sequence of writing.
    pub seq: Seq,
    /// Its id.
    pub id: MessageId,
    /// Whose part it is.
    pub role: Role,
    /// Name of who said it.
    pub name: Option<String>,
    /// What was said.
    pub text: String,
    /// When.
    pub at: Timestamp,
    /// IANA name of the time zone that it was said in.
    pub tz: Option<String>,
    /// Which talk it belongs to.
    pub session: Option<String>,
    /// Where it came from.
    pub source: Option<String>,
    /// Whether it carries the summary tag.
    pub tag: bool,
}

/// What came of a push.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pushed {
    /// Ids of the messages, in the order given.
    pub ids: Vec<MessageId>,
    /// Messages in the window after it.
    pub len: u64,
    /// Messages that the window can hold.
    pub capacity: u64,
    /// Whether a tagged message has left the window that no summary covers yet.
    pub summary_due: bool,
}

/// Which messages to list: those that meet every condition given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MessageFilter {
    /// Only those said at this time or later.
    pub from: Option<Timestamp>,
    /// Only those said before this time.
    pub to: Option<Timestamp>,
    /// Only those of this talk.
    pub session: Option<String>,
}

/// A page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// What is on it, in the order of writing.
    pub items: Vec<T>,
    /// Where the next page goes on; none on the last.
    pub next: Option<Seq>,
}

impl Tx {
    /// Appends messages to the log and moves the window on.
    pub fn push(&self, messages: &[NewMessage]) -> Result<Pushed> {
        self.push_all(messages.iter().map(|message| (message, None)))
    }

    /// The same for messages that were taken in at an earlier time, elsewhere: their wording fades from then on.
    pub fn push_taken_in(&self, messages: &[(NewMessage, Option<Timestamp>)]) -> Result<Pushed> {
        self.push_all(messages.iter().map(|(message, at)| (message, *at)))
    }

    fn push_all<'m>(
        &self,
        messages: impl Iterator<Item = (&'m NewMessage, Option<Timestamp>)>,
    ) -> Result<Pushed> {
        let mut window = self.window_state()?;
        let before = window.pushed;
        let mut ids = Vec::new();
        for (message, taken_in_at) in messages {
            window.pushed += 1;
            let fills = window.pushed % window.capacity == 0;
            self.append(message, message.tag.unwrap_or(fills), taken_in_at)?;
            ids.push(message.id);
        }
        self.set_window_state(&window)?;
        self.grow(|tally| tally.messages += window.pushed - before);
        Ok(Pushed {
            ids,
            len: self.window_len(&window)?,
            capacity: window.capacity.cast_unsigned(),
            summary_due: self.summary_is_due(&window)?,
        })
    }

    fn append(
        &self,
        message: &NewMessage,
        tag: bool,
        taken_in_at: Option<Timestamp>,
    ) -> Result<()> {
        if self.has_message(message.id)? {
            let reason = format!("the message {} exists already", message.id);
            return Err(StoreError::Conflict(reason));
        }
        let taken_in_at = taken_in_at.map(|at| at.as_microsecond().to_string());
        let seq = self.journal("message.push", Some(message.id.0), taken_in_at.as_deref())?;
        MESSAGE.insert(
            &self.connection,
            &[
                &seq,
                &Id(message.id.0),
                &role_name(message.role),
                &message.name,
                &message.text,
                &Micros(message.at),
                &message.tz,
                &message.session,
                &message.source,
                &tag,
            ],
        )
    }
}

impl View {
    pub(super) fn has_message(&self, id: MessageId) -> Result<bool> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT 1 FROM message WHERE id = ?")?;
        Ok(statement.exists([Id(id.0)])?)
    }

    /// One message, if it is there.
    pub fn message(&self, id: MessageId) -> Result<Option<Message>> {
        self.one(
            &format!("{} WHERE id = ?", MESSAGE.select()),
            [Id(id.0)],
            read,
        )
    }

    /// Those of the messages that are there, in the order asked for.
    pub fn messages(&self, ids: &[MessageId]) -> Result<Vec<Message>> {
        ids.iter()
            .filter_map(|id| self.message(*id).transpose())
            .collect()
    }

    /// A page of the log, oldest first, after the place where the page before ended.
    pub fn list_messages(
        &self,
        filter: &MessageFilter,
        after: Option<Seq>,
        limit: usize,
    ) -> Result<Page<Message>> {
        let after = after.unwrap_or(0);
        let from = filter.from.map(Micros);
        let to = filter.to.map(Micros);
        let wanted = i64::try_from(limit).unwrap_or(i64::MAX).saturating_add(1);
        let mut conditions = vec!["seq > ?"];
        let mut values: Vec<&dyn ToSql> = vec![&after];
        if let Some(from) = &from {
            conditions.push("at >= ?");
            values.push(from);
        }
        if let Some(to) = &to {
            conditions.push("at < ?");
            values.push(to);
        }
        if let Some(session) = &filter.session {
            conditions.push("session = ?");
            values.push(session);
        }
        values.push(&wanted);
        let sql = format!(
            "{} WHERE {} ORDER BY seq LIMIT ?",
            MESSAGE.select(),
            conditions.join(" AND ")
        );
        let items = self.all(&sql, params_from_iter(values), read)?;
        Ok(Page::cut(items, limit, |message| message.seq))
    }

    /// The last message up to a place in the sequence of writing.
    pub fn last_message_before(&self, place: Seq) -> Result<Option<MessageId>> {
        let sql = "SELECT id FROM message WHERE seq <= ? ORDER BY seq DESC LIMIT 1";
        self.one(sql, [place], |row| Ok(MessageId(row.get::<_, Id>(0)?.0)))
    }

    /// Goes through the whole log, oldest first.
    pub fn for_each_message(&self, mut each: impl FnMut(Message) -> Result<()>) -> Result<()> {
        let sql = format!("{} ORDER BY seq", MESSAGE.select());
        self.each(&sql, [], |row| each(read(row)?))
    }
}

impl<T> Page<T> {
    /// A page out of what was found when asking for one more than `limit`.
    pub(super) fn cut(mut items: Vec<T>, limit: usize, seq: impl Fn(&T) -> Seq) -> Self {
        let more = items.len() > limit;
        items.truncate(limit);
        let next = if more { items.last().map(seq) } else { None };
        Self { items, next }
    }
}

/// A message from the columns of its table, checked.
pub(super) fn read(row: &Row<'_>) -> Result<Message> {
    MESSAGE.check(row, 0)?;
    let role: String = row.get(2)?;
    Ok(Message {
        seq: row.get(0)?,
        id: MessageId(row.get::<_, Id>(1)?.0),
        role: role_from(&role)
            .ok_or_else(|| MESSAGE.damaged(row, 0, format!("unknown role {role}")))?,
        name: row.get(3)?,
        text: row.get(4)?,
        at: row.get::<_, Micros>(5)?.0,
        tz: row.get(6)?,
        session: row.get(7)?,
        source: row.get(8)?,
        tag: row.get(9)?,
    })
}

fn role_name(role: Role) -> &'static str {
    match role {
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::System => "system",
    }
}

fn role_from(name: &str) -> Option<Role> {
    [Role::User, Role::Assistant, Role::System]
        .into_iter()
        .find(|role| role_name(*role) == name)
}

impl NewMessage {
    /// The message as it will be read back, at its place in the sequence.
    pub fn at_seq(&self, seq: Seq, tag: bool) -> Message {
        Message {
            seq,
            id: self.id,
            role: self.role,
            name: self.name.clone(),
            text: self.text.clone(),
            at: kept(self.at),
            tz: self.tz.clone(),
            session: self.session.clone(),
            source: self.source.clone(),
            tag,
        }
    }
}
