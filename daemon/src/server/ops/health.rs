//! `health`: the condition of everything that can fail.

use std::io;
use std::path::Path;

use soulmem_proto::ops::health::{HealthRequest, HealthResponse};
use soulmem_proto::{ErrorCode, ErrorPayload};

use crate::server::dispatch::{Call, Outcome, done};
use crate::soul::report::embedding_health;

/// Answers without opening or waking any character.
pub async fn run(mut call: Call) -> Outcome {
    let HealthRequest {} = call.payload()?;
    let (souls, data_dir) = (&call.server.souls, &call.server.data_dir);
    let unreadable = |error: io::Error| {
        ErrorPayload::new(
            ErrorCode::Unavailable,
            format!("{}: {error}", data_dir.display()),
        )
    };
    done(&HealthResponse {
        souls: souls.health().await,
        embedding: embedding_health(souls.world()),
        llm: souls.world().llm.health(),
        data_dir: data_dir.display().to_string(),
        free_bytes: free_bytes(data_dir).map_err(unreadable)?,
        backup: souls.backup_health().await,
    })
}

/// Room left for this user on the disk of a folder.
fn free_bytes(folder: &Path) -> io::Result<u64> {
    let disk = rustix::fs::statvfs(folder)?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}
