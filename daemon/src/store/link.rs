//! Links between notes.

use std::sync::LazyLock;

use jiff::Timestamp;
use rusqlite::Row;
use soulmem_engine::model::{LinkId, MemoryLink, MemoryNote, NoteId};

use super::column::{Id, Micros, from_json, json};
use super::error::{Result, StoreError};
use super::note_write::within;
use super::seal::Mode;
use super::seal::Sealed;
use super::tx::{Seq, Tx, View};

pub(super) static LINK: Sealed = Sealed::new(
    "link",
    1,
    &[
        "seq",
        "id",
        "source",
        "target",
        "intensity",
        "body",
        "weakened_at",
    ],
);

/// A link as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredLink {
    /// Its place in the sequence of writing.
    pub seq: Seq,
    /// The link.
    pub link: MemoryLink,
    /// When it was last weakened for want of use.
    pub weakened_at: Option<Timestamp>,
    /// The sequence of the note that it starts from.
    source: Seq,
}

/// Links with the id of the note that they start from; conditions are appended.
static SELECT: LazyLock<String> = LazyLock::new(|| {
    format!(
        "SELECT {}, note.id FROM link LEFT JOIN note ON note.seq = link.source",
        LINK.columns()
    )
});

impl View {
    /// One link, if it is there.
    pub fn link(&self, id: LinkId) -> Result<Option<StoredLink>> {
        self.one(
            &format!("{} WHERE link.id = ?", *SELECT),
            [Id(id.0)],
            read_with_source,
        )
    }

    /// The links that lead to a note, or wait for it, oldest first.
    pub fn links_to(&self, target: NoteId) -> Result<Vec<StoredLink>> {
        let sql = format!("{} WHERE target = ? ORDER BY link.seq", *SELECT);
        self.all(&sql, [Id(target.0)], read_with_source)
    }

    /// Goes through all links in the order of their writing, those that wait for their target among them.
    pub fn for_each_link(&self, mut each: impl FnMut(StoredLink) -> Result<()>) -> Result<()> {
        let sql = format!("{} ORDER BY link.seq", *SELECT);
        self.each(&sql, [], |row| each(read_with_source(row)?))
    }

    pub(super) fn note_seq(&self, id: NoteId) -> Result<Seq> {
        let sql = "SELECT seq FROM note WHERE id = ? AND deleted_at IS NULL";
        let found = self.one(sql, [Id(id.0)], |row| Ok(row.get(0)?))?;
        found.ok_or_else(|| StoreError::NotFound(format!("there is no note {id}")))
    }

    pub(super) fn links_from(&self, note: Seq, from: NoteId) -> Result<Vec<MemoryLink>> {
        let sql = format!("{} WHERE source = ? ORDER BY seq", LINK.select());
        self.all(&sql, [note], |row| Ok(read(row, from)?.link))
    }
}

impl Tx {
    /// Writes links: new ones, or in the place of those with the same id. All of them or none.
    ///
    /// A target need not be there yet; the note that a link starts from must be.
    pub fn put_links(&self, links: &[MemoryLink]) -> Result<()> {
        links.iter().enumerate().try_for_each(|(i, link)| {
            self.put_link(link)
                .map_err(|error| within(error, "links", i))
        })
    }

    /// Takes links away. Returns those that were there.
    pub fn delete_links(&self, ids: &[LinkId]) -> Result<Vec<LinkId>> {
        let mut deleted = Vec::new();
        for id in ids {
            if let Some(link) = self.link(*id)? {
                self.delete_link(link.seq, *id)?;
                deleted.push(*id);
            }
        }
        Ok(deleted)
    }

    /// Changes how strong a link is; `weakened_at` is kept with it. False if it is not there.
    pub fn set_intensity(
        &self,
        id: LinkId,
        intensity: f64,
        weakened_at: Option<Timestamp>,
    ) -> Result<bool> {
        let Some(old) = self.link(id)? else {
            return Ok(false);
        };
        let link = MemoryLink {
            intensity,
            ..old.link
        };
        check(&link)?;
        self.journal("link.intensity", Some(id.0), None)?;
        self.write_link(Mode::Update, old.seq, old.source, &link, weakened_at)?;
        Ok(true)
    }

    /// Makes the links from a note those that it carries.
    pub(super) fn set_links(&self, note: &MemoryNote) -> Result<()> {
        let source = self.note_seq(note.id)?;
        for old in self.links_from(source, note.id)? {
            if !note.mem_links.iter().any(|link| link.id == old.id) {
                self.delete_links(&[old.id])?;
            }
        }
        for (i, link) in note.mem_links.iter().enumerate() {
            self.put_link(link)
                .map_err(|error| within(error, "mem_links", i))?;
        }
        Ok(())
    }

    pub(super) fn delete_links_of(&self, source: Seq, id: NoteId) -> Result<()> {
        for link in self.links_from(source, id)? {
            self.delete_links(&[link.id])?;
        }
        for link in self.links_to(id)? {
            self.delete_link(link.seq, link.link.id)?;
        }
        Ok(())
    }

    fn put_link(&self, link: &MemoryLink) -> Result<()> {
        check(link)?;
        let source = self.note_seq(link.from)?;
        let Some(old) = self.link(link.id)? else {
            let seq = self.journal("link.put", Some(link.id.0), None)?;
            self.grow(|tally| tally.links += 1);
            return self.write_link(Mode::Insert, seq, source, link, None);
        };
        if old.source != source {
            let owner = old.link.from;
            return Err(StoreError::Conflict(format!(
                "the link {} starts from the note {owner}",
                link.id
            )));
        }
        if old.link == *link {
            return Ok(());
        }
        self.journal("link.put", Some(link.id.0), None)?;
        self.write_link(Mode::Update, old.seq, source, link, old.weakened_at)
    }

    fn write_link(
        &self,
        mode: Mode,
        seq: Seq,
        source: Seq,
        link: &MemoryLink,
        weakened_at: Option<Timestamp>,
    ) -> Result<()> {
        let values: [&dyn rusqlite::ToSql; 7] = [
            &seq,
            &Id(link.id.0),
            &source,
            &Id(link.to.0),
            &link.intensity,
            &json("link_type", &link.link_type)?,
            &weakened_at.map(Micros),
        ];
        match mode {
            Mode::Insert => LINK.insert(&self.connection, &values),
            Mode::Update => LINK.update(&self.connection, &values).map(|_| ()),
        }
    }

    fn delete_link(&self, seq: Seq, id: LinkId) -> Result<()> {
        self.journal("link.delete", Some(id.0), None)?;
        self.connection
            .prepare_cached("DELETE FROM link WHERE seq = ?")?
            .execute([seq])?;
        self.grow(|tally| tally.links -= 1);
        Ok(())
    }
}

fn check(link: &MemoryLink) -> Result<()> {
    link.check().map_err(|error| StoreError::Invalid {
        field: error.field,
        reason: error.reason,
    })
}

fn read(row: &Row<'_>, from: NoteId) -> Result<StoredLink> {
    LINK.check(row, 0)?;
    let body: String = row.get(5)?;
    let link = MemoryLink {
        id: LinkId(row.get::<_, Id>(1)?.0),
        from,
        to: NoteId(row.get::<_, Id>(3)?.0),
        intensity: row.get(4)?,
        link_type: from_json("body", &body).map_err(|reason| LINK.damaged(row, 0, reason))?,
    };
    let weakened_at = row.get::<_, Option<Micros>>(6)?.map(|micros| micros.0);
    Ok(StoredLink {
        seq: row.get(0)?,
        link,
        weakened_at,
        source: row.get(2)?,
    })
}

fn read_with_source(row: &Row<'_>) -> Result<StoredLink> {
    read(row, NoteId(LINK.owner(row)?))
}
