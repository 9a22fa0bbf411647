//! What came to mind as text for a language model.

use std::sync::Arc;

use soulmem_engine::model::{MemoryNote, Source};
use soulmem_engine::recall::context::{ContextMessage, ContextNote, Material, render};
use soulmem_engine::recall::told_time;
use soulmem_proto::ops::push::Role;
use soulmem_proto::ops::retrieve::RetrieveResponse;

use crate::soul::mind::Remembered;

/// Renders an answer within so many tokens as `count` counts them, pinned notes first.
pub fn rendered(
    remembered: &Remembered,
    answer: &RetrieveResponse,
    max_tokens: usize,
    count: &dyn Fn(&str) -> usize,
) -> String {
    let pinned = |id| remembered.pinned.iter().any(|note| note.id == id);
    let notes = remembered.recalled.notes.iter().map(|hit| &hit.note);
    let material = Material {
        pinned: remembered.pinned.iter().map(shown).collect(),
        notes: notes.filter(|note| !pinned(note.id)).map(shown).collect(),
        utterances: answer
            .utterances
            .iter()
            .map(|hit| message(hit.role, hit.name.as_deref(), hit.at, &hit.text))
            .collect(),
        actions: answer
            .actions
            .iter()
            .map(|action| action.text.clone())
            .collect(),
        summary: answer.summary.clone(),
        window: answer
            .short_history
            .iter()
            .map(|said| message(said.role, said.name.as_deref(), said.at, &said.text))
            .collect(),
    };
    render(&material, max_tokens, count)
}

fn shown(note: &Arc<MemoryNote>) -> ContextNote {
    ContextNote {
        kind: note.kind().as_str(),
        at: Some(told_time(note)),
        provenance: match note.source.first() {
            Some(Source::Message { .. }) => "said",
            Some(Source::Import { .. }) => "imported",
            Some(Source::Consolidation { .. }) => "consolidated",
            Some(Source::Given) | None => "given",
        },
        text: note.summary_text(),
    }
}

fn message(role: Role, name: Option<&str>, at: jiff::Timestamp, text: &str) -> ContextMessage {
    let role = match role {
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::System => "system",
    };
    ContextMessage {
        role: role.to_owned(),
        name: name.map(str::to_owned),
        at,
        text: text.to_owned(),
    }
}
