//! What came to mind, as text for a language model.

use std::collections::HashSet;

use soulmem_engine::model::{MemoryNote, MessageId, NoteId, Source};
use soulmem_engine::recall::context::{ContextMessage, ContextNote, Material, render};
use soulmem_engine::recall::told_time;
use soulmem_engine::text::estimate_tokens;
use soulmem_proto::ops::push::Role;

use super::retrieve::Found;
use crate::store::Message;

/// Renders what was found in at most `max_tokens` tokens, pinned notes apart.
pub fn context(found: &Found, max_tokens: usize) -> String {
    let core: HashSet<NoteId> = found.pinned.iter().map(|note| note.id).collect();
    let in_window: HashSet<MessageId> = found.window.iter().map(|message| message.id).collect();
    let notes = found
        .recalled
        .notes
        .iter()
        .filter(|hit| !core.contains(&hit.note.id));
    // What stands in the talk itself is not told a second time.
    let utterances = found
        .utterances
        .iter()
        .filter(|(message, _)| !in_window.contains(&message.id));
    let material = Material {
        pinned: found.pinned.iter().map(|note| shown(note)).collect(),
        notes: notes.map(|hit| shown(&hit.note)).collect(),
        utterances: utterances.map(|(message, _)| spoken(message)).collect(),
        actions: found
            .recalled
            .actions
            .iter()
            .map(|(note, _)| note.summary_text())
            .collect(),
        summary: found.summary.clone(),
        window: found.window.iter().map(spoken).collect(),
    };
    render(&material, max_tokens, estimate_tokens)
}

fn shown(note: &MemoryNote) -> ContextNote {
    ContextNote {
        kind: note.kind().as_str(),
        at: Some(told_time(note)),
        provenance: provenance(note),
        text: note.summary_text(),
    }
}

fn provenance(note: &MemoryNote) -> &'static str {
    match note.source.first() {
        Some(Source::Message { .. }) => "said",
        Some(Source::Import { .. }) => "imported",
        Some(Source::Consolidation { .. }) => "consolidated",
        Some(Source::Given) | None => "given",
    }
}

fn spoken(message: &Message) -> ContextMessage {
    let role = match message.role {
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::System => "system",
    };
    ContextMessage {
        role: role.to_owned(),
        name: message.name.clone(),
        at: message.at,
        text: message.text.clone(),
    }
}
