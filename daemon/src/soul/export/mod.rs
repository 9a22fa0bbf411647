//! Writing a character as a file, piece by piece.
//!
//! A cursor says how far the pieces before have come and which change was the last when the first of them was written:
//! what was made after it is in none, so that the file ends however fast the character goes on. What there is only one of,
//! such as the running summary, is in the first piece: it has seen nothing that the file lacks.

mod place;
mod read;

use serde::Serialize;
use soulmem_engine::model::NoteDraft;
use soulmem_proto::ops::import::ImportFormat;
use soulmem_proto::ops::push::PushMessage;

use self::place::{Part, Place};
use super::archive::{End, Head, Line, Together, Window, Word, draft};
use super::character::Soul;
use super::error::Result;
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
            recalls: 0,
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
                self.line(&Line::Window(read::window(self.view, place.through)?))?;
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
                Part::Recalls => self.recalls(&mut place)?,
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
                ImportFormat::Archive => {
                    self.line(&Line::Message(read::said(self.view, message)?))?;
                }
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
            place.after = 0;
            place.part = match self.format {
                ImportFormat::Archive => Part::Recalls,
                _ => Part::End,
            };
        }
        Ok(())
    }

    fn recalls(&mut self, place: &mut Place) -> StoreResult<()> {
        let found = self.view.recalls(place.after, ROWS)?;
        let mut is_last = found.len() < ROWS;
        for recall in found {
            if recall.seq > place.through {
                is_last = true;
                break;
            }
            place.after = recall.seq;
            place.recalls += 1;
            self.line(&Line::Recall(Together {
                at: recall.at,
                mode: recall.mode,
                notes: recall.notes,
            }))?;
        }
        if is_last {
            place.part = match self.answers {
                Answers::Included => Part::Answers,
                Answers::LeftOut => Part::End,
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
            let note = read::remembered(self.view, stored)?;
            return self.line(&Line::Note(Box::new(note)));
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
                    recalls: place.recalls,
                    answers: place.answers,
                    window: Window::default(),
                };
                self.line(&Line::End(end))
            }
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
