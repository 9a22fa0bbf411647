//! `soulmem restore`: brings characters back.

use serde_json::json;
use soulmem_proto::Op;
use soulmem_proto::ops::restore::{RestoreRequest, RestoreResponse};
use sysexits::ExitCode;

use super::backup::from_root;
use crate::cli::args::{GlobalArgs, RestoreArgs};
use crate::cli::client::{Ask, typed};
use crate::cli::config::Effective;
use crate::cli::failure::Failure;
use crate::cli::output;
use crate::cli::session::{Session, hold_data_dir};
use crate::cli::table::Table;
use crate::cli::when::When;
use crate::store::{StoreError, WentBack, go_back, snapshots};

/// Brings characters back from a backup.
pub async fn run(session: &mut Session, args: &RestoreArgs) -> Result<(), Failure> {
    let folder = args.folder.as_deref().map(from_root).transpose()?;
    let payload = &RestoreRequest {
        folder: folder.unwrap_or_default(),
        souls: args.souls.clone(),
        replace: args.replace,
        identity: args.identity.as_deref().map(from_root).transpose()?,
    };
    let ask = Ask {
        op: Op::Restore,
        soul: None,
        payload,
        key: None,
    };
    let answer = session.client.ask(ask).await?;
    if session.json {
        return output::json(&answer);
    }
    let RestoreResponse { souls } = typed(answer)?;
    let mut table = Table::new(["soul", "notes", "links", "messages", "before"]);
    for soul in souls {
        let before = if soul.replaced { "in the trash" } else { "" };
        let [notes, links, messages] =
            [soul.notes, soul.links, soul.messages].map(|count| count.to_string());
        table.row([soul.soul.as_str(), &notes, &links, &messages, before]);
    }
    output::text(&table)
}

/// Goes back to the last copy from before a change of the schema. No daemon may run: it would bring the copy up to date
/// again at once.
pub fn snapshot(
    effective: &Effective,
    global: &GlobalArgs,
    args: &RestoreArgs,
) -> Result<(), Failure> {
    let _lock = hold_data_dir(effective)?;
    for soul in &args.souls {
        let folder = effective.config.data_dir.join("souls").join(soul.as_str());
        let found = snapshots(&folder).map_err(|error| failed(&error))?;
        let Some(snapshot) = found.last() else {
            let reason = format!("there is no copy from before a new version of {soul}");
            return Err(Failure::data(reason));
        };
        let back = go_back(&folder, snapshot, &mut |_| ()).map_err(|error| failed(&error))?;
        if global.json {
            let losses = back.losses.iter().map(|lost| {
                json!({"seq": lost.seq, "at": lost.at, "what": lost.what, "subject": lost.subject})
            });
            output::json(&json!({
                "soul": soul,
                "snapshot": snapshot.file,
                "schema": snapshot.schema,
                "kept": back.kept,
                "losses": losses.collect::<Vec<_>>(),
            }))?;
        } else {
            output::text(&format!(
                "{soul} is as it was in {}\n{}",
                snapshot.file.display(),
                told(&back)
            ))?;
        }
    }
    Ok(())
}

fn told(back: &WentBack) -> String {
    let kept = format!(
        "as it was until now it is kept in {}\n",
        back.kept.display()
    );
    if back.losses.is_empty() {
        return format!("nothing is lost by it; {kept}");
    }
    let when = When::here();
    let mut table = Table::new(["lost", "when", "what", "of"]);
    for lost in &back.losses {
        let subject = lost.subject.map(|id| id.to_string()).unwrap_or_default();
        table.row([
            &lost.seq.to_string(),
            &when.show(lost.at),
            &lost.what,
            &subject,
        ]);
    }
    format!("{kept}{table}")
}

fn failed(error: &StoreError) -> Failure {
    let exit = match error {
        StoreError::NotFound(_) | StoreError::Conflict(_) | StoreError::Invalid { .. } => {
            ExitCode::DataErr
        }
        StoreError::InUse { .. } | StoreError::Locked { .. } => ExitCode::TempFail,
        _ => ExitCode::IoErr,
    };
    Failure::new(exit, error.to_string())
}
