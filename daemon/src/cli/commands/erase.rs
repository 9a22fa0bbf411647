//! `soulmem erase`: removes something out of every file.

use std::fmt::Write as _;

use soulmem_proto::Op;
use soulmem_proto::ops::erase::{EraseRequest, EraseResponse};

use super::backup::from_root;
use crate::cli::args::EraseArgs;
use crate::cli::client::{Ask, typed};
use crate::cli::failure::Failure;
use crate::cli::output;
use crate::cli::session::{Session, steps};
use crate::cli::when::When;

/// Erases and shows what went, and what still holds it.
pub async fn run(session: &mut Session, args: &EraseArgs) -> Result<(), Failure> {
    if !args.all && args.notes.is_empty() && args.messages.is_empty() {
        let what = "nothing to erase: name --note ID or --message ID, or --all --confirm NAME";
        return Err(Failure::usage(what));
    }
    let backups = args.backups.iter().map(|folder| from_root(folder));
    let payload = &EraseRequest {
        notes: args.notes.clone(),
        messages: args.messages.clone(),
        soul: args.all,
        confirm: args.confirm.clone(),
        backups: backups.collect::<Result<_, _>>()?,
    };
    let soul = &args.soul.soul;
    if !args.all {
        let watched = std::slice::from_ref(soul);
        session.client.watch(watched, steps()).await?;
    }
    let ask = Ask {
        op: Op::Erase,
        soul: Some(soul),
        payload,
        key: None,
    };
    let answer = session.client.ask(ask).await?;
    if session.json {
        return output::json(&answer);
    }
    output::text(&told(&typed(answer)?))
}

fn told(erased: &EraseResponse) -> String {
    let mut text = String::new();
    let counts = [
        ("messages", erased.messages.len() as u64),
        ("notes", erased.notes.len() as u64),
        ("links", erased.links.len() as u64),
        ("summaries", u64::from(erased.summary_dropped)),
        ("kept replies", erased.llm_replies),
        ("answers to keys", erased.answers),
        ("rows set aside", erased.aside),
        ("other traces", erased.traces),
    ];
    // Writing to a String cannot fail.
    for (what, count) in counts.iter().filter(|(_, count)| *count > 0) {
        let _ = writeln!(text, "erased {count} {what}");
    }
    for file in &erased.files {
        let _ = writeln!(text, "removed {file}");
    }
    for note in &erased.changed {
        let _ = writeln!(text, "note {note} lives on, and rests on less");
    }
    for note in &erased.quoted_by {
        let _ = writeln!(
            text,
            "note {note} lives on, and holds words of what was erased"
        );
    }
    for backup in &erased.backups {
        let made = When::here().show(backup.created_at);
        let _ = writeln!(text, "still in the backup {} of {made}", backup.folder);
    }
    if text.is_empty() {
        text.push_str("nothing of it was there\n");
    }
    text
}
