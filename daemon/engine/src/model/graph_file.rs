//! Graph files: whole memories as JSON, to be written by hand, imported and exported.
//!
//! A file is a list of notes:
//!
//! ```json
//! [{"id": "mem_rust", "tags": ["Rust"],
//!   "mem_type": {"Semantic": {"content": "Rust", "concept_type": "Entity"}},
//!   "mem_links": [{"from": "mem_rust", "to": "mem_c", "intensity": 0.8,
//!                  "link_type": {"Sem": {"verb": "related", "confidence": 0.7}}}]},
//!  {"id": "mem_c", "mem_type": {"Semantic": {"content": "C", "concept_type": "Entity"}}}]
//! ```
//!
//! Ids are chosen by the writer and become UUIDs that depend only on the character and the id, so
//! that the same file imported twice is the same notes. Beside these keys a note may have all that
//! a [`NoteDraft`] has. An unknown key, a link that leads nowhere, an id used twice or a value that
//! the model refuses makes the whole file refused.

mod entry;
mod export;

use std::collections::BTreeMap;

use jiff::Timestamp;
use thiserror::Error;
use uuid::Uuid;

pub use export::{Export, export};

use super::check::{ModelError, is_blank};
use super::clock::FixedClock;
use super::draft::{LinkDraft, NoteDraft};
use super::id::{LinkId, NoteId, SequentialIds};
use super::source::Source;
use super::strict;
use entry::{LinkEntry, NoteEntry};

/// Namespace of the note ids made from the ids of graph files. Fixed for ever: a change would make
/// every repeated import a second memory.
const NOTE_NAMESPACE: Uuid = Uuid::from_u128(0x7b1c_9f0e_5f0d_5c1b_9d55_3a5e_0c9e_61d4);

/// Namespace of the link ids made for links without one.
const LINK_NAMESPACE: Uuid = Uuid::from_u128(0xa64e_02d7_3b18_5e86_8a3f_91cb_7d20_4f5a);

/// Why a graph file is refused.
#[derive(Debug, Error)]
pub enum GraphFileError {
    /// It is not JSON.
    #[error("{file}: not valid JSON: {error}")]
    Json {
        /// The file's name.
        file: String,
        /// What is wrong, with line and column.
        #[source]
        error: serde_json::Error,
    },
    /// An entry is refused.
    #[error("{file}: {}: {}", error.field, error.reason)]
    Entry {
        /// The file's name.
        file: String,
        /// Where, as a path such as `[3].mem_links[0].to`, and why.
        #[source]
        error: ModelError,
    },
}

/// What a graph file holds: checked drafts, in the file's order.
#[derive(Debug, Clone, PartialEq)]
pub struct GraphFile {
    /// The notes. Each has its id, and so has each of its links.
    pub notes: Vec<NoteDraft>,
    /// The note id of each id in the file.
    pub ids: BTreeMap<String, NoteId>,
}

/// The id of the note that a graph file calls `id`, in the memory of `soul`.
///
/// A lower-case hyphenated UUID stands for itself.
pub fn note_id(soul: &str, id: &str) -> NoteId {
    id.parse().unwrap_or_else(|_| {
        NoteId(Uuid::new_v5(
            &NOTE_NAMESPACE,
            format!("{soul}/{id}").as_bytes(),
        ))
    })
}

/// Reads a graph file for the memory of `soul`. `file` is its name, for errors and for the source
/// of notes that give none.
///
/// # Errors
///
/// [`GraphFileError`] for the first entry that is refused; then nothing of the file is given.
pub fn parse(bytes: &[u8], file: &str, soul: &str) -> Result<GraphFile, GraphFileError> {
    let value = strict::parse_json(bytes).map_err(|error| GraphFileError::Json {
        file: file.to_owned(),
        error,
    })?;
    read_entries(&value, file, soul).map_err(|error| GraphFileError::Entry {
        file: file.to_owned(),
        error,
    })
}

fn read_entries(
    value: &serde_json::Value,
    file: &str,
    soul: &str,
) -> Result<GraphFile, ModelError> {
    let entries: Vec<NoteEntry> =
        strict::from_value(value).map_err(|error| match error.field.as_str() {
            "" => ModelError::new("the file", error.reason),
            _ => error,
        })?;
    let ids = index(&entries, soul)?;
    let reader = Reader { file, ids: &ids };
    let mut links = BTreeMap::new();
    let notes = entries
        .into_iter()
        .enumerate()
        .map(|(position, entry)| {
            let place = format!("[{position}]");
            let draft = reader.draft(entry).map_err(|error| error.within(&place))?;
            unique_links(&draft, &place, &mut links)?;
            Ok(draft)
        })
        .collect::<Result<Vec<_>, ModelError>>()?;
    Ok(GraphFile { notes, ids })
}

fn index(entries: &[NoteEntry], soul: &str) -> Result<BTreeMap<String, NoteId>, ModelError> {
    let mut ids = BTreeMap::new();
    let mut places = BTreeMap::new();
    for (position, entry) in entries.iter().enumerate() {
        let refused = |reason: String| Err(ModelError::new(format!("[{position}].id"), reason));
        if is_blank(&entry.id) {
            return refused("must not be empty".to_owned());
        }
        let id = note_id(soul, &entry.id);
        if let Some(first) = places.insert(id, position) {
            return refused(format!("`{}` is also the id of entry [{first}]", entry.id));
        }
        ids.insert(entry.id.clone(), id);
    }
    Ok(ids)
}

fn unique_links(
    draft: &NoteDraft,
    place: &str,
    seen: &mut BTreeMap<LinkId, String>,
) -> Result<(), ModelError> {
    for (position, link) in draft.mem_links.iter().enumerate() {
        let here = format!("{place}.mem_links[{position}].id");
        let Some(id) = link.id else { continue };
        if let Some(first) = seen.insert(id, here.clone()) {
            return Err(ModelError::new(here, format!("{id} is also {first}")));
        }
    }
    Ok(())
}

struct Reader<'a> {
    file: &'a str,
    ids: &'a BTreeMap<String, NoteId>,
}

impl Reader<'_> {
    fn draft(&self, entry: NoteEntry) -> Result<NoteDraft, ModelError> {
        let id = self.known("id", &entry.id)?;
        let superseded_by = entry
            .superseded_by
            .as_deref()
            .map(|other| self.superseding(other))
            .transpose()?;
        let mut drawn = BTreeMap::new();
        let mut mem_links = Vec::with_capacity(entry.mem_links.len());
        for (position, link) in entry.mem_links.into_iter().enumerate() {
            let link = self
                .link(&entry.id, id, link, &mut drawn)
                .map_err(|error| error.within(format_args!("mem_links[{position}]")))?;
            mem_links.push(link);
        }
        let mut source = entry.source;
        if source.is_empty() {
            source.push(Source::Import {
                file: self.file.to_owned(),
                id: entry.id,
            });
        }
        let draft = NoteDraft {
            id: Some(id),
            tags: entry.tags,
            mem_type: entry.mem_type,
            created_at: entry.created_at,
            last_accessed_at: entry.last_accessed_at,
            retrieval_count: entry.retrieval_count,
            valid_from: entry.valid_from,
            valid_until: entry.valid_until,
            superseded_by,
            source,
            affect: entry.affect,
            anchors: entry.anchors,
            mem_links,
            if_revision: None,
        };
        // Whether a draft is refused does not depend on the clock, so any will do to find out.
        draft
            .clone()
            .build(&FixedClock(Timestamp::UNIX_EPOCH), &SequentialIds::new())?;
        Ok(draft)
    }

    fn known(&self, field: &str, id: &str) -> Result<NoteId, ModelError> {
        self.ids.get(id).copied().ok_or_else(|| {
            let known: Vec<&str> = self.ids.keys().map(String::as_str).collect();
            let hint = strict::nearest(id, &known)
                .map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            ModelError::new(
                field,
                format!("no note of the file has the id `{id}`{hint}"),
            )
        })
    }

    /// Unlike a link, a correction may be outside of the file, where it has no other name than
    /// its UUID.
    fn superseding(&self, id: &str) -> Result<NoteId, ModelError> {
        self.known("superseded_by", id)
            .or_else(|unknown| id.parse().map_err(|_| unknown))
    }

    fn link(
        &self,
        note: &str,
        note_id: NoteId,
        entry: LinkEntry,
        drawn: &mut BTreeMap<String, u32>,
    ) -> Result<LinkDraft, ModelError> {
        if let Some(from) = entry.from.filter(|from| from != note) {
            return Err(ModelError::new(
                "from",
                format!("is `{from}`, but the link stands in the note `{note}`"),
            ));
        }
        let to = self.known("to", &entry.to)?;
        let link = LinkDraft {
            id: None,
            from: Some(note_id),
            to,
            intensity: entry.intensity,
            link_type: entry.link_type,
        };
        let id = entry.id.unwrap_or_else(|| drawn_id(&link, note_id, drawn));
        Ok(LinkDraft {
            id: Some(id),
            ..link
        })
    }
}

/// The id of a link that gives none: the same for the same ends, kind and verb, so that a repeated
/// import finds its links again whatever their order. Those that agree in all of it are numbered.
fn drawn_id(link: &LinkDraft, from: NoteId, drawn: &mut BTreeMap<String, u32>) -> LinkId {
    let verb = match &link.link_type {
        super::LinkType::Sem(sem) => sem.verb.as_str(),
        _ => "",
    };
    let name = format!("{from}/{}/{}/{verb}", link.to, link.link_type.as_str());
    let count = drawn.entry(name.clone()).or_insert(0);
    *count += 1;
    LinkId(Uuid::new_v5(
        &LINK_NAMESPACE,
        format!("{count}/{name}").as_bytes(),
    ))
}
