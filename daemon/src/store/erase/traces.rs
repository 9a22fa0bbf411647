//! What erased texts may have left in places that are not theirs: job reports, answers, replies, words.

use rusqlite::types::Value;
use uuid::Uuid;

use super::super::error::Result;
use super::super::idempotency::IDEMPOTENCY;
use super::super::job::JOB;
use super::super::seal::Sealed;
use super::super::tx::Tx;
use super::Erased;

/// Shorter texts of messages, in bytes, are found everywhere and say nothing.
const SHORTEST_TEXT: usize = 4;

/// Shorter texts of notes are words that others use too.
const SHORTEST_NAME: usize = 12;

/// The texts and ids that were erased, in every form in which they may stand somewhere.
#[derive(Debug, Default)]
pub(super) struct Traces {
    texts: Vec<String>,
    names: Vec<String>,
    needles: Vec<Vec<u8>>,
    hex: Vec<Vec<u8>>,
}

impl Traces {
    /// The text of a message that was erased.
    pub fn text(&mut self, text: &str) {
        if text.len() >= SHORTEST_TEXT {
            self.texts.push(text.to_owned());
            self.look_for(text);
        }
    }

    /// A text of a note that was erased: it may be a word of the character's own.
    pub fn name(&mut self, name: &str) {
        self.names.push(name.to_owned());
        if name.len() >= SHORTEST_NAME {
            self.look_for(name);
        }
    }

    fn look_for(&mut self, text: &str) {
        self.needles.push(text.as_bytes().to_vec());
        // Inside JSON, quotes and line breaks look different.
        if let Ok(quoted) = serde_json::to_string(text) {
            self.needles
                .push(quoted.trim_matches('"').as_bytes().to_vec());
        }
    }

    pub fn ids(&mut self, ids: impl Iterator<Item = Uuid>) {
        for id in ids {
            self.needles.push(id.as_bytes().to_vec());
            self.needles
                .push(id.as_hyphenated().to_string().into_bytes());
            self.hex.push(id.as_simple().to_string().into_bytes());
        }
    }

    /// Whether an id stands in hexadecimal, as in a row that was set aside.
    fn hex_is_in(&self, bytes: &[u8]) -> bool {
        self.hex.iter().any(|id| {
            bytes
                .windows(id.len())
                .any(|window| window == id.as_slice())
        })
    }

    fn is_in(&self, bytes: &[u8]) -> bool {
        self.needles.iter().any(|needle| {
            bytes
                .windows(needle.len())
                .any(|window| window == needle.as_slice())
        })
    }
}

impl Tx {
    pub(super) fn erase_traces(&self, traces: &Traces, erased: &mut Erased) -> Result<()> {
        if traces.needles.is_empty() {
            return Ok(());
        }
        // A reply may paraphrase: none is kept.
        erased.llm_replies = self.connection.execute("DELETE FROM llm_reply", [])? as u64;
        erased.answers = self.blank(&IDEMPOTENCY, &[3], traces)?;
        erased.traces = self.blank(&JOB, &[8, 9, 10], traces)? + self.empty_inputs(traces)?;
        erased.traces += self.erase_facts(traces)?;
        for name in &traces.names {
            erased.traces += self
                .connection
                .execute("DELETE FROM dictionary WHERE word = ?", [name])?
                as u64;
        }
        erased.aside = self.erase_aside(traces)?;
        self.find_quotes(traces, erased)
    }

    /// Empties those of the columns that hold a trace; returns in how many rows.
    fn blank(&self, table: &Sealed, columns: &[usize], traces: &Traces) -> Result<u64> {
        let mut changed = 0;
        for mut values in self.values(table)? {
            let mut found = false;
            for column in columns {
                if holds(&values[*column], traces) {
                    values[*column] = Value::Null;
                    found = true;
                }
            }
            if found {
                self.rewrite(table, &values)?;
                changed += 1;
            }
        }
        Ok(changed)
    }

    /// A job's input cannot be missing: it becomes empty.
    fn empty_inputs(&self, traces: &Traces) -> Result<u64> {
        const INPUT: usize = 7;
        let mut changed = 0;
        for mut values in self.values(&JOB)? {
            if holds(&values[INPUT], traces) {
                values[INPUT] = Value::Text(String::new());
                self.rewrite(&JOB, &values)?;
                changed += 1;
            }
        }
        Ok(changed)
    }

    fn erase_facts(&self, traces: &Traces) -> Result<u64> {
        let facts = self.all(
            "SELECT key, value FROM meta WHERE key <> 'profile'",
            [],
            |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)),
        )?;
        let mut gone = 0;
        for (key, value) in facts {
            if traces.is_in(value.as_bytes()) {
                gone += self
                    .connection
                    .execute("DELETE FROM meta WHERE key = ?", [key])?
                    as u64;
            }
        }
        Ok(gone)
    }

    fn erase_aside(&self, traces: &Traces) -> Result<u64> {
        let rows = self.all("SELECT row, content FROM aside", [], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, Option<Vec<u8>>>(1)?))
        })?;
        let mut gone = 0;
        for (row, content) in rows {
            // What was set aside was damaged: it may hold the text without one of its bytes. Its id is enough.
            if content.is_some_and(|content| traces.is_in(&content) || traces.hex_is_in(&content)) {
                gone += self
                    .connection
                    .execute("DELETE FROM aside WHERE row = ?", [row])?
                    as u64;
            }
        }
        Ok(gone)
    }

    /// Notes that live on with the words of an erased message in them.
    fn find_quotes(&self, traces: &Traces, erased: &mut Erased) -> Result<()> {
        if traces.texts.is_empty() {
            return Ok(());
        }
        self.for_each_note(|stored| {
            let fields = stored.note.text_fields();
            let quotes = |text: &String| {
                fields
                    .iter()
                    .any(|(_, field)| field.contains(text.as_str()))
            };
            if traces.texts.iter().any(quotes) {
                erased.quoted_by.push(stored.note.id);
            }
            Ok(())
        })
    }

    fn values(&self, table: &Sealed) -> Result<Vec<Vec<Value>>> {
        self.all(table.select(), [], |row| {
            Ok((0..table.width())
                .map(|column| row.get(column))
                .collect::<rusqlite::Result<_>>()?)
        })
    }

    fn rewrite(&self, table: &Sealed, values: &[Value]) -> Result<()> {
        let values: Vec<&dyn rusqlite::ToSql> = values.iter().map(|value| value as _).collect();
        table.update(&self.connection, &values).map(|_| ())
    }
}

fn holds(value: &Value, traces: &Traces) -> bool {
    matches!(value, Value::Text(text) if traces.is_in(text.as_bytes()))
}
