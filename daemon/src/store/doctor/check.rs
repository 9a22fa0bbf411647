//! Looking at everything that a memory holds.

use std::collections::BTreeSet;

use rusqlite::Connection;
use soulmem_engine::model::Source;
use uuid::Uuid;

use super::super::column::Id;
use super::super::connection::header;
use super::super::error::Result;
use super::super::migrate::SCHEMA;
use super::super::progress::{Step, Watcher, tell};
use super::super::tables::{TABLES, Worth, since};
use super::super::tx::{Seq, View};
use super::super::{Condition, Store};
use super::{CheckReport, Severity};

/// Most messages of SQLite's own check that are reported.
const SQLITE_FINDINGS: u32 = 100;

impl Store {
    /// Checks everything that is on the disk. The memory stays in use meanwhile.
    pub fn check(&self, watcher: Watcher<'_>) -> Result<CheckReport> {
        let mut report = CheckReport::default();
        if let Condition::ReadOnly(error) = self.condition() {
            report.add(Severity::Truth, error.to_string());
        }
        let checked = self.inner.pool.read(|view| {
            view.check_everything(&mut report, watcher);
            Ok(())
        });
        if let Err(error) = checked {
            report.add(Severity::Truth, error.to_string());
        }
        Ok(report)
    }
}

impl View {
    /// Checks everything, one step after the other: what one finds keeps none of the others from looking.
    pub(in super::super) fn check_everything(
        &self,
        report: &mut CheckReport,
        watcher: Watcher<'_>,
    ) {
        type Check = fn(&View, &mut CheckReport) -> Result<()>;
        let checks: [(&str, Severity, Check); 8] = [
            (
                "the structure of the database",
                Severity::Truth,
                View::check_structure,
            ),
            ("the counts", Severity::Truth, |view, _| view.check_tally()),
            ("the journal", Severity::Truth, View::check_journal),
            ("the notes", Severity::Truth, View::check_notes),
            ("the messages", Severity::Truth, View::check_messages),
            (
                "the evidence of notes",
                Severity::Derived,
                View::check_evidence,
            ),
            ("the words", Severity::Derived, View::check_words),
            ("the vectors", Severity::Derived, View::check_vectors),
        ];
        let total = checks.len() as u64 + 1;
        tell(watcher, "checking the seals", 0, total);
        self.check_seals(report);
        for (done, (what, severity, check)) in (1..).zip(checks) {
            tell(watcher, &format!("checking {what}"), done, total);
            if let Err(error) = check(self, report) {
                report.add(severity, format!("checking {what}: {}", error.reason()));
            }
        }
        watcher(Step {
            what: "checked".to_owned(),
            done: total,
            total,
        });
    }

    fn check_structure(&self, report: &mut CheckReport) -> Result<()> {
        for said in integrity(&self.connection)? {
            // An index that does not fit its table can be made again from the table.
            let severity = if said.contains("index") {
                Severity::Derived
            } else {
                Severity::Truth
            };
            report.add(severity, said);
        }
        self.each("PRAGMA foreign_key_check", [], |row| {
            let (table, parent): (String, String) = (row.get(0)?, row.get(2)?);
            let place: Option<Seq> = row.get(1)?;
            let place = place.map_or_else(String::new, |place| format!(", row {place}"));
            report.add(
                Severity::Truth,
                format!("table {table}{place}: what it refers to in {parent} is missing"),
            );
            Ok(())
        })
    }

    pub(in super::super) fn check_seals(&self, report: &mut CheckReport) {
        // Where the header cannot be read, that is a finding of its own.
        let schema = header(&self.connection).map_or(SCHEMA, |header| header.schema);
        for (table, worth) in TABLES.iter().filter(|(table, _)| since(table) <= schema) {
            let severity = match worth {
                Worth::Truth => Severity::Truth,
                Worth::Derived => Severity::Derived,
            };
            let swept = self.each(table.select(), [], |row| {
                match table.check(row, 0) {
                    Ok(()) => report.rows += 1,
                    Err(error) => report.add(severity, error.reason()),
                }
                Ok(())
            });
            if let Err(error) = swept {
                report.add(
                    severity,
                    format!("table {}: {}", table.table(), error.reason()),
                );
            }
        }
    }

    fn check_journal(&self, report: &mut CheckReport) -> Result<()> {
        let mut expected = 1;
        self.each("SELECT seq FROM journal ORDER BY seq", [], |row| {
            let seq: Seq = row.get(0)?;
            if seq > expected {
                report.add(
                    Severity::Truth,
                    format!(
                        "table journal: entries {expected} to {} are missing",
                        seq - 1
                    ),
                );
            }
            expected = seq + 1;
            Ok(())
        })?;
        for table in [
            "note",
            "link",
            "message",
            "summary",
            "recall",
            "job",
            "llm_reply",
        ] {
            let sql = format!("SELECT seq FROM {table} WHERE seq NOT IN (SELECT seq FROM journal)");
            self.each(&sql, [], |row| {
                let seq: Seq = row.get(0)?;
                report.add(
                    Severity::Truth,
                    format!("table {table}, seq {seq}: the journal does not know it"),
                );
                Ok(())
            })?;
        }
        Ok(())
    }

    fn check_notes(&self, report: &mut CheckReport) -> Result<()> {
        self.for_each_note(|stored| {
            if let Err(error) = stored.note.check() {
                report.add(Severity::Truth, format!("note {}: {error}", stored.note.id));
            }
            Ok(())
        })
    }

    fn check_messages(&self, report: &mut CheckReport) -> Result<()> {
        let mut last = 0;
        self.for_each_message(|message| {
            if message.seq <= last {
                report.add(
                    Severity::Truth,
                    format!("message {} is out of order", message.id),
                );
            }
            last = message.seq;
            if !self.has_message(message.id)? {
                report.add(
                    Severity::Derived,
                    format!("message {} is not found by its id", message.id),
                );
            }
            Ok(())
        })
    }

    fn check_evidence(&self, report: &mut CheckReport) -> Result<()> {
        let mut expected = BTreeSet::new();
        self.for_each_note(|stored| {
            if self.note_seq(stored.note.id).is_err() {
                report.add(
                    Severity::Derived,
                    format!("note {} is not found by its id", stored.note.id),
                );
            }
            expected.extend(evidence(&stored.note.source).map(|message| (message, stored.seq)));
            Ok(())
        })?;
        let sql = "SELECT message, note FROM note_evidence JOIN note ON note.seq = note_evidence.note \
                   WHERE note.deleted_at IS NULL";
        let found = self.all(sql, [], |row| {
            Ok((row.get::<_, Id>(0)?.0, row.get::<_, Seq>(1)?))
        })?;
        let found: BTreeSet<(Uuid, Seq)> = found.into_iter().collect();
        for (message, note) in expected.symmetric_difference(&found) {
            let what = format!(
                "table note_evidence: message {message} and note {note} do not agree with the note"
            );
            report.add(Severity::Derived, what);
        }
        Ok(())
    }

    fn check_words(&self, report: &mut CheckReport) -> Result<()> {
        let sql = "SELECT DISTINCT note.seq FROM note_words JOIN note ON note.seq = note_words.note \
                   WHERE note.deleted_at IS NOT NULL";
        self.each(sql, [], |row| {
            let seq: Seq = row.get(0)?;
            report.add(
                Severity::Derived,
                format!("table note_words: there are words of note {seq}, which was deleted"),
            );
            Ok(())
        })
    }

    fn check_vectors(&self, report: &mut CheckReport) -> Result<()> {
        let sql = "SELECT note.seq FROM note_vector JOIN note ON note.seq = note_vector.note \
                   WHERE note_vector.revision <> note.revision OR note.deleted_at IS NOT NULL";
        self.each(sql, [], |row| {
            let seq: Seq = row.get(0)?;
            report.add(
                Severity::Derived,
                format!("table note_vector: the vector of note {seq} is of another revision"),
            );
            Ok(())
        })?;
        for model in self.vector_models()? {
            self.for_each_note_vector(&model, |_| Ok(()))?;
            self.for_each_message_vector(&model, |_| Ok(()))?;
        }
        Ok(())
    }
}

/// The messages that a note rests on.
pub(in super::super) fn evidence(source: &[Source]) -> impl Iterator<Item = Uuid> {
    source.iter().filter_map(|source| match source {
        Source::Message { id } => Some(id.0),
        Source::Import { .. } | Source::Consolidation { .. } | Source::Given => None,
    })
}

/// What SQLite says of the structure of a database; nothing if all is well.
pub(in super::super) fn integrity(connection: &Connection) -> Result<Vec<String>> {
    let mut statement =
        connection.prepare(&format!("PRAGMA integrity_check({SQLITE_FINDINGS})"))?;
    let said = statement.query_map([], |row| row.get(0))?;
    let mut said = said.collect::<rusqlite::Result<Vec<String>>>()?;
    said.retain(|line| line != "ok");
    Ok(said)
}
