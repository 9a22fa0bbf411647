//! What a file holds: as told, else by its name, else by its first line.

use std::path::Path;

use serde_json::Value as Json;
use soulmem_proto::ops::import::ImportFormat;

use crate::cli::args::{ImportArgs, Imported};
use crate::cli::failure::Failure;
use crate::cli::input;

/// What is to be taken in, with the bytes of a file that holds it all.
pub(super) enum Kind {
    /// A file that is taken in as it is, whole or not at all.
    Whole(ImportFormat, Vec<u8>),
    /// Rows of talk: who said what when.
    Talk(Vec<u8>),
    /// Rows with a title and a text.
    Passages(Vec<u8>),
    /// A file or folder of Markdown and plain text.
    Documents,
}

/// Looks at the arguments, and into the file where they leave it open.
pub(super) fn of(args: &ImportArgs) -> Result<Kind, Failure> {
    let is = |endings: &[&str]| {
        let name = args
            .file
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .to_lowercase();
        endings.iter().any(|ending| name.ends_with(ending))
    };
    if args.format == Some(Imported::Documents) {
        return Ok(Kind::Documents);
    }
    if args.format.is_none() && (args.file.is_dir() || is(&[".md", ".markdown", ".txt"])) {
        return Ok(Kind::Documents);
    }
    let bytes = input::bytes(Path::new(&args.file))?;
    Ok(match args.format {
        Some(Imported::Archive) => Kind::Whole(ImportFormat::Archive, bytes),
        Some(Imported::Passages) => Kind::Passages(bytes),
        Some(Imported::Messages) => talk_or_messages(bytes),
        None if is(&[".archive.jsonl"]) => Kind::Whole(ImportFormat::Archive, bytes),
        None if is(&[".jsonl"]) && is_passage(&bytes) => Kind::Passages(bytes),
        None if is(&[".jsonl"]) => talk_or_messages(bytes),
        Some(Imported::Graph | Imported::Documents) | None => {
            Kind::Whole(ImportFormat::Graph, bytes)
        }
    })
}

/// A row of talk says who speaks; a message of `push` has a role, and its file is refused whole where one is wrong.
fn talk_or_messages(bytes: Vec<u8>) -> Kind {
    let is_talk = first_row(&bytes).is_some_and(|row| {
        row.get("role").is_none()
            && ["speaker", "user", "reply", "conv"]
                .iter()
                .any(|key| row.get(key).is_some())
    });
    if is_talk {
        Kind::Talk(bytes)
    } else {
        Kind::Whole(ImportFormat::Messages, bytes)
    }
}

fn is_passage(bytes: &[u8]) -> bool {
    let says = |row: &Json, key| {
        row.get(key)
            .and_then(Json::as_str)
            .is_some_and(|text| !text.is_empty())
    };
    first_row(bytes)
        .is_some_and(|row| says(&row, "title") && !says(&row, "speaker") && !says(&row, "role"))
}

/// The first line that is a JSON object.
fn first_row(bytes: &[u8]) -> Option<Json> {
    let rows = bytes.split(|byte| *byte == b'\n');
    rows.filter_map(|row| serde_json::from_slice::<Json>(row).ok())
        .find(Json::is_object)
}
