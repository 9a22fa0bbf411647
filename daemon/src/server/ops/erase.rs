//! `erase`: removes something out of every file.

use std::path::{Path, PathBuf};

use soulmem_engine::model::{MessageId, NoteId};
use soulmem_proto::ErrorPayload;
use soulmem_proto::ops::erase::{BackupEntry, EraseRequest, EraseResponse};

use super::soul_drop::confirmed;
use crate::server::dispatch::{Call, Outcome, done};
use crate::soul::Erasure;
use crate::soul::limits::{MAX_IDS, within_count};
use crate::store::backup::Backup;
use crate::store::{Erase, Erased, ErasedSoul};

/// Answers with what went from where, and with the backups that still hold it.
pub async fn run(mut call: Call) -> Outcome {
    let name = call.name()?;
    let order = call.order().await?;
    let EraseRequest {
        notes,
        messages,
        soul,
        confirm,
        backups,
    } = call.payload()?;
    let backups = folders(backups)?;
    let souls = &call.server.souls;
    if soul {
        if !(notes.is_empty() && messages.is_empty()) {
            let reason = "takes everything: leave notes and messages out, or leave it out";
            return Err(ErrorPayload::invalid_argument("soul", reason));
        }
        let missing = "is missing: give the name of the character once more";
        let confirm = confirm.ok_or_else(|| ErrorPayload::invalid_argument("confirm", missing))?;
        confirmed(&confirm, &name)?;
        let erased = souls.erase_soul(&name, order, backups).await?;
        return done(&whole(&erased));
    }
    if notes.is_empty() && messages.is_empty() {
        let reason = "must hold at least one id, or messages must, or soul be true";
        return Err(ErrorPayload::invalid_argument("notes", reason));
    }
    within_count(notes.len() + messages.len(), MAX_IDS, "notes")?;
    let what = Erase {
        notes: notes.into_iter().map(NoteId).collect(),
        messages: messages.into_iter().map(MessageId).collect(),
    };
    let erased = souls.erase(&name, what, order, backups).await?;
    done(&part(&erased))
}

/// Folders of backups must be named from the root: the daemon's own working folder means nothing to a client.
fn folders(named: Vec<String>) -> Result<Vec<PathBuf>, ErrorPayload> {
    let each = named.into_iter().enumerate();
    each.map(|(index, folder)| absolute(&format!("backups[{index}]"), folder))
        .collect()
}

/// A path that a request names.
pub fn absolute(field: &str, path: String) -> Result<PathBuf, ErrorPayload> {
    let path = PathBuf::from(path);
    if path.is_absolute() {
        return Ok(path);
    }
    let reason = format!("`{}` is not an absolute path", path.display());
    Err(ErrorPayload::invalid_argument(field, reason))
}

fn part(erasure: &Erasure<Erased>) -> EraseResponse {
    let Erasure { erased, backups } = erasure;
    EraseResponse {
        messages: erased.messages.iter().map(|id| id.0).collect(),
        notes: erased.notes.iter().map(|id| id.0).collect(),
        links: erased.links.iter().map(|id| id.0).collect(),
        changed: erased.changed.iter().map(|id| id.0).collect(),
        quoted_by: erased.quoted_by.iter().map(|id| id.0).collect(),
        summary_dropped: erased.summary_dropped,
        llm_replies: erased.llm_replies,
        answers: erased.answers,
        aside: erased.aside,
        traces: erased.traces,
        files: shown(&erased.files),
        backups: entries(backups),
    }
}

fn whole(erasure: &Erasure<ErasedSoul>) -> EraseResponse {
    EraseResponse {
        files: shown(&erasure.erased.folders),
        backups: entries(&erasure.backups),
        ..EraseResponse::default()
    }
}

fn shown<P: AsRef<Path>>(paths: &[P]) -> Vec<String> {
    let shown = |path: &P| path.as_ref().display().to_string();
    paths.iter().map(shown).collect()
}

fn entries(backups: &[Backup]) -> Vec<BackupEntry> {
    let entry = |backup: &Backup| BackupEntry {
        folder: backup.folder.display().to_string(),
        created_at: backup.manifest.created_at,
    };
    backups.iter().map(entry).collect()
}
