//! `backup`: copies characters into a folder.

use soulmem_proto::ErrorPayload;
use soulmem_proto::ops::backup::{BackedUpSoul, BackupRequest, BackupResponse};

use super::erase::absolute;
use crate::server::dispatch::{Call, Outcome, done};
use crate::soul::{BackupPlan, SoulError};
use crate::store::backup::Recipients;

/// Answers once every copy was checked.
pub async fn run(mut call: Call) -> Outcome {
    call.refuse_key()?;
    let BackupRequest {
        folder,
        souls,
        recipients,
    } = call.payload()?;
    let settings = &call.server.souls.settings().backup;
    let folder = match folder {
        Some(folder) => absolute("folder", folder)?,
        None => settings.folder.clone().ok_or_else(|| {
            let reason = "is missing, and none is configured (backup.folder)";
            ErrorPayload::invalid_argument("folder", reason)
        })?,
    };
    let recipients = match recipients {
        Some(keys) => Recipients::parse(&keys).map_err(SoulError::from)?,
        None => settings.recipients.clone(),
    };
    let plan = BackupPlan {
        folder,
        souls,
        recipients,
    };
    let backup = call.server.souls.back_up(plan).await?;
    let souls = backup.manifest.souls.into_iter().map(|entry| BackedUpSoul {
        soul: entry.soul,
        file: entry.file,
        bytes: entry.bytes,
        sha256: entry.sha256,
        encrypted: entry.encrypted,
        schema: entry.schema,
        database: entry.database,
        last_seq: entry.last_seq.unsigned_abs(),
        notes: entry.notes,
        links: entry.links,
        messages: entry.messages,
    });
    done(&BackupResponse {
        folder: backup.folder.display().to_string(),
        created_at: backup.manifest.created_at,
        souls: souls.collect(),
    })
}
