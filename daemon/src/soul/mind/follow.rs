//! Following the journal of the store: what was written is put into the indexes, in the order of writing.

use std::collections::BTreeSet;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use soulmem_embed::{EmbedError, EmbeddingModel};
use soulmem_engine::model::{Field, LinkId, MemoryNote, MessageId, NoteId};
use soulmem_engine::recall::{IndexError, TextVector, searched_texts};

use super::Mind;
use super::bodies::Stale;
use super::kept::Kept;
use super::resident::{Change, Heard, Resident};
use crate::soul::error::{Result, SoulError};
use crate::soul::forgetting::Curves;
use crate::soul::pool::Pool;
use crate::store::{Message, Result as StoreResult, Seq, Store, StoreError, StoredNote, View};

/// Notes or messages that are embedded at once.
const BATCH: usize = 256;

/// The journal's word for something that is no more, and of which nothing may be left.
const ERASE: &str = "erase";
/// What can be done to a note without changing what it says: nothing of it is to be embedded again.
const SAYS_THE_SAME: [&str; 3] = ["note.affect", "note.archive", "note.unarchive"];

/// Reads all that there is into new indexes. Of a damaged memory it reads what it can: the store is read-only from
/// then on and says why.
pub fn read_all(store: &Store, model: &dyn EmbeddingModel, curves: Curves) -> Result<Resident> {
    let mut resident = Resident::new(model.dimension(), curves);
    let mut refused = Ok(());
    let (through, damage) = store.read(|view| {
        let mut put = |changes| keep_first(&mut refused, apply_all(&mut resident, changes));
        let notes = in_batches(
            |each| view.for_each_note(each),
            |notes| put(with_note_vectors(model, notes)),
        );
        let messages = in_batches(
            |each| view.for_each_message(each),
            |messages| {
                let heard = messages.into_iter().map(|message| heard(view, message));
                put(with_message_vectors(model, heard.collect()));
            },
        );
        let uses = view.for_each_message_use(|id, uses| {
            resident.rehearse_message(id, uses);
            Ok(())
        });
        Ok((view.last_seq()?, first_damage([notes, messages, uses])?))
    })?;
    refused.map_err(|error| not_indexed(&error))?;
    resident.reached(through);
    if let Some(damage) = damage {
        tracing::error!(error = %damage, "what could be read of a damaged memory is kept in mind");
        // The store takes note of damage when a read ends with it.
        let _ = store.read(|_| Err::<(), _>(damage));
    }
    Ok(resident)
}

/// The indexes that were kept, brought to where the disk is; `None` where everything must be read.
pub fn from_kept(
    kept: &Kept,
    store: &Store,
    model: &dyn EmbeddingModel,
    curves: Curves,
) -> Option<Resident> {
    let mut resident = kept.load(model.dimension())?;
    resident.fade_by(curves);
    let after = resident.through();
    let (read, through) = store.read(|view| Read::after(view, after)).ok()?;
    if read.erased {
        return None;
    }
    apply_all(&mut resident, read.into_changes(model)).ok()?;
    resident.reached(through);
    // Recalls are counted without the journal naming what came up.
    let counted = store.read(|view| {
        view.for_each_note_use(|id, uses| {
            resident.rehearse_note(id, uses);
            Ok(())
        })?;
        view.for_each_message_use(|id, uses| {
            resident.rehearse_message(id, uses);
            Ok(())
        })
    });
    counted.ok()?;
    Some(resident)
}

/// Goes through rows, handing them on many at once.
fn in_batches<T>(
    go: impl FnOnce(&mut dyn FnMut(T) -> StoreResult<()>) -> StoreResult<()>,
    mut hand_on: impl FnMut(Vec<T>),
) -> StoreResult<()> {
    let mut batch = Vec::new();
    let gone = go(&mut |row| {
        batch.push(row);
        if batch.len() >= BATCH {
            hand_on(std::mem::take(&mut batch));
        }
        Ok(())
    });
    hand_on(batch);
    gone
}

/// The first damage that was met, if any was; another failure is one of the whole.
fn first_damage<const N: usize>(parts: [StoreResult<()>; N]) -> StoreResult<Option<StoreError>> {
    let mut damage = None;
    for part in parts {
        match part {
            Err(error @ StoreError::Corrupt { .. }) => drop(damage.get_or_insert(error)),
            part => part?,
        }
    }
    Ok(damage)
}

/// Puts every change in that can be, and gives the error of the first that cannot.
fn apply_all(resident: &mut Resident, changes: Vec<Change>) -> Result<(), IndexError> {
    let mut refused = Ok(());
    for change in changes {
        keep_first(&mut refused, resident.apply(change));
    }
    refused
}

fn keep_first<E>(first: &mut Result<(), E>, next: Result<(), E>) {
    if first.is_ok() {
        *first = next;
    }
}

impl Mind {
    /// Brings the indexes to where the disk is, after a write was answered. Writes that are answered meanwhile
    /// share the work.
    pub async fn follow(self: &std::sync::Arc<Self>, pool: &Pool) -> Result<()> {
        let written = self.answered.fetch_add(1, Ordering::SeqCst) + 1;
        let _following = self.following.lock().await;
        if self.followed.load(Ordering::SeqCst) >= written {
            return Ok(());
        }
        let answered = self.answered.load(Ordering::SeqCst);
        let mind = std::sync::Arc::clone(self);
        pool.run(move || mind.catch_up()).await?;
        self.followed.store(answered, Ordering::SeqCst);
        Ok(())
    }

    fn catch_up(&self) -> Result<()> {
        let after = self.resident()?.through();
        let (read, through) = self.store.read(|view| Read::after(view, after))?;
        if through == after {
            return Ok(());
        }
        if read.erased {
            return self.begin_anew();
        }
        let stale = read.stale.clone();
        let changes = read.into_changes(self.embedder.model());
        let mut resident = self
            .resident
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        let refused = apply_all(&mut resident, changes);
        resident.reached(through);
        // Under the lock, so that nobody who reads meanwhile puts an older body back.
        self.bodies.forget(&stale);
        refused.map_err(|error| not_indexed(&error))
    }

    /// Makes everything again from what is on the disk, so that nothing is left, in whatever corner of the indexes or
    /// at hand, of what was erased.
    fn begin_anew(&self) -> Result<()> {
        let anew = read_all(&self.store, self.embedder.model(), self.curves)?;
        let mut resident = self
            .resident
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        *resident = anew;
        self.kept.forget()?;
        self.bodies.forget(&Stale::All);
        self.embedder.forget();
        self.trails.forget();
        Ok(())
    }

    /// Takes in that notes and messages were recalled: from now on they fade as that makes them. Blocks for a read.
    pub fn rehearse(&self, notes: &[NoteId], messages: &[MessageId]) -> Result<()> {
        let (counted, uses) = self.store.read(|view| {
            let counted = view.rehearsals(notes)?;
            let uses = messages
                .iter()
                .filter_map(|id| Some(view.message_use(*id).transpose()?.map(|uses| (*id, uses))));
            Ok((counted, uses.collect::<StoreResult<Vec<_>>>()?))
        })?;
        let mut resident = self
            .resident
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        for (id, uses) in counted {
            resident.rehearse_note(id, uses);
        }
        for (id, uses) in uses {
            resident.rehearse_message(id, uses);
        }
        self.bodies
            .forget(&Stale::These(notes.iter().copied().collect()));
        Ok(())
    }
}

/// What changed, as it is now on the disk.
#[derive(Default)]
struct Read {
    notes: Vec<StoredNote>,
    messages: Vec<Heard>,
    others: Vec<Change>,
    stale: Stale,
    /// Whether something was erased.
    erased: bool,
}

impl Read {
    fn after(view: &View, after: Seq) -> StoreResult<(Self, Seq)> {
        let entries = view.changes(after)?;
        let through = entries.last().map_or(after, |entry| entry.seq);
        let (mut notes, mut links, mut messages) =
            (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        let erased = entries.iter().any(|entry| entry.what == ERASE);
        let mut felt = BTreeSet::new();
        for entry in entries {
            let Some(subject) = entry.subject else {
                continue;
            };
            match entry.what.split('.').next() {
                // Nothing that is searched depends on how a text is told.
                Some("note") if entry.what == "note.wording" => {}
                Some("note") if SAYS_THE_SAME.contains(&entry.what.as_str()) => {
                    felt.insert(NoteId(subject));
                }
                Some("note") => drop(notes.insert(NoteId(subject))),
                Some("link") => drop(links.insert(LinkId(subject))),
                Some("message") => drop(messages.insert(MessageId(subject))),
                _ => {}
            }
        }
        let mut read = Self {
            erased,
            ..Self::default()
        };
        for id in felt.difference(&notes) {
            read.stale.add(*id);
            let found = view.note(*id)?;
            read.others
                .extend(found.map(|note| Change::NoteFacts(Box::new(note))));
        }
        for id in notes {
            read.note(view, id)?;
        }
        for id in links {
            read.link(view, id)?;
        }
        for id in messages {
            match view.message(id)? {
                Some(message) => read.messages.push(heard(view, message)),
                None => read.others.push(Change::MessageGone(id)),
            }
        }
        Ok((read, through))
    }

    fn note(&mut self, view: &View, id: NoteId) -> StoreResult<()> {
        self.stale.add(id);
        match view.note(id)? {
            Some(note) => self.notes.push(note),
            None => self.others.push(Change::NoteGone(id)),
        }
        Ok(())
    }

    fn link(&mut self, view: &View, id: LinkId) -> StoreResult<()> {
        if let Some(stored) = view.link(id)? {
            self.stale.add(stored.link.from);
            self.others.push(Change::Link(stored.link));
        } else {
            // Which note it started from is not known any more.
            self.stale = Stale::All;
            self.others.push(Change::LinkGone(id));
        }
        Ok(())
    }

    /// Notes come before links, so that a link finds the note that it starts from.
    fn into_changes(self, model: &dyn EmbeddingModel) -> Vec<Change> {
        let mut changes = with_note_vectors(model, self.notes);
        changes.extend(self.others);
        changes.extend(with_message_vectors(model, self.messages));
        changes
    }
}

fn with_note_vectors(model: &dyn EmbeddingModel, notes: Vec<StoredNote>) -> Vec<Change> {
    let with_vectors = |stored: StoredNote| {
        let vectors = note_vectors(model, &stored.note).unwrap_or_else(|error| {
            tracing::warn!(note = %stored.note.id, %error, "the note is found by its words alone");
            Vec::new()
        });
        Change::Note(Box::new(stored), vectors)
    };
    notes.into_iter().map(with_vectors).collect()
}

fn note_vectors(
    model: &dyn EmbeddingModel,
    note: &MemoryNote,
) -> Result<Vec<TextVector>, EmbedError> {
    let texts = searched_texts(note);
    let plain: Vec<&str> = texts.iter().map(|(_, _, text)| &**text).collect();
    let vectors = model.embed_passages(&plain)?;
    let places: Vec<(Field, u16)> = texts
        .iter()
        .map(|(field, place, _)| (*field, *place))
        .collect();
    Ok(places
        .into_iter()
        .zip(vectors)
        .map(|((field, place), vector)| (field, place, vector))
        .collect())
}

/// A message with the time when it was taken in. Where the journal is damaged it counts from when it was said.
fn heard(view: &View, message: Message) -> Heard {
    let taken_in_at = view.written_at(message.seq).ok().flatten();
    Heard {
        taken_in_at: taken_in_at.unwrap_or(message.at),
        message,
    }
}

fn with_message_vectors(model: &dyn EmbeddingModel, messages: Vec<Heard>) -> Vec<Change> {
    let texts: Vec<&str> = messages.iter().map(|heard| &*heard.message.text).collect();
    let vectors = model.embed_passages(&texts).unwrap_or_else(|error| {
        tracing::warn!(messages = texts.len(), %error, "messages are found by their words alone");
        Vec::new()
    });
    let vectors = vectors.into_iter().map(Some).chain(std::iter::repeat(None));
    let with_vector = |(message, vector)| Change::Message(Box::new(message), vector);
    messages.into_iter().zip(vectors).map(with_vector).collect()
}

fn not_indexed(error: &IndexError) -> SoulError {
    SoulError::Bug(format!("what is on the disk cannot be indexed: {error}"))
}
