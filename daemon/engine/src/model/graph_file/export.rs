//! Writing a graph file.

use std::collections::BTreeMap;

use super::entry::{LinkEntry, NoteEntry};
use super::note_id;
use crate::model::draft::NoteDraft;
use crate::model::id::{LinkId, NoteId};
use crate::model::note::MemoryNote;
use crate::model::source::Source;

/// A memory written as a graph file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Export {
    /// The file's text.
    pub json: String,
    /// Links whose target is not among the notes, which a graph file cannot hold.
    pub links_left_out: Vec<LinkId>,
}

/// Writes notes as a graph file that [`parse`](super::parse) reads back for the same `soul`.
///
/// A note that came from a graph file gets the id it had there, any other its UUID. Everything but
/// the revision is written.
///
/// # Errors
///
/// None for checked notes; the JSON library's error for a number that is not finite.
pub fn export(notes: &[MemoryNote], soul: &str) -> Result<Export, serde_json::Error> {
    let names: BTreeMap<NoteId, String> = notes
        .iter()
        .map(|note| (note.id, name_in_file(note, soul)))
        .collect();
    let mut links_left_out = Vec::new();
    let entries: Vec<NoteEntry> = notes
        .iter()
        .map(|note| entry(note, &names, &mut links_left_out))
        .collect();
    Ok(Export {
        json: serde_json::to_string_pretty(&entries)?,
        links_left_out,
    })
}

fn name_in_file(note: &MemoryNote, soul: &str) -> String {
    let imported_as = note.source.iter().find_map(|source| match source {
        Source::Import { id, .. } if note_id(soul, id) == note.id => Some(id.clone()),
        _ => None,
    });
    imported_as.unwrap_or_else(|| note.id.to_string())
}

fn entry(
    note: &MemoryNote,
    names: &BTreeMap<NoteId, String>,
    left_out: &mut Vec<LinkId>,
) -> NoteEntry {
    let draft = NoteDraft::from(note.clone());
    let name = |id: NoteId| names.get(&id).cloned();
    let name_or_uuid = |id: NoteId| name(id).unwrap_or_else(|| id.to_string());
    let mut mem_links = Vec::with_capacity(note.mem_links.len());
    for link in &note.mem_links {
        match name(link.to) {
            Some(to) => mem_links.push(LinkEntry {
                id: Some(link.id),
                from: name(note.id),
                to,
                intensity: Some(link.intensity),
                link_type: link.link_type.clone(),
            }),
            None => left_out.push(link.id),
        }
    }
    NoteEntry {
        id: name_or_uuid(note.id),
        tags: draft.tags,
        mem_type: draft.mem_type,
        mem_links,
        created_at: draft.created_at,
        last_accessed_at: draft.last_accessed_at,
        retrieval_count: draft.retrieval_count,
        valid_from: draft.valid_from,
        valid_until: draft.valid_until,
        superseded_by: draft.superseded_by.map(name_or_uuid),
        source: draft.source,
        affect: draft.affect,
        anchors: draft.anchors,
    }
}
