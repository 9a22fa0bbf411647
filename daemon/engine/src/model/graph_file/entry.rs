//! One note and one link as a graph file writes them.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::model::affect::AffectDraft;
use crate::model::anchor::Anchor;
use crate::model::id::LinkId;
use crate::model::link::LinkType;
use crate::model::nil::nil_as_default;
use crate::model::note::MemoryType;
use crate::model::source::Source;

/// A note: like a draft, but ids are the writer's own and nothing else is needed but the body.
#[derive(Serialize, Deserialize)]
pub(super) struct NoteEntry {
    pub id: String,
    #[serde(default, deserialize_with = "nil_as_default")]
    pub tags: Vec<String>,
    pub mem_type: MemoryType,
    #[serde(default, deserialize_with = "nil_as_default")]
    pub mem_links: Vec<LinkEntry>,
    #[serde(
        default,
        alias = "create_time",
        skip_serializing_if = "Option::is_none"
    )]
    pub created_at: Option<Timestamp>,
    #[serde(
        default,
        alias = "last_accessed_time",
        skip_serializing_if = "Option::is_none"
    )]
    pub last_accessed_at: Option<Timestamp>,
    #[serde(default, deserialize_with = "nil_as_default")]
    pub retrieval_count: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_from: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_until: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
    #[serde(default, deserialize_with = "nil_as_default")]
    pub source: Vec<Source>,
    #[serde(default, deserialize_with = "nil_as_default")]
    pub affect: AffectDraft,
    #[serde(default, deserialize_with = "nil_as_default")]
    pub anchors: Vec<Anchor>,
}

/// A link, written with the note it starts from.
#[derive(Serialize, Deserialize)]
pub(super) struct LinkEntry {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<LinkId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    pub to: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intensity: Option<f64>,
    pub link_type: LinkType,
}
