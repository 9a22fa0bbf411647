//! The indexes, kept in a file from one opening to the next.
//!
//! The rows are the truth; the file only spares reading, cutting and embedding all of them again. It is used where it can
//! be trusted, and else everything is made anew:
//!
//! - it was written by this very program, with this model, for this database (its [`Stamp`]);
//! - every section matches its hash;
//! - the journal has, at the place that the file reaches to, the very entry that it had then;
//! - a memory that was closed in order has not been touched since.
//!
//! What was written after the file is then followed as always. A file is written when the character is at rest, when it is
//! closed, and while it is busy after many changes ([`Due`]), so that a kill leaves little to follow.

mod due;
mod sections;
mod stamp;

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use soulmem_embed::EmbeddingModel;
use soulmem_engine::index::{DocKey, VectorIndex};
use soulmem_engine::pack::Pack;
use soulmem_engine::recall::Indexes;

use self::due::Due;
use self::sections::{SectionReader, SectionWriter, section_at};
use self::stamp::{Stamp, Untouched};
use super::resident::Resident;
use crate::store::{Condition, Result, Seq, Store, StoreError};

/// Bytes that are read or written at once.
const BUFFER: usize = 1 << 20;

/// The file of one character's indexes.
pub struct Kept {
    store: Store,
    stamp: Stamp,
    due: Mutex<Due>,
    /// Held while the file is written.
    writing: Mutex<()>,
}

/// Why a file is not used.
#[derive(Debug, thiserror::Error)]
enum Unusable {
    #[error("there is none yet")]
    Missing,
    #[error("it cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    #[error("it is damaged")]
    Damaged,
    #[error("it was written by another program, with another model or for another database")]
    MadeOtherwise,
    #[error("the journal does not go on from it")]
    AnotherJournal,
    #[error("the database was touched after it was closed")]
    Touched,
    #[error("the memory cannot be written")]
    ReadOnly,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What a file gave.
struct Found {
    resident: Resident,
    /// The seal of the journal's last entry that is in.
    seal: Option<i64>,
    /// How the database was left, if it was closed in order.
    closed: Option<Untouched>,
    /// How many sections there are before what was said at closing, and where they end.
    sections: u64,
    end: u64,
}

impl Kept {
    /// The file that belongs to this memory and model.
    pub fn new(store: Store, model: &dyn EmbeddingModel) -> Self {
        let database = store.read(|view| Ok(view.profile()?.database)).ok();
        Self {
            stamp: Stamp::new(model, database),
            store,
            due: Mutex::default(),
            writing: Mutex::default(),
        }
    }

    /// What is in the file, if it can be trusted.
    pub fn load(&self, dimension: usize) -> Option<Resident> {
        match self.try_load(dimension) {
            Ok(resident) => Some(resident),
            Err(Unusable::Missing) => None,
            Err(reason) => {
                tracing::info!(%reason, file = %self.file().display(), "the indexes are made anew");
                None
            }
        }
    }

    fn try_load(&self, dimension: usize) -> std::result::Result<Resident, Unusable> {
        if !matches!(self.store.condition(), Condition::Ready) {
            return Err(Unusable::ReadOnly);
        }
        let found = read(&self.file(), &self.stamp, dimension)?;
        if let Some(closed) = found.closed {
            if Untouched::of(&self.store.database_file()) != Some(closed) {
                return Err(Unusable::Touched);
            }
            // From now on the database changes; only the journal can tell by how much.
            cut(&self.file(), found.end)?;
        }
        let through = found.resident.through();
        let there = self
            .store
            .read(|view| Ok((view.journal_seal(through)?, view.last_seq()?)))?;
        if there.0 != found.seal || there.1 < through {
            return Err(Unusable::AnotherJournal);
        }
        self.due().written(through, found.sections);
        Ok(found.resident)
    }

    /// What is in the file, to be compared, without making use of it; nothing where there is none that belongs to this memory.
    /// An error where it is damaged.
    pub fn look(&self, dimension: usize) -> std::result::Result<Option<Resident>, String> {
        let _alone = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let found = match read(&self.file(), &self.stamp, dimension) {
            Ok(found) => found,
            Err(reason @ (Unusable::Damaged | Unusable::Unreadable(_))) => {
                return Err(reason.to_string());
            }
            Err(_) => return Ok(None),
        };
        let through = found.resident.through();
        let seal = self.store.read(|view| view.journal_seal(through));
        let belongs = seal.is_ok_and(|seal| seal == found.seal);
        Ok(Some(found.resident).filter(|_| belongs))
    }

    /// Whether so much changed since the file was written that it should be written again, and nobody does.
    pub fn is_due(&self, through: Seq) -> bool {
        self.due().is_due(through) && self.writing.try_lock().is_ok()
    }

    /// Writes the file, unless nothing changed since.
    pub fn save(&self, resident: &Resident) -> Result<()> {
        let _alone = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let through = resident.through();
        if !self.due().begin(through) || !matches!(self.store.condition(), Condition::Ready) {
            return Ok(());
        }
        let seal = self.store.read(|view| view.journal_seal(through))?;
        let head = (through, seal);
        let write = |file: &mut File| {
            let mut file = SectionWriter::new(io::BufWriter::with_capacity(BUFFER, file));
            file.add(self.stamp.as_bytes())?;
            file.add(&packed(&head))?;
            file.add(&resident.packed_facts())?;
            for part in resident.indexes().packed_parts() {
                file.add(&part)?;
            }
            let vectors = &resident.indexes().vectors;
            file.add(&packed(&vectors.packed_blocks().count()))?;
            for block in vectors.packed_blocks() {
                file.add(&block)?;
            }
            file.finish()
        };
        let sections = self.store.write_index(write)?;
        self.due().written(through, sections);
        Ok(())
    }

    /// Notes that the memory was closed in order, so that the next opening sees whether anybody touched it since.
    pub fn closed(&self) {
        let untouched = Untouched::of(&self.store.database_file());
        let (Some(untouched), Some(sections)) = (untouched, self.due().sections()) else {
            return;
        };
        let last = section_at(&packed(&untouched), sections);
        let append = |mut file: File| file.write_all(&last);
        let opened = OpenOptions::new().append(true).open(self.file());
        if let Err(error) = opened.and_then(append) {
            tracing::debug!(%error, file = %self.file().display(), "the index file is gone");
        }
    }

    /// Removes the file: what it holds may not be anywhere any more.
    pub fn forget(&self) -> Result<()> {
        self.due().removed();
        self.store.remove_index()
    }

    fn file(&self) -> PathBuf {
        self.store.index_file()
    }

    fn due(&self) -> MutexGuard<'_, Due> {
        self.due.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn packed(value: &impl Pack) -> Vec<u8> {
    let mut bytes = Vec::new();
    value.pack(&mut bytes);
    bytes
}

fn unpacked<T: Pack>(bytes: &[u8]) -> std::result::Result<T, Unusable> {
    let mut rest = bytes;
    let value = T::unpack(&mut rest).ok_or(Unusable::Damaged)?;
    if rest.is_empty() {
        Ok(value)
    } else {
        Err(Unusable::Damaged)
    }
}

fn cut(file: &Path, end: u64) -> io::Result<()> {
    OpenOptions::new().write(true).open(file)?.set_len(end)
}

/// Reads a file. The vectors, which are most of it, are read while another thread unpacks the rest.
fn read(path: &Path, stamp: &Stamp, dimension: usize) -> std::result::Result<Found, Unusable> {
    let file = File::open(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Unusable::Missing,
        _ => error.into(),
    })?;
    let bytes = file.metadata()?.len();
    let mut sections = SectionReader::new(io::BufReader::with_capacity(BUFFER, file), bytes);
    let mut next = || {
        let section = sections.next()?;
        section.ok_or(Unusable::Damaged)
    };
    if next()? != stamp.as_bytes() {
        return Err(Unusable::MadeOtherwise);
    }
    let (through, seal) = unpacked(&next()?)?;
    let facts = next()?;
    let parts = [next()?, next()?, next()?, next()?, next()?];
    let (indexes, vectors) = thread::scope(|scope| {
        let others = scope.spawn(|| {
            let indexes = Indexes::from_parts(dimension, &parts);
            Some((indexes?, Resident::unpack_facts(&facts)?))
        });
        let mut vectors = VectorIndex::<DocKey>::new(dimension);
        for _ in 0..unpacked::<usize>(&next()?)? {
            if !vectors.add_packed(&next()?) {
                return Err(Unusable::Damaged);
            }
        }
        let others = others.join().ok().flatten().ok_or(Unusable::Damaged)?;
        Ok((others, vectors))
    })?;
    let (mut indexes, facts) = indexes;
    indexes.vectors = vectors;
    let (place, end) = (sections.place(), bytes - sections.left());
    let closed = match sections.left() {
        0 => None,
        _ => Some(unpacked(&sections.next()?.ok_or(Unusable::Damaged)?)?),
    };
    Ok(Found {
        resident: Resident::from_parts(indexes, facts, through),
        seal,
        closed,
        sections: place,
        end,
    })
}
