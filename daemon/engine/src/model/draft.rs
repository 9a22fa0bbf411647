//! What a caller gives to make a note or a link.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::affect::AffectDraft;
use super::anchor::Anchor;
use super::check::ModelError;
use super::clock::Clock;
use super::id::{IdSource, LinkId, NoteId};
use super::link::{DEFAULT_INTENSITY, LinkType, MemoryLink};
use super::nil::nil_as_default;
use super::note::{MemoryNote, MemoryType};
use super::source::Source;

/// A note as far as a caller gives it. Only the body is needed.
///
/// ```
/// use soulmem_engine::model::*;
///
/// let body = MemoryType::Semantic(SemMemory {
///     content: "rain".into(),
///     aliases: vec![],
///     concept_type: ConceptType::Entity,
///     description: "what she likes to walk in".into(),
/// });
/// let clock = FixedClock("2026-06-01T08:00:00Z".parse()?);
/// let note = NoteDraft::new(body).tagged(["weather"]).build(&clock, &SequentialIds::new())?;
/// assert_eq!(note.summary_text(), "rain: what she likes to walk in");
/// assert_eq!(note.last_accessed_at, note.created_at);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NoteDraft {
    /// Which note; a new one where it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<NoteId>,
    /// Labels.
    #[serde(default, deserialize_with = "nil_as_default")]
    pub tags: Vec<String>,
    /// What is remembered.
    pub mem_type: MemoryType,
    /// When it was first remembered; now where it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Timestamp>,
    /// When it was last recalled; the creation where it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_accessed_at: Option<Timestamp>,
    /// How often it was recalled; 0 where it is left out.
    #[serde(default, deserialize_with = "nil_as_default")]
    pub retrieval_count: u64,
    /// From when on it is held true; the creation where it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_from: Option<Timestamp>,
    /// Until when it was held true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_until: Option<Timestamp>,
    /// The note that took its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<NoteId>,
    /// What it came from; [`Source::Given`] where nothing is given.
    #[serde(default, deserialize_with = "nil_as_default")]
    pub source: Vec<Source>,
    /// How it feels; the defaults where it is left out.
    #[serde(default, deserialize_with = "nil_as_default")]
    pub affect: AffectDraft,
    /// Passages that fade last.
    #[serde(default, deserialize_with = "nil_as_default")]
    pub anchors: Vec<Anchor>,
    /// The links that start from it.
    #[serde(default, deserialize_with = "nil_as_default")]
    pub mem_links: Vec<LinkDraft>,
    /// The revision that the caller has seen: the store replaces a note only where this is still
    /// the current one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub if_revision: Option<u64>,
}

/// A link as far as a caller gives it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinkDraft {
    /// Which link; a new one where it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<LinkId>,
    /// The note it starts from; may be left out inside a note.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<NoteId>,
    /// The note it leads to.
    pub to: NoteId,
    /// How strong it is; 1 where it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intensity: Option<f64>,
    /// What kind of link.
    pub link_type: LinkType,
}

impl NoteDraft {
    /// A draft of which only the body is given.
    pub fn new(mem_type: MemoryType) -> Self {
        Self {
            id: None,
            tags: Vec::new(),
            mem_type,
            created_at: None,
            last_accessed_at: None,
            retrieval_count: 0,
            valid_from: None,
            valid_until: None,
            superseded_by: None,
            source: Vec::new(),
            affect: AffectDraft::default(),
            anchors: Vec::new(),
            mem_links: Vec::new(),
            if_revision: None,
        }
    }

    /// With this id.
    #[must_use]
    pub fn with_id(mut self, id: NoteId) -> Self {
        self.id = Some(id);
        self
    }

    /// First remembered at `at`.
    #[must_use]
    pub fn created_at(mut self, at: Timestamp) -> Self {
        self.created_at = Some(at);
        self
    }

    /// With these tags added.
    #[must_use]
    pub fn tagged<T: Into<String>>(mut self, tags: impl IntoIterator<Item = T>) -> Self {
        self.tags.extend(tags.into_iter().map(Into::into));
        self
    }

    /// With one more origin.
    #[must_use]
    pub fn from_source(mut self, source: Source) -> Self {
        self.source.push(source);
        self
    }

    /// With one more link.
    #[must_use]
    pub fn linked(mut self, link: LinkDraft) -> Self {
        self.mem_links.push(link);
        self
    }

    /// The note: checked, with what is left out filled in, at revision 1.
    ///
    /// Whether a draft is refused never depends on the clock: a time that is left out takes the
    /// latest value that agrees with those that are given.
    ///
    /// # Errors
    ///
    /// A [`ModelError`] naming the first field that is refused.
    pub fn build(self, clock: &dyn Clock, ids: &dyn IdSource) -> Result<MemoryNote, ModelError> {
        let id = self.id.unwrap_or_else(|| ids.note_id());
        let created_at = self.created_at.unwrap_or_else(|| {
            let now = clock.now();
            self.last_accessed_at
                .map_or(now, |accessed| accessed.min(now))
        });
        let last_accessed_at = self.last_accessed_at.unwrap_or(created_at);
        let valid_from = self.valid_from.unwrap_or_else(|| {
            self.valid_until
                .map_or(created_at, |until| until.min(created_at))
        });
        let mem_links = self
            .mem_links
            .into_iter()
            .map(|link| link.fill_in(id, ids))
            .collect();
        let source = if self.source.is_empty() {
            vec![Source::Given]
        } else {
            self.source
        };
        let note = MemoryNote {
            id,
            tags: self.tags,
            mem_type: self.mem_type,
            created_at,
            last_accessed_at,
            retrieval_count: self.retrieval_count,
            revision: 1,
            source,
            valid_from,
            valid_until: self.valid_until,
            superseded_by: self.superseded_by,
            affect: self.affect.build(last_accessed_at),
            anchors: self.anchors,
            mem_links,
        };
        note.check()?;
        Ok(note)
    }
}

impl From<MemoryNote> for NoteDraft {
    /// A draft that builds the same note again, and replaces it only where it has not changed.
    fn from(note: MemoryNote) -> Self {
        Self {
            id: Some(note.id),
            tags: note.tags,
            mem_type: note.mem_type,
            created_at: Some(note.created_at),
            last_accessed_at: Some(note.last_accessed_at),
            retrieval_count: note.retrieval_count,
            valid_from: Some(note.valid_from),
            valid_until: note.valid_until,
            superseded_by: note.superseded_by,
            source: note.source,
            affect: note.affect.into(),
            anchors: note.anchors,
            mem_links: note.mem_links.into_iter().map(LinkDraft::from).collect(),
            if_revision: Some(note.revision),
        }
    }
}

impl LinkDraft {
    /// A link to `to` of which only the kind is given.
    pub fn new(to: NoteId, link_type: LinkType) -> Self {
        Self {
            id: None,
            from: None,
            to,
            intensity: None,
            link_type,
        }
    }

    /// Starting from `from`.
    #[must_use]
    pub fn starting_from(mut self, from: NoteId) -> Self {
        self.from = Some(from);
        self
    }

    /// With this intensity.
    #[must_use]
    pub fn with_intensity(mut self, intensity: f64) -> Self {
        self.intensity = Some(intensity);
        self
    }

    /// The link: checked, with what is left out filled in.
    ///
    /// # Errors
    ///
    /// A [`ModelError`] naming the first field that is refused; `from` where it is left out.
    pub fn build(self, ids: &dyn IdSource) -> Result<MemoryLink, ModelError> {
        let from = self.from.ok_or_else(|| {
            ModelError::new("from", "is missing: name the note the link starts from")
        })?;
        let link = self.fill_in(from, ids);
        link.check()?;
        Ok(link)
    }

    fn fill_in(self, note: NoteId, ids: &dyn IdSource) -> MemoryLink {
        MemoryLink {
            id: self.id.unwrap_or_else(|| ids.link_id()),
            from: self.from.unwrap_or(note),
            to: self.to,
            intensity: self.intensity.unwrap_or(DEFAULT_INTENSITY),
            link_type: self.link_type,
        }
    }
}

impl From<MemoryLink> for LinkDraft {
    fn from(link: MemoryLink) -> Self {
        Self {
            id: Some(link.id),
            from: Some(link.from),
            to: link.to,
            intensity: Some(link.intensity),
            link_type: link.link_type,
        }
    }
}
