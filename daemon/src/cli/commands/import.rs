//! `soulmem import`: takes in a graph file or a conversation.

use std::fmt::Write as _;
use std::path::Path;

use sha2::{Digest, Sha256};
use soulmem_proto::Op;
use soulmem_proto::ops::import::{ImportFormat, ImportReport, ImportRequest, ImportResponse};
use sysexits::ExitCode;

use crate::cli::args::{Format, ImportArgs};
use crate::cli::client::{Ask, typed};
use crate::cli::failure::Failure;
use crate::cli::session::{Session, progress};
use crate::cli::{input, output};

/// Bytes that are sent at once.
const PIECE: usize = 1 << 20;

/// Sends the file and shows what it brought.
pub async fn run(session: &mut Session, args: &ImportArgs) -> Result<(), Failure> {
    let bytes = input::bytes(&args.file)?;
    let report = send(session, args, &bytes).await?;
    if session.json {
        return output::json(&report);
    }
    let ImportReport {
        notes,
        links,
        messages,
        known,
    } = report;
    let brought = match format(args) {
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

async fn send(
    session: &mut Session,
    args: &ImportArgs,
    bytes: &[u8],
) -> Result<ImportReport, Failure> {
    let upload = name(bytes);
    let file = args
        .file
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    let bar = progress(bytes.len() as u64, "importing");
    let mut offset = 0;
    loop {
        let end = bytes.len().min(offset + PIECE);
        let payload = ImportRequest {
            upload: upload.clone(),
            offset: offset as u64,
            bytes: bytes.get(offset..end).unwrap_or_default().to_vec(),
            done: end == bytes.len(),
            format: format(args),
            file: file.clone(),
        };
        let ask = Ask {
            op: Op::Import,
            soul: Some(&args.soul.soul),
            payload: &payload,
            key: None,
        };
        let answer: ImportResponse = typed(session.client.ask(ask).await?)?;
        offset = end;
        bar.set_position(offset as u64);
        if payload.done {
            bar.finish_and_clear();
            let missing = || {
                Failure::new(
                    ExitCode::Protocol,
                    "the daemon did not say what the import brought",
                )
            };
            return answer.report.ok_or_else(missing);
        }
    }
}

/// Uploads of different files never meet; those of the same file are the same.
fn name(bytes: &[u8]) -> String {
    let mut name = String::new();
    for byte in Sha256::digest(bytes) {
        // Writing to a String cannot fail.
        let _ = write!(name, "{byte:02x}");
    }
    name
}

fn is_archive(args: &ImportArgs) -> bool {
    let name = args.file.file_name().unwrap_or_default();
    name.to_string_lossy().ends_with(".archive.jsonl")
}

fn format(args: &ImportArgs) -> ImportFormat {
    let lines = || args.file.extension() == Some(Path::new("jsonl").as_os_str());
    match args.format {
        Some(Format::Archive) => ImportFormat::Archive,
        Some(Format::Messages) => ImportFormat::Messages,
        None if is_archive(args) => ImportFormat::Archive,
        None if lines() => ImportFormat::Messages,
        Some(Format::Graph) | None => ImportFormat::Graph,
    }
}
