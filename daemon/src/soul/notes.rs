//! Writing and reading notes and links.

use std::collections::{BTreeMap, BTreeSet};

use soulmem_engine::model::{LinkDraft, LinkId, MemoryLink, MemoryNote, NoteDraft, NoteId};
use soulmem_proto::{EventName, NoteChangedEvent};

use super::character::Soul;
use super::error::{Result, SoulError};
use super::limits::{MAX_IDS, MAX_LINKS, MAX_NOTES, within_count};
use super::page::{Span, fit};
use super::write::WriteOrder;
use crate::store::{Change, Links, NoteFilter, NoteWrite, NoteWritten, OnExisting, StoredNote};

impl Soul {
    /// Creates notes, or replaces those of a revision that the caller has seen: all of them or none. Gives them as
    /// they are now.
    pub async fn put_notes(
        &self,
        drafts: Vec<NoteDraft>,
        order: WriteOrder,
    ) -> Result<Vec<MemoryNote>> {
        let writes = self.built(drafts)?;
        let written = self
            .write(order, move |tx| tx.put_notes(&writes))
            .await?
            .value;
        self.tell_changed(
            written
                .iter()
                .filter(|note| note.change != Change::Unchanged)
                .map(|note| note.id),
        );
        let ids: Vec<NoteId> = written
            .into_iter()
            .map(|NoteWritten { id, .. }| id)
            .collect();
        let notes = self.read(move |view| view.notes(&ids)).await?;
        Ok(notes.into_iter().map(|note| note.note).collect())
    }

    fn built(&self, drafts: Vec<NoteDraft>) -> Result<Vec<NoteWrite>> {
        if drafts.is_empty() {
            return Err(SoulError::invalid("notes", "must hold at least one note"));
        }
        within_count(drafts.len(), MAX_NOTES, "notes")?;
        let links = drafts.iter().map(|draft| draft.mem_links.len()).sum();
        within_count(links, MAX_LINKS, "notes")?;
        drafts
            .into_iter()
            .enumerate()
            .map(|(index, draft)| self.built_note(&format!("notes[{index}]"), draft))
            .collect()
    }

    pub(super) fn built_note(&self, place: &str, draft: NoteDraft) -> Result<NoteWrite> {
        let outside = &self.world().outside;
        let on_existing = match (draft.id, draft.if_revision) {
            (_, None) => OnExisting::Refuse,
            (Some(_), Some(revision)) => OnExisting::ReplaceRevision(revision),
            (None, Some(_)) => {
                return Err(SoulError::invalid(
                    format!("{place}.id"),
                    "is missing: if_revision is about a note that is there",
                ));
            }
        };
        // A replacement that says nothing of links leaves them as they are.
        let links = match on_existing {
            OnExisting::ReplaceRevision(_) if draft.mem_links.is_empty() => Links::Keep,
            _ => Links::Set,
        };
        let note = draft
            .build(&*outside.clock, &*outside.ids)
            .map_err(|error| SoulError::model(place, error))?;
        Ok(NoteWrite {
            note,
            on_existing,
            links,
        })
    }

    /// Reads notes, in the order asked for. All of them must be there.
    pub async fn get_notes(&self, ids: Vec<NoteId>) -> Result<Vec<MemoryNote>> {
        within_count(ids.len(), MAX_IDS, "ids")?;
        let asked = ids.clone();
        let found = self.read(move |view| view.notes(&ids)).await?;
        let found: BTreeMap<NoteId, MemoryNote> = found
            .into_iter()
            .map(|stored| (stored.note.id, stored.note))
            .collect();
        let note = |id| found.get(id).cloned().ok_or(id);
        asked
            .iter()
            .map(note)
            .collect::<Result<_, _>>()
            .map_err(|_| {
                let missing: Vec<String> = asked
                    .iter()
                    .filter(|id| !found.contains_key(id))
                    .map(ToString::to_string)
                    .collect();
                SoulError::NotFound(format!("there is no note {}", missing.join(", ")))
            })
    }

    /// A page of the notes in the order of their writing, and the cursor of the next.
    pub async fn list_notes(
        &self,
        filter: NoteFilter,
        span: Span,
    ) -> Result<(Vec<MemoryNote>, Option<String>)> {
        let now = self.world().outside.clock.now();
        let page = self
            .read(move |view| view.list_notes(&filter, now, span.after, span.limit))
            .await?;
        let (notes, cursor) = fit(page, |note| note.seq, size);
        Ok((
            notes.into_iter().map(|stored| stored.note).collect(),
            cursor,
        ))
    }

    /// Creates links, or replaces those whose id is there: all of them or none. Gives their ids.
    pub async fn put_links(
        &self,
        drafts: Vec<LinkDraft>,
        order: WriteOrder,
    ) -> Result<Vec<LinkId>> {
        if drafts.is_empty() {
            return Err(SoulError::invalid("links", "must hold at least one link"));
        }
        within_count(drafts.len(), MAX_LINKS, "links")?;
        let outside = &self.world().outside;
        let built = |(index, draft): (usize, LinkDraft)| {
            draft
                .build(&*outside.ids)
                .map_err(|error| SoulError::model(&format!("links[{index}]"), error))
        };
        let links: Vec<MemoryLink> = drafts
            .into_iter()
            .enumerate()
            .map(built)
            .collect::<Result<_>>()?;
        let sources: BTreeSet<NoteId> = links.iter().map(|link| link.from).collect();
        let put = move |tx: &crate::store::Tx| {
            tx.put_links(&links)?;
            Ok(links.iter().map(|link| link.id).collect::<Vec<LinkId>>())
        };
        let outcome = self.write(order, put).await?;
        if !outcome.duplicate {
            self.tell_changed(sources);
        }
        Ok(outcome.value)
    }

    /// Tells subscribers that notes are not what they were.
    pub(super) fn tell_changed(&self, ids: impl IntoIterator<Item = NoteId>) {
        let ids: Vec<_> = ids.into_iter().map(|id| id.0).collect();
        if !ids.is_empty() {
            self.publish(EventName::NoteChanged, &NoteChangedEvent { ids });
        }
    }
}

/// About how many bytes a note takes on the wire.
fn size(stored: &StoredNote) -> usize {
    let texts: usize = stored
        .note
        .text_fields()
        .iter()
        .map(|(_, text)| text.len())
        .sum();
    2 * texts
        + 300
            * (1 + stored.note.mem_links.len()
                + stored.note.source.len()
                + stored.note.anchors.len())
}
