//! The rows that go.

use std::collections::BTreeSet;

use soulmem_engine::model::{MessageId, NoteId, Source};
use uuid::Uuid;

use super::super::column::{Id, from_json, json};
use super::super::error::{Result, StoreError};
use super::super::note::NOTE;
use super::super::tx::{JOURNAL, Seq, Tx};
use super::super::window::WindowState;
use super::traces::Traces;
use super::{Erase, Erased};

impl Tx {
    /// Erases rows, all in this transaction. The files are not free of them before the database is written anew.
    pub fn erase(&self, what: &Erase) -> Result<Erased> {
        let mut erased = Erased {
            database: self.database()?,
            ..Erased::default()
        };
        let mut traces = Traces::default();
        let mut messages = Vec::new();
        for id in &what.messages {
            let Some(message) = self.message(*id)? else {
                continue;
            };
            traces.text(&message.text);
            messages.push((message.seq, *id));
        }
        let gone: BTreeSet<Uuid> = messages.iter().map(|(_, id)| id.0).collect();
        let mut notes: BTreeSet<NoteId> = what.notes.iter().copied().collect();
        notes.extend(self.withdraw_evidence(&gone, &mut erased)?);
        for note in notes {
            self.erase_note(note, &mut traces, &mut erased)?;
        }
        self.erase_summary(&messages, &mut erased)?;
        for (seq, id) in messages {
            self.erase_message(seq, id, &mut erased)?;
        }
        // Those asked for and not there too: a repair may have set them aside.
        let asked = what
            .messages
            .iter()
            .map(|id| id.0)
            .chain(what.notes.iter().map(|id| id.0));
        traces.ids(asked.chain(erased.notes.iter().map(|id| id.0)));
        self.erase_traces(&traces, &mut erased)?;
        self.begin_erasing()?;
        Ok(erased)
    }

    /// Takes erased messages out of what notes rest on. Returns the notes that rest on nothing else.
    fn withdraw_evidence(
        &self,
        gone: &BTreeSet<Uuid>,
        erased: &mut Erased,
    ) -> Result<BTreeSet<NoteId>> {
        let mut touched = BTreeSet::new();
        for message in gone {
            let sql = "SELECT note FROM note_evidence WHERE message = ?";
            touched.extend(self.all(sql, [Id(*message)], |row| Ok(row.get::<_, Seq>(0)?))?);
        }
        let mut baseless = BTreeSet::new();
        for note in touched {
            let (id, sources) = self.sources(note)?;
            let rest: Vec<_> = sources
                .into_iter()
                .filter(|source| !is_of(source, gone))
                .collect();
            // That a consolidation made the note says what made it, not what it rests on.
            if rest
                .iter()
                .all(|source| matches!(source, Source::Consolidation { .. }))
            {
                baseless.insert(id);
            } else {
                self.journal("note.sources", Some(id.0), None)?;
                self.set_sources(note, &rest)?;
                erased.changed.push(id);
            }
        }
        Ok(baseless)
    }

    fn sources(&self, note: Seq) -> Result<(NoteId, Vec<Source>)> {
        let found = self.one(&format!("{} WHERE seq = ?", NOTE.select()), [note], |row| {
            NOTE.check(row, 0)?;
            let text: String = row.get(12)?;
            let sources =
                from_json("source", &text).map_err(|reason| NOTE.damaged(row, 0, reason))?;
            Ok((NoteId(row.get::<_, Id>(1)?.0), sources))
        })?;
        found.ok_or_else(|| {
            StoreError::corrupt(format!("table note_evidence: there is no note at {note}"))
        })
    }

    fn set_sources(&self, note: Seq, sources: &[Source]) -> Result<()> {
        let mut values = self.one(&format!("{} WHERE seq = ?", NOTE.select()), [note], |row| {
            let column = |i| row.get::<_, rusqlite::types::Value>(i);
            Ok((0..NOTE.width())
                .map(column)
                .collect::<rusqlite::Result<Vec<_>>>()?)
        })?;
        let Some(values) = &mut values else {
            return Ok(());
        };
        values[12] = json("source", &sources)?.into();
        let values: Vec<&dyn rusqlite::ToSql> = values.iter().map(|value| value as _).collect();
        NOTE.update(&self.connection, &values)?;
        let kept: Vec<Uuid> = super::super::doctor::evidence(sources).collect();
        let rows = self.all(
            "SELECT message FROM note_evidence WHERE note = ?",
            [note],
            |row| Ok(row.get::<_, Id>(0)?.0),
        )?;
        for message in rows.into_iter().filter(|message| !kept.contains(message)) {
            let sql = "DELETE FROM note_evidence WHERE note = ? AND message = ?";
            self.connection
                .prepare_cached(sql)?
                .execute((note, Id(message)))?;
        }
        Ok(())
    }

    fn erase_note(&self, id: NoteId, traces: &mut Traces, erased: &mut Erased) -> Result<()> {
        let Some(stored) = self.any_note(id)? else {
            return Ok(());
        };
        let seq = stored.seq;
        stored
            .note
            .text_fields()
            .iter()
            .for_each(|(_, text)| traces.name(text));
        let links = self.links_from(seq, id)?.into_iter().map(|link| link.id);
        let links: Vec<_> = links
            .chain(self.links_to(id)?.into_iter().map(|stored| stored.link.id))
            .collect();
        erased.links.extend(self.delete_links(&links)?);
        self.connection
            .prepare_cached("DELETE FROM note WHERE seq = ?")?
            .execute([seq])?;
        self.grow(|tally| tally.notes -= 1);
        self.journal("erase", Some(id.0), None)?;
        self.blank_journal(id.0)?;
        erased.notes.push(id);
        erased.first(seq);
        Ok(())
    }

    fn erase_message(&self, seq: Seq, id: MessageId, erased: &mut Erased) -> Result<()> {
        self.connection
            .prepare_cached("DELETE FROM message WHERE seq = ?")?
            .execute([seq])?;
        self.grow(|tally| tally.messages -= 1);
        self.journal("erase", Some(id.0), None)?;
        self.blank_journal(id.0)?;
        erased.messages.push(id);
        erased.first(seq);
        Ok(())
    }

    /// The summary goes if it has seen any of the messages; what it covered may be summarised anew.
    fn erase_summary(&self, messages: &[(Seq, MessageId)], erased: &mut Erased) -> Result<()> {
        let Some(summary) = self.summary()? else {
            return Ok(());
        };
        let covers = |seq: Seq| summary.first_message <= seq && seq <= summary.last_message;
        if messages.iter().any(|(seq, _)| covers(*seq)) {
            self.clear_summary()?;
            let window = self.window_state()?;
            let summarised_through = window.summarised_through.min(summary.first_message - 1);
            self.set_window_state(&WindowState {
                summarised_through,
                ..window
            })?;
            erased.summary_dropped = true;
            erased.first(summary.seq);
        }
        Ok(())
    }

    /// What the journal says beside the fact that something happened.
    fn blank_journal(&self, subject: Uuid) -> Result<()> {
        let sql = format!(
            "{} WHERE subject = ? AND detail IS NOT NULL",
            JOURNAL.select()
        );
        let rows = self.all(&sql, [Id(subject)], |row| {
            Ok((
                row.get::<_, Seq>(0)?,
                row.get::<_, i64>(1)?,
                row.get::<_, String>(2)?,
            ))
        })?;
        for (seq, at, what) in rows {
            JOURNAL.update(
                &self.connection,
                &[&seq, &at, &what, &Id(subject), &None::<String>],
            )?;
        }
        Ok(())
    }
}

impl Erased {
    fn first(&mut self, seq: Seq) {
        self.first_seq = Some(self.first_seq.map_or(seq, |first| first.min(seq)));
    }
}

fn is_of(source: &Source, gone: &BTreeSet<Uuid>) -> bool {
    matches!(source, Source::Message { id } if gone.contains(&id.0))
}
