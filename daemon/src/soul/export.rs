//! Writing a character as a file, piece by piece.
//!
//! A cursor says how far the pieces before have come and which change was the last when the first of them was written:
//! what was made after it is in none, so that the file ends however fast the character goes on.

use std::str::FromStr;

use serde::Serialize;
use soulmem_engine::model::NoteDraft;
use soulmem_proto::ops::import::ImportFormat;
use soulmem_proto::ops::push::PushMessage;

use super::archive::{End, Head, Line, Remembered, Said, Summarised, Word, draft};
use super::character::Soul;
use super::error::{Result, SoulError};
use crate::store::{
    Message, MessageFilter, NoteFilter, Result as StoreResult, Seq, StoreError, StoredNote, View,
};

/// A piece ends with the row that makes it this long, in bytes.
const PIECE: usize = 1 << 20;
/// Rows that are read at once.
const ROWS: usize = 200;
/// Answers that are read at once.
const ANSWERS: u32 = 200;

impl Soul {
    /// One piece of the file, and the cursor of the next.
    pub async fn export(
        &self,
        format: ImportFormat,
        cursor: Option<&str>,
        answers: Answers,
    ) -> Result<(Vec<u8>, Option<String>)> {
        let at: Option<Place> = cursor.map(str::parse).transpose()?;
        let now = self.world().outside.clock.now();
        let write = move |view: &View| {
            let mut file = File {
                view,
                format,
                answers,
                now,
                bytes: Vec::new(),
            };
            let at = match at {
                Some(at) => at,
                None => file.begin()?,
            };
            let next = file.go_on(at)?;
            Ok((file.bytes, next.map(|place| place.to_string())))
        };
        self.read(write).await
    }
}

/// Whether an archive holds what requests with a key were answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answers {
    /// For a copy that takes the character over.
    Included,
    /// For a file that is kept.
    LeftOut,
}

/// What is written next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Messages,
    Notes,
    Answers,
    End,
}

/// How far a file has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    part: Part,
    /// The last row that was written of this part.
    after: Seq,
    /// The last change that is in the file.
    through: Seq,
    words: u64,
    messages: u64,
    notes: u64,
    answers: u64,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let part = match self.part {
            Part::Messages => "messages",
            Part::Notes => "notes",
            Part::Answers => "answers",
            Part::End => "end",
        };
        let Self {
            after,
            through,
            words,
            messages,
            notes,
            answers,
            ..
        } = self;
        write!(
            f,
            "{part}/{after}/{through}/{words}/{messages}/{notes}/{answers}"
        )
    }
}

impl FromStr for Place {
    type Err = SoulError;

    fn from_str(text: &str) -> Result<Self> {
        let foreign = || SoulError::invalid("cursor", "is none that a piece gave");
        let mut parts = text.split('/');
        let part = match parts.next() {
            Some("messages") => Part::Messages,
            Some("notes") => Part::Notes,
            Some("answers") => Part::Answers,
            Some("end") => Part::End,
            _ => return Err(foreign()),
        };
        let numbers: Vec<u64> = parts
            .map(str::parse)
            .collect::<std::result::Result<_, _>>()
            .map_err(|_| foreign())?;
        let &[after, through, words, messages, notes, answers] = numbers.as_slice() else {
            return Err(foreign());
        };
        Ok(Self {
            part,
            after: Seq::try_from(after).map_err(|_| foreign())?,
            through: Seq::try_from(through).map_err(|_| foreign())?,
            words,
            messages,
            notes,
            answers,
        })
    }
}

/// A piece while it is written.
struct File<'v> {
    view: &'v View,
    format: ImportFormat,
    answers: Answers,
    now: jiff::Timestamp,
    bytes: Vec<u8>,
}

impl File<'_> {
    fn begin(&mut self) -> StoreResult<Place> {
        let mut place = Place {
            part: Part::Messages,
            after: 0,
            through: self.view.last_seq()?,
            words: 0,
            messages: 0,
            notes: 0,
            answers: 0,
        };
        match self.format {
            ImportFormat::Messages => {}
            ImportFormat::Graph => {
                place.part = Part::Notes;
                self.bytes.extend_from_slice(b"[");
            }
            ImportFormat::Archive => {
                self.line(&Line::Archive(Head::of(self.view.profile()?)))?;
                for word in self.view.own_words()? {
                    self.line(&Line::Word(Word::from(word)))?;
                    place.words += 1;
                }
            }
        }
        Ok(place)
    }

    /// Writes until the piece is long enough or the file is whole.
    fn go_on(&mut self, mut place: Place) -> StoreResult<Option<Place>> {
        while self.bytes.len() < PIECE {
            match place.part {
                Part::Messages => self.messages(&mut place)?,
                Part::Notes => self.notes(&mut place)?,
                Part::Answers => self.answers(&mut place)?,
                Part::End => {
                    self.end(&place)?;
                    return Ok(None);
                }
            }
        }
        Ok(Some(place))
    }

    fn messages(&mut self, place: &mut Place) -> StoreResult<()> {
        let filter = MessageFilter::default();
        let page = self.view.list_messages(&filter, Some(place.after), ROWS)?;
        let mut is_last = page.next.is_none();
        for message in page.items {
            if message.seq > place.through {
                is_last = true;
                break;
            }
            place.after = message.seq;
            place.messages += 1;
            match self.format {
                ImportFormat::Archive => self.line(&Line::Message(Said::from(message)))?,
                _ => self.line(&as_pushed(message))?,
            }
            if self.bytes.len() >= PIECE {
                return Ok(());
            }
        }
        if is_last {
            place.after = 0;
            place.part = match self.format {
                ImportFormat::Messages => Part::End,
                _ => Part::Notes,
            };
        }
        Ok(())
    }

    fn notes(&mut self, place: &mut Place) -> StoreResult<()> {
        let filter = NoteFilter::default();
        let page = self
            .view
            .list_notes(&filter, self.now, Some(place.after), ROWS)?;
        let mut is_last = page.next.is_none();
        for stored in page.items {
            if stored.seq > place.through {
                is_last = true;
                break;
            }
            place.after = stored.seq;
            self.note(stored, place)?;
            place.notes += 1;
            if self.bytes.len() >= PIECE {
                return Ok(());
            }
        }
        if is_last {
            place.part = match (self.format, self.answers) {
                (ImportFormat::Archive, Answers::Included) => Part::Answers,
                _ => Part::End,
            };
        }
        Ok(())
    }

    fn answers(&mut self, place: &mut Place) -> StoreResult<()> {
        let page = self.view.answered(place.answers, ANSWERS)?;
        if page.len() < ANSWERS as usize {
            place.part = Part::End;
        }
        for answered in page {
            self.line(&Line::Answer(answered.into()))?;
            place.answers += 1;
        }
        Ok(())
    }

    fn note(&mut self, stored: StoredNote, place: &Place) -> StoreResult<()> {
        if self.format == ImportFormat::Archive {
            let wordings = self.view.wordings(stored.seq)?;
            return self.line(&Line::Note(Box::new(Remembered::of(stored, wordings))));
        }
        let entry = self.in_graph(draft(stored.note), place.through)?;
        let comma: &[u8] = if place.notes > 0 { b",\n" } else { b"\n" };
        self.bytes.extend_from_slice(comma);
        self.json(&entry)
    }

    /// A graph file holds no link to a note that it does not have.
    fn in_graph(&self, mut note: NoteDraft, through: Seq) -> StoreResult<NoteDraft> {
        let mut links = Vec::with_capacity(note.mem_links.len());
        for link in note.mem_links {
            let target = self.view.note(link.to)?;
            if target.is_some_and(|target| target.seq <= through) {
                links.push(link);
            }
        }
        note.mem_links = links;
        Ok(note)
    }

    fn end(&mut self, place: &Place) -> StoreResult<()> {
        match self.format {
            ImportFormat::Messages => Ok(()),
            ImportFormat::Graph => {
                self.bytes.extend_from_slice(b"\n]\n");
                Ok(())
            }
            ImportFormat::Archive => {
                let end = End {
                    words: place.words,
                    messages: place.messages,
                    notes: place.notes,
                    answers: place.answers,
                    summary: self.summary(place.through)?,
                    consolidated_through: self.consolidated(place.through)?,
                };
                self.line(&Line::End(end))
            }
        }
    }

    fn summary(&self, through: Seq) -> StoreResult<Option<Summarised>> {
        let Some(summary) = self.view.summary()? else {
            return Ok(None);
        };
        let last = self
            .view
            .last_message_before(summary.last_message.min(through))?;
        Ok(last.map(|through| Summarised {
            text: summary.text,
            through,
        }))
    }

    fn consolidated(&self, through: Seq) -> StoreResult<Option<soulmem_engine::model::MessageId>> {
        match self.view.window_state()?.consolidated_through {
            0 => Ok(None),
            seen => self.view.last_message_before(seen.min(through)),
        }
    }

    fn line(&mut self, value: &impl Serialize) -> StoreResult<()> {
        self.json(value)?;
        self.bytes.push(b'\n');
        Ok(())
    }

    fn json(&mut self, value: &impl Serialize) -> StoreResult<()> {
        serde_json::to_writer(&mut self.bytes, value).map_err(|error| StoreError::Invalid {
            field: "export".to_owned(),
            reason: error.to_string(),
        })
    }
}

/// A message as whoever pushes it writes it.
fn as_pushed(message: Message) -> PushMessage {
    PushMessage {
        role: message.role,
        text: message.text,
        name: message.name,
        at: Some(message.at),
        tz: message.tz,
        session: message.session,
        tag: Some(message.tag),
        source: message.source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_comes_back_and_a_foreign_one_is_refused() {
        let place = Place {
            part: Part::Notes,
            after: 12,
            through: 310,
            words: 1,
            messages: 80,
            notes: 5,
            answers: 3,
        };
        assert_eq!(place.to_string().parse::<Place>().unwrap(), place);
        for foreign in [
            "",
            "notes",
            "notes/1/2/3/4/5",
            "notes/1/2/3/4/5/6/7",
            "x/1/2/3/4/5/6",
            "end/-1/2/3/4/5/6",
        ] {
            let refused = foreign.parse::<Place>().unwrap_err();
            assert!(refused.to_string().starts_with("cursor:"), "{foreign}");
        }
    }
}
