//! Markdown and plain text, one file or a folder of them.

use std::fs;
use std::path::Path;

use sysexits::ExitCode;
use walkdir::WalkDir;

use super::document::Document;
use super::markdown;
use super::skipped::Skipped;
use crate::cli::failure::Failure;

/// A larger file is no text that somebody wrote.
const MAX_BYTES: u64 = 16 << 20;

/// The documents of a file or folder, in the order of their names, and the files that hold none. Hidden files are left
/// aside, links are not followed.
pub(super) fn read(root: &Path) -> Result<(Vec<Document>, Vec<Skipped>), Failure> {
    if !root.exists() {
        return Err(Failure::new(
            ExitCode::NoInput,
            format!("{}: there is no such file or folder", root.display()),
        ));
    }
    let mut documents = Vec::new();
    let mut skipped = Vec::new();
    let walk = WalkDir::new(root).sort_by_file_name().into_iter();
    let visible = walk.filter_entry(|entry| {
        entry.depth() == 0 || !entry.file_name().to_string_lossy().starts_with('.')
    });
    for entry in visible {
        match entry {
            Ok(entry) if entry.file_type().is_dir() => {}
            Ok(entry) => {
                let name = name(root, entry.path());
                match one(entry.path(), &name) {
                    Ok(found) => documents.extend(found),
                    Err(why) => skipped.push(Skipped::at(&name, None, why)),
                }
            }
            Err(error) => {
                let path = error.path().unwrap_or(root).display().to_string();
                skipped.push(Skipped::at(&path, None, format!("cannot be read: {error}")));
            }
        }
    }
    Ok((documents, skipped))
}

/// A file by its path inside the folder.
fn name(root: &Path, path: &Path) -> String {
    let inside = path
        .strip_prefix(root)
        .ok()
        .filter(|inside| !inside.as_os_str().is_empty());
    let shown = inside
        .or_else(|| path.file_name().map(Path::new))
        .unwrap_or(path);
    shown.display().to_string()
}

fn one(path: &Path, name: &str) -> Result<Vec<Document>, String> {
    let extension = path
        .extension()
        .unwrap_or_default()
        .to_string_lossy()
        .to_lowercase();
    let is_markdown = matches!(extension.as_str(), "md" | "markdown");
    if !is_markdown && extension != "txt" {
        return Err("is neither Markdown (.md) nor plain text (.txt)".to_owned());
    }
    let text = text(path)?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let sections = if is_markdown {
        markdown::sections(&text, &stem)
    } else {
        vec![markdown::Section::plain(&stem, &text)]
    };
    let documents: Vec<Document> = sections
        .into_iter()
        .filter(|section| !section.text.trim().is_empty())
        .map(|section| Document {
            file: name.to_owned(),
            line: Some(section.line),
            id: format!("{name}:{}", section.line),
            title: section.title,
            aliases: section.aliases,
            tags: section.tags,
            text: section.text,
        })
        .collect();
    if documents.is_empty() {
        return Err("is empty".to_owned());
    }
    Ok(documents)
}

fn text(path: &Path) -> Result<String, String> {
    let unreadable = |error: std::io::Error| format!("cannot be read: {error}");
    let metadata = fs::metadata(path).map_err(unreadable)?;
    if !metadata.is_file() {
        return Err("is no ordinary file".to_owned());
    }
    if metadata.len() > MAX_BYTES {
        return Err(format!(
            "is too large: {} bytes, at most {MAX_BYTES}",
            metadata.len()
        ));
    }
    let bytes = fs::read(path).map_err(unreadable)?;
    if bytes.contains(&0) {
        return Err("is binary".to_owned());
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        format!(
            "is not UTF-8: the byte at {} fits nowhere",
            error.utf8_error().valid_up_to()
        )
    })?;
    Ok(text
        .strip_prefix('\u{feff}')
        .map(str::to_owned)
        .unwrap_or(text))
}
