//! `soulmem backup`: copies characters into a folder.

use std::path::{Path, PathBuf};

use soulmem_proto::Op;
use soulmem_proto::ops::backup::{BackupRequest, BackupResponse};

use crate::cli::args::BackupArgs;
use crate::cli::client::{Ask, typed};
use crate::cli::failure::Failure;
use crate::cli::output;
use crate::cli::session::{Session, steps};
use crate::cli::table::Table;

/// Makes a backup and shows what is in it.
pub async fn run(session: &mut Session, args: &BackupArgs) -> Result<(), Failure> {
    let recipients = match (args.plain, args.recipients.as_slice()) {
        (true, _) => Some(Vec::new()),
        (false, []) => None,
        (false, keys) => Some(keys.to_vec()),
    };
    let payload = &BackupRequest {
        folder: args.folder.as_deref().map(from_root).transpose()?,
        souls: args.souls.clone(),
        recipients,
    };
    let watched = session.souls_or_all(&args.souls).await?;
    session.client.watch(&watched, steps()).await?;
    let ask = Ask {
        op: Op::Backup,
        soul: None,
        payload,
        key: None,
    };
    let answer = session.client.ask(ask).await?;
    if session.json {
        return output::json(&answer);
    }
    let BackupResponse { folder, souls, .. } = typed(answer)?;
    let mut table = Table::new(["soul", "notes", "links", "messages", "KiB", "file"]);
    for entry in souls {
        let [notes, links, messages] = [entry.notes, entry.links, entry.messages];
        table.row([
            entry.soul.as_str(),
            &notes.to_string(),
            &links.to_string(),
            &messages.to_string(),
            &entry.bytes.div_ceil(1024).to_string(),
            &entry.file,
        ]);
    }
    output::text(&format!("{folder}\n{table}"))
}

/// A path as the daemon, whose working folder is another, understands it.
pub fn from_root(path: &Path) -> Result<String, Failure> {
    let absolute: PathBuf = std::path::absolute(path)
        .map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
    let text = absolute.into_os_string().into_string();
    text.map_err(|_| Failure::usage(format!("{}: is not valid UTF-8", path.display())))
}
