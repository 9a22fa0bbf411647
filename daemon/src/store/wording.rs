//! How a fading text is worded: its word borders, and the character's own version beside the original.

use jiff::Timestamp;
use rusqlite::Row;
use soulmem_engine::model::{Field, NoteId};

use super::column::{Id, Micros};
use super::error::Result;
use super::seal::Sealed;
use super::tx::{Seq, Tx, View};

pub(super) static WORDING: Sealed = Sealed::new(
    "note_wording",
    2,
    &["note", "field", "borders", "reimagined", "degree", "at"],
);

/// The wording of one text of a note.
#[derive(Debug, Clone, PartialEq)]
pub struct Wording {
    /// Which text.
    pub field: Field,
    /// Where its words start and end, in bytes of the text: kept, so that a change of the dictionary moves nothing.
    pub borders: Vec<(u32, u32)>,
    /// The character's own version, if it was re-imagined, and for which missing degree.
    pub reimagined: Option<Reimagined>,
    /// When this was kept.
    pub at: Timestamp,
}

/// A text as the character has come to tell it.
#[derive(Debug, Clone, PartialEq)]
pub struct Reimagined {
    /// The text.
    pub text: String,
    /// The missing degree that it was made for, from 0 to 1.
    pub degree: f64,
}

impl Tx {
    /// Keeps the wording of a text in place of an earlier one.
    pub fn put_wording(
        &self,
        note: NoteId,
        field: Field,
        borders: &[(u32, u32)],
        reimagined: Option<&Reimagined>,
    ) -> Result<()> {
        let seq = self.note_seq(note)?;
        let borders: Vec<u8> = borders
            .iter()
            .flat_map(|(start, end)| [*start, *end])
            .flat_map(u32::to_le_bytes)
            .collect();
        self.journal("note.wording", Some(note.0), None)?;
        WORDING.put(
            &self.connection,
            &[
                &seq,
                &field.as_str(),
                &borders,
                &reimagined.map(|version| &version.text),
                &reimagined.map(|version| version.degree),
                &Micros(self.now()),
            ],
        )
    }

    /// Keeps where the words of a text start and end, unless something is kept of it already or the note has changed since
    /// `revision`.
    pub fn keep_borders(
        &self,
        note: NoteId,
        revision: u64,
        field: Field,
        borders: &[(u32, u32)],
    ) -> Result<()> {
        let Some(found) = self.note_without_links(note)? else {
            return Ok(());
        };
        if found.note.revision != revision || self.wording(note, field)?.is_some() {
            return Ok(());
        }
        self.put_wording(note, field, borders, None)
    }

    /// Keeps the character's own telling of a text, unless the note has changed since `revision`.
    pub fn keep_telling(
        &self,
        note: NoteId,
        revision: u64,
        field: Field,
        borders: &[(u32, u32)],
        telling: &Reimagined,
    ) -> Result<()> {
        let found = self.note_without_links(note)?;
        if found.is_none_or(|found| found.note.revision != revision) {
            return Ok(());
        }
        // The borders that were kept first stay.
        let kept = self.wording(note, field)?;
        let borders = kept.as_ref().map_or(borders, |kept| &kept.borders);
        self.put_wording(note, field, borders, Some(telling))
    }

    /// Forgets the character's own tellings of a note. Where its words stand is kept.
    pub fn drop_tellings(&self, note: NoteId) -> Result<()> {
        for kept in self.wordings_of(note)? {
            if kept.reimagined.is_some() {
                self.put_wording(note, kept.field, &kept.borders, None)?;
            }
        }
        Ok(())
    }
}

impl View {
    /// What was kept of the wording of a note's texts, field by field.
    pub fn wordings_of(&self, note: NoteId) -> Result<Vec<Wording>> {
        let sql = format!(
            "{} WHERE note = (SELECT seq FROM note WHERE id = ? AND deleted_at IS NULL) ORDER BY field",
            WORDING.select()
        );
        self.all(&sql, [Id(note.0)], read)
    }

    /// The wording of a text, if one was kept since the text last changed.
    pub fn wording(&self, note: NoteId, field: Field) -> Result<Option<Wording>> {
        let seq = self.note_seq(note)?;
        let sql = format!("{} WHERE note = ? AND field = ?", WORDING.select());
        self.one(&sql, (seq, field.as_str()), read)
    }

    /// The wordings of the note at a place in the sequence, by field.
    pub fn wordings(&self, note: Seq) -> Result<Vec<Wording>> {
        let sql = format!("{} WHERE note = ? ORDER BY field", WORDING.select());
        self.all(&sql, [note], read)
    }

    /// Goes through all wordings, note by note in the order of their writing.
    pub fn for_each_wording(
        &self,
        mut each: impl FnMut(NoteId, Wording) -> Result<()>,
    ) -> Result<()> {
        let sql = format!(
            "SELECT {}, note.id FROM note_wording LEFT JOIN note ON note.seq = note_wording.note \
             ORDER BY note_wording.note, field",
            WORDING.columns()
        );
        self.each(&sql, [], |row| {
            each(NoteId(WORDING.owner(row)?), read(row)?)
        })
    }
}

fn read(row: &Row<'_>) -> Result<Wording> {
    WORDING.check(row, 0)?;
    let field: String = row.get(1)?;
    let text: Option<String> = row.get(3)?;
    let degree: Option<f64> = row.get(4)?;
    Ok(Wording {
        field: field
            .parse()
            .map_err(|error| WORDING.damaged(row, 0, error))?,
        borders: pairs(&row.get::<_, Vec<u8>>(2)?),
        reimagined: text
            .zip(degree)
            .map(|(text, degree)| Reimagined { text, degree }),
        at: row.get::<_, Micros>(5)?.0,
    })
}

fn pairs(bytes: &[u8]) -> Vec<(u32, u32)> {
    let number = |bytes: [u8; 4]| u32::from_le_bytes(bytes);
    let (pairs, _) = bytes.as_chunks::<8>();
    pairs
        .iter()
        .map(|&[a, b, c, d, e, f, g, h]| (number([a, b, c, d]), number([e, f, g, h])))
        .collect()
}
