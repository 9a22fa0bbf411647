//! `soulmem import`: takes in a graph, a conversation, an archive, passages, or a folder of documents.

mod document;
mod folder;
mod kind;
mod lines;
mod markdown;
mod passages;
mod skipped;
mod talk;
mod upload;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde::Serialize;
use soulmem_proto::ops::import::{ImportFormat, ImportReport};

use crate::cli::args::{ImportArgs, Imported};
use crate::cli::failure::Failure;
use crate::cli::session::{Session, progress};
use crate::cli::{input, output};
use document::Document;
use kind::Kind;
use skipped::Skipped;
use upload::Upload;

/// Notes that are sent at once: what is there when an import is cut off stays, and the next one goes on after it.
const BATCH: usize = 200;

/// What a file or folder that may hold bad entries brought.
#[derive(Debug, Serialize)]
struct Report {
    #[serde(flatten)]
    brought: ImportReport,
    skipped: Vec<Skipped>,
}

/// Sends what is in the file or folder and shows what it brought.
pub async fn run(session: &mut Session, args: &ImportArgs) -> Result<(), Failure> {
    match kind::of(args)? {
        Kind::Whole(format, bytes) => whole(session, args, format, bytes).await,
        Kind::Talk(bytes) => {
            let (lines, skipped) =
                talk::read(&bytes, &args.soul.soul, args.tz.as_deref(), &shown(args))?;
            let brought = send(session, args, ImportFormat::Messages, vec![lines]).await?;
            show(session, args, Report { brought, skipped })
        }
        Kind::Passages(bytes) => {
            let (documents, skipped) = passages::read(&bytes, &shown(args));
            documents_in(session, args, documents, skipped).await
        }
        Kind::Documents => {
            let (documents, skipped) = folder::read(&args.file)?;
            documents_in(session, args, documents, skipped).await
        }
    }
}

/// A file that is taken in as it is: all of it or nothing.
async fn whole(
    session: &mut Session,
    args: &ImportArgs,
    format: ImportFormat,
    bytes: Vec<u8>,
) -> Result<(), Failure> {
    let report = send(session, args, format, vec![bytes]).await?;
    if session.json {
        return output::json(&report);
    }
    let ImportReport {
        notes,
        links,
        messages,
        known,
    } = report;
    let brought = match format {
        ImportFormat::Graph => format!("{notes} notes with {links} links"),
        ImportFormat::Messages => format!("{messages} messages"),
        ImportFormat::Archive => {
            format!("{notes} notes with {links} links and {messages} messages")
        }
    };
    output::text(&format!(
        "{brought} came into {}; {known} were there already\n",
        args.soul.soul
    ))
}

async fn documents_in(
    session: &mut Session,
    args: &ImportArgs,
    documents: Vec<Document>,
    mut skipped: Vec<Skipped>,
) -> Result<(), Failure> {
    let mut seen = BTreeSet::new();
    let mut notes = Vec::new();
    for document in documents {
        for note in document.notes() {
            if seen.insert(note.id.clone()) {
                notes.push(note);
            } else {
                skipped.push(Skipped::at(
                    &document.file,
                    document.line,
                    "says the same under the same title as an entry before",
                ));
            }
        }
    }
    let batches: Result<Vec<Vec<u8>>, serde_json::Error> =
        notes.chunks(BATCH).map(serde_json::to_vec).collect();
    let batches = batches.map_err(|error| Failure::data(format!("{}: {error}", shown(args))))?;
    let brought = send(session, args, ImportFormat::Graph, batches).await?;
    show(session, args, Report { brought, skipped })
}

async fn send(
    session: &mut Session,
    args: &ImportArgs,
    format: ImportFormat,
    batches: Vec<Vec<u8>>,
) -> Result<ImportReport, Failure> {
    let bar = progress(
        batches.iter().map(|batch| batch.len() as u64).sum(),
        "importing",
    );
    let file = args
        .file
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    let mut sum = ImportReport::default();
    for bytes in batches {
        let upload = Upload {
            soul: &args.soul.soul,
            format,
            file: file.clone(),
            bytes: &bytes,
        };
        let ImportReport {
            notes,
            links,
            messages,
            known,
        } = upload.send(&mut session.client, &bar).await?;
        sum.notes += notes;
        sum.links += links;
        sum.messages += messages;
        sum.known += known;
    }
    bar.finish_and_clear();
    Ok(sum)
}

fn show(session: &Session, args: &ImportArgs, report: Report) -> Result<(), Failure> {
    if session.json {
        return output::json(&report);
    }
    let Report { brought, skipped } = report;
    let what = if brought.messages > 0 || matches!(args.format, Some(Imported::Messages)) {
        format!("{} messages", brought.messages)
    } else {
        format!("{} notes", brought.notes)
    };
    let mut shown = format!(
        "{what} came into {}; {} were there already; {} skipped\n",
        args.soul.soul,
        brought.known,
        skipped.len()
    );
    for entry in &skipped {
        // Writing to a String cannot fail.
        let _ = writeln!(shown, "skipped {entry}");
    }
    output::text(&shown)
}

fn shown(args: &ImportArgs) -> String {
    input::shown(&args.file)
}
