//! Taking in an archive: what is not there yet, with the ids that it had.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use soulmem_engine::model::{MessageId, NoteId};
use soulmem_proto::ops::import::ImportReport;

use super::archive::{End, FORMAT, Line, Remembered, Said, Together, Window};
use super::error::{Result, SoulError};
use super::import::parse;
use super::limits::{MAX_LABEL_BYTES, MAX_TEXT_BYTES, within_bytes};
use super::outside::Outside;
use crate::store::{
    Answered, Change, Links, NewMessage, NoteWrite, OnExisting, OwnWord, Result as StoreResult, Tx,
    Uses,
};

/// What an archive holds, checked.
#[derive(Debug, Default)]
pub struct Archive {
    words: Vec<OwnWord>,
    /// Each with when it was taken in and how often it was recalled, where that is told.
    messages: Vec<(NewMessage, Option<Timestamp>, Option<Uses>)>,
    writes: Vec<NoteWrite>,
    /// Beside each note: what became of it.
    states: Vec<Remembered>,
    recalls: Vec<Together>,
    answers: Vec<Answered>,
    window: Window,
    end: End,
}

/// What came of it, and which notes are new.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct TakenIn {
    /// The report.
    pub report: ImportReport,
    /// Notes that are new.
    pub created: Vec<NoteId>,
}

/// Reads an archive. Nothing of one that is cut off, or of which one line is not right, is taken.
pub fn read(text: &str, file: &str, outside: &Outside) -> Result<Archive> {
    let at_line = |line: usize, reason: &str| SoulError::InFile(format!("{file}:{line}: {reason}"));
    let mut archive = Archive::default();
    let (mut begun, mut ended) = (false, None);
    let mut last = 0;
    for (line, number) in text.lines().zip(1..) {
        last = number;
        if line.trim().is_empty() {
            continue;
        }
        if ended.is_some() {
            return Err(at_line(number, "stands after the end"));
        }
        let parsed: Line = parse(line).map_err(|reason| at_line(number, &reason))?;
        match parsed {
            Line::Archive(head) if !(1..=FORMAT).contains(&head.format) => {
                let reason = format!(
                    "has format {}, this program reads 1 to {FORMAT}",
                    head.format
                );
                return Err(at_line(number, &reason));
            }
            Line::Archive(_) if !begun => begun = true,
            Line::Archive(_) => return Err(at_line(number, "an archive begins only once")),
            _ if !begun => return Err(at_line(number, "is not the beginning of an archive")),
            Line::End(end) => ended = Some(end),
            other => archive
                .add(other, outside)
                .map_err(|error| at_line(number, &error.to_string()))?,
        }
    }
    archive.end = ended.ok_or_else(|| at_line(last, "the end is missing: the file was cut off"))?;
    if archive.window == Window::default() {
        archive.window = archive.end.window.clone();
    }
    archive
        .check_counts()
        .map_err(|reason| at_line(last, &reason))?;
    Ok(archive)
}

impl Archive {
    fn add(&mut self, line: Line, outside: &Outside) -> Result<()> {
        match line {
            Line::Word(word) => self.words.push(word.into()),
            Line::Message(said) => {
                let Said {
                    taken_in_at,
                    recalled,
                    ..
                } = said;
                let message = NewMessage::from(said);
                check_message(&message)?;
                self.messages.push((message, taken_in_at, recalled));
            }
            Line::Window(window) => self.window = window,
            Line::Recall(together) => {
                within_bytes(&together.mode, MAX_LABEL_BYTES, || "recall.mode".to_owned())?;
                self.recalls.push(together);
            }
            Line::Note(remembered) => {
                let note = remembered
                    .note
                    .clone()
                    .build(&*outside.clock, &*outside.ids)
                    .map_err(|error| SoulError::model("note", error))?;
                self.writes.push(NoteWrite {
                    note,
                    on_existing: OnExisting::Keep,
                    links: Links::Set,
                });
                self.states.push(*remembered);
            }
            Line::Answer(reply) => self.answers.push(reply.into()),
            Line::Archive(_) | Line::End(_) => {}
        }
        Ok(())
    }

    fn check_counts(&self) -> Result<(), String> {
        let end = &self.end;
        let lines = [
            ("words", end.words, self.words.len()),
            ("messages", end.messages, self.messages.len()),
            ("notes", end.notes, self.writes.len()),
            ("recalls", end.recalls, self.recalls.len()),
            ("answers", end.answers, self.answers.len()),
        ];
        match lines.iter().find(|(_, said, found)| *said != *found as u64) {
            Some((what, said, found)) => Err(format!("says {said} {what}, there are {found}")),
            None => Ok(()),
        }
    }

    /// Puts everything in that is not there yet.
    pub fn write(&self, tx: &Tx) -> StoreResult<TakenIn> {
        let was_empty = tx.last_message_before(i64::MAX)?.is_none();
        let mut taken = TakenIn::default();
        let known: BTreeSet<String> = tx.own_words()?.into_iter().map(|own| own.word).collect();
        let words = self.words.iter().filter(|own| !known.contains(&own.word));
        let words: Vec<OwnWord> = words.cloned().collect();
        if !words.is_empty() {
            tx.put_own_words(&words)?;
        }
        self.write_messages(tx, &mut taken)?;
        self.write_notes(tx, &mut taken)?;
        for answered in &self.answers {
            tx.take_in_answer(answered)?;
        }
        if was_empty {
            self.write_window(tx)?;
        }
        // Where something is known already, what came to mind together may be too.
        if was_empty && taken.report.known == 0 {
            for together in &self.recalls {
                tx.put_recall(together.at, &together.mode, &together.notes)?;
            }
        }
        Ok(taken)
    }

    fn write_messages(&self, tx: &Tx, taken: &mut TakenIn) -> StoreResult<()> {
        let mut new = Vec::new();
        let mut recalled = Vec::new();
        for (message, taken_in_at, uses) in &self.messages {
            if tx.message(message.id)?.is_none() {
                new.push((message.clone(), *taken_in_at));
                recalled.extend(uses.map(|uses| (message.id, uses)));
            } else {
                taken.report.known += 1;
            }
        }
        if !new.is_empty() {
            tx.push_taken_in(&new)?;
        }
        for (id, uses) in recalled {
            tx.set_message_use(id, uses)?;
        }
        taken.report.messages = new.len() as u64;
        Ok(())
    }

    fn write_notes(&self, tx: &Tx, taken: &mut TakenIn) -> StoreResult<()> {
        let written = tx.put_notes(&self.writes)?;
        for (written, (write, state)) in written.iter().zip(self.writes.iter().zip(&self.states)) {
            if written.change == Change::Unchanged {
                taken.report.known += 1;
                continue;
            }
            taken.report.notes += 1;
            taken.report.links += write.note.mem_links.len() as u64;
            taken.created.push(written.id);
            if let Some(at) = state.archived_at {
                tx.archive_notes_at(&[written.id], at)?;
            }
            for weakened in &state.weakened {
                let link = write
                    .note
                    .mem_links
                    .iter()
                    .find(|link| link.id == weakened.link);
                if let Some(link) = link {
                    tx.set_intensity(link.id, link.intensity, Some(weakened.at))?;
                }
            }
            for worded in &state.wordings {
                let version = worded.version();
                tx.put_wording(written.id, worded.field, &worded.borders, version.as_ref())?;
            }
        }
        Ok(())
    }

    /// Where the window stood says something only of a log that is the same.
    fn write_window(&self, tx: &Tx) -> StoreResult<()> {
        let is_there =
            |id: &MessageId| Ok::<_, crate::store::StoreError>(tx.message(*id)?.is_some());
        if let Some(summary) = &self.window.summary
            && is_there(&summary.through)?
        {
            tx.set_summary(&summary.text, summary.through)?;
        }
        if let Some(through) = &self.window.consolidated_through
            && is_there(through)?
        {
            tx.set_consolidated(*through)?;
        }
        Ok(())
    }
}

/// The limits that hold for a push.
fn check_message(message: &NewMessage) -> Result<()> {
    within_bytes(&message.text, MAX_TEXT_BYTES, || "message.text".to_owned())?;
    let labels = [
        ("name", &message.name),
        ("tz", &message.tz),
        ("session", &message.session),
        ("source", &message.source),
    ];
    for (field, label) in labels {
        let label = label.as_deref().unwrap_or_default();
        within_bytes(label, MAX_LABEL_BYTES, || format!("message.{field}"))?;
    }
    Ok(())
}
