//! Segmented text, kept so that opening a large memory need not segment it again, and the character's own words.

use rusqlite::Row;
use soulmem_engine::model::{Field, MessageId, NoteId};

use super::column::Id;
use super::error::Result;
use super::seal::Sealed;
use super::tx::{Seq, Tx, View};

pub(super) static NOTE_WORDS: Sealed = Sealed::new(
    "note_words",
    3,
    &["note", "field", "part", "segmenter", "words"],
);
pub(super) static DICTIONARY: Sealed = Sealed::new("dictionary", 1, &["word", "weight", "tag"]);
pub(super) static MESSAGE_WORDS: Sealed =
    Sealed::new("message_words", 1, &["message", "segmenter", "words"]);

/// The words of one text of a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteWords {
    /// Whose text.
    pub note: NoteId,
    /// Which text.
    pub field: Field,
    /// Which one of several texts of that field, from 0.
    pub part: u32,
    /// The words, in whatever notation the index reads them back.
    pub words: String,
}

/// The words of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageWords {
    /// Whose.
    pub message: MessageId,
    /// The words, in whatever notation the index reads them back.
    pub words: String,
}

/// A word of the character's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnWord {
    /// The word.
    pub word: String,
    /// How common it is, on the scale of the segmenter's dictionary.
    pub weight: Option<i64>,
    /// Its part of speech, in the segmenter's terms.
    pub tag: Option<String>,
}

impl Tx {
    /// Keeps the words of texts, as this segmenter (by name and version) makes them. Those of notes that are gone are left out.
    pub fn put_note_words(&self, segmenter: &str, texts: &[NoteWords]) -> Result<()> {
        self.journal("words", None, None)?;
        for text in texts {
            let Some(note) = self.seq_of("note", Id(text.note.0))? else {
                continue;
            };
            let field = text.field.as_str();
            NOTE_WORDS.put(
                &self.connection,
                &[&note, &field, &text.part, &segmenter, &text.words],
            )?;
        }
        Ok(())
    }

    /// Keeps the words of messages, as this segmenter makes them. Those of messages that are gone are left out.
    pub fn put_message_words(&self, segmenter: &str, texts: &[MessageWords]) -> Result<()> {
        self.journal("words", None, None)?;
        for text in texts {
            let Some(message) = self.message_seq(text.message)? else {
                continue;
            };
            MESSAGE_WORDS.put(&self.connection, &[&message, &segmenter, &text.words])?;
        }
        Ok(())
    }

    /// Adds words to the character's own, in place of those spelt the same.
    pub fn put_own_words(&self, words: &[OwnWord]) -> Result<()> {
        for own in words {
            DICTIONARY.put(&self.connection, &[&own.word, &own.weight, &own.tag])?;
        }
        self.journal("words.put", None, None)?;
        Ok(())
    }

    /// Takes words from the character's own.
    pub fn delete_own_words(&self, words: &[String]) -> Result<()> {
        let mut statement = self
            .connection
            .prepare_cached("DELETE FROM dictionary WHERE word = ?")?;
        for word in words {
            statement.execute([word])?;
        }
        self.journal("words.delete", None, None)?;
        Ok(())
    }

    /// What was made of a text that is no longer there.
    pub(super) fn drop_derived(&self, note: Seq) -> Result<()> {
        for table in ["note_vector", "note_words", "note_wording"] {
            self.connection
                .prepare_cached(&format!("DELETE FROM {table} WHERE note = ?"))?
                .execute([note])?;
        }
        Ok(())
    }
}

impl View {
    /// Goes through the words of all texts of notes that this segmenter made, note by note in the order of their writing.
    pub fn for_each_note_words(
        &self,
        segmenter: &str,
        mut each: impl FnMut(NoteWords) -> Result<()>,
    ) -> Result<()> {
        let sql = format!(
            "SELECT {}, note.id FROM note_words LEFT JOIN note ON note.seq = note_words.note \
             ORDER BY note_words.note, field, part",
            NOTE_WORDS.columns()
        );
        // Rows are checked before they are left out, so that a damaged name of a segmenter is noticed.
        self.each(&sql, [], |row| {
            let text = read_note_words(row)?;
            if row.get::<_, String>(3)? == segmenter {
                each(text)
            } else {
                Ok(())
            }
        })
    }

    /// Goes through the words of all messages that this segmenter made, oldest message first.
    pub fn for_each_message_words(
        &self,
        segmenter: &str,
        mut each: impl FnMut(MessageWords) -> Result<()>,
    ) -> Result<()> {
        let sql = format!(
            "SELECT {}, message.id FROM message_words LEFT JOIN message ON message.seq = message_words.message \
             ORDER BY message_words.message",
            MESSAGE_WORDS.columns()
        );
        self.each(&sql, [], |row| {
            MESSAGE_WORDS.check(row, 0)?;
            if row.get::<_, String>(1)? != segmenter {
                return Ok(());
            }
            let message = MessageId(MESSAGE_WORDS.owner(row)?);
            each(MessageWords {
                message,
                words: row.get(2)?,
            })
        })
    }

    /// The character's own words, in the order of their spelling.
    pub fn own_words(&self) -> Result<Vec<OwnWord>> {
        let sql = format!("{} ORDER BY word", DICTIONARY.select());
        self.all(&sql, [], |row| {
            DICTIONARY.check(row, 0)?;
            Ok(OwnWord {
                word: row.get(0)?,
                weight: row.get(1)?,
                tag: row.get(2)?,
            })
        })
    }

    pub(super) fn message_seq(&self, id: MessageId) -> Result<Option<Seq>> {
        self.seq_of("message", Id(id.0))
    }

    fn seq_of(&self, table: &str, id: Id) -> Result<Option<Seq>> {
        self.one(
            &format!("SELECT seq FROM {table} WHERE id = ?"),
            [id],
            |row| Ok(row.get(0)?),
        )
    }
}

fn read_note_words(row: &Row<'_>) -> Result<NoteWords> {
    NOTE_WORDS.check(row, 0)?;
    let field: String = row.get(1)?;
    Ok(NoteWords {
        note: NoteId(NOTE_WORDS.owner(row)?),
        field: field
            .parse()
            .map_err(|error| NOTE_WORDS.damaged(row, 0, error))?,
        part: row.get(2)?,
        words: row.get(4)?,
    })
}
