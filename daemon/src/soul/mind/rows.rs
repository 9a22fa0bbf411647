//! Making the indexes from the rows, or from the file in which they were kept and what was written since.

use soulmem_embed::EmbeddingModel;
use soulmem_engine::recall::IndexError;

use super::change::{Change, Heard};
use super::changed::Read;
use super::kept::Kept;
use super::made;
use super::resident::Resident;
use super::vectors::Vectors;
use crate::soul::error::{Result, SoulError};
use crate::soul::forgetting::Curves;
use crate::store::{Message, Result as StoreResult, Store, StoreError, View};

/// Notes or messages that are embedded at once.
const BATCH: usize = 256;

/// Reads all that there is into new indexes. Of a damaged memory it reads what it can: the store is read-only from
/// then on and says why.
pub fn read_all(store: &Store, model: &dyn EmbeddingModel, curves: Curves) -> Result<Resident> {
    let vectors = Vectors::new(model);
    made::complete(store, model);
    let mut resident = Resident::new(model.dimension(), curves);
    let mut refused = Ok(());
    let (through, damage) = store.read(|view| {
        if let Ok(names) = called(view) {
            resident.call(names);
        }
        let mut put = |changes| keep_first(&mut refused, apply_all(&mut resident, changes));
        let notes = in_batches(
            |each| view.for_each_note(each),
            |notes| put(vectors.note_changes(vectors.kept_of_notes(view, notes), &mut None)),
        );
        // Every name is known now, so that each message is cut once.
        resident.settle();
        let mut put = |changes| keep_first(&mut refused, apply_all(&mut resident, changes));
        let messages = in_batches(
            |each| view.for_each_message(each),
            |messages| {
                let heard = messages.into_iter().map(|message| heard(view, message));
                let heard = vectors.kept_of_messages(view, heard.collect());
                put(vectors.message_changes(heard, &mut None));
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
    let vectors = Vectors::new(model);
    let (read, through) = store.read(|view| Read::after(view, after, &vectors)).ok()?;
    if read.erased {
        return None;
    }
    // Their rows may have been written by another version of the program, which named nothing.
    resident.call(store.read(called).ok()?);
    let (changes, made) = read.into_changes(&vectors);
    apply_all(&mut resident, changes).ok()?;
    resident.reached(through);
    made.keep(store);
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
pub fn in_batches<T>(
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
pub fn apply_all(resident: &mut Resident, changes: Vec<Change>) -> Result<(), IndexError> {
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

/// What the character is called, and words of its own.
pub fn called(view: &View) -> StoreResult<Vec<String>> {
    let profile = view.profile()?;
    let own = view.own_words()?.into_iter().map(|own| own.word);
    let names = [Some(profile.soul.to_string()), profile.display_name];
    Ok(names.into_iter().flatten().chain(own).collect())
}

/// A message with the time when it was taken in. Where the journal is damaged it counts from when it was said.
pub fn heard(view: &View, message: Message) -> Heard {
    let taken_in_at = view.taken_in_at(message.seq).ok().flatten();
    Heard {
        taken_in_at: taken_in_at.unwrap_or(message.at),
        message,
    }
}

/// An error that only a mistake in this program can make.
pub fn not_indexed(error: &IndexError) -> SoulError {
    SoulError::Bug(format!("what is on the disk cannot be indexed: {error}"))
}
