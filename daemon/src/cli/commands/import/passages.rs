//! Passages: rows with a title and a text.

use serde::Deserialize;

use super::document::Document;
use super::lines::rows;
use super::skipped::Skipped;

/// A row. Keys that are not named here are left aside.
#[derive(Debug, Deserialize)]
struct Row {
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    title: String,
    #[serde(default)]
    text: String,
    #[serde(default)]
    aliases: Vec<String>,
    #[serde(default)]
    tags: Vec<String>,
}

/// The passages of a file, and the rows that are none.
pub(super) fn read(bytes: &[u8], file: &str) -> (Vec<Document>, Vec<Skipped>) {
    let (rows, mut skipped) = rows::<Row>(bytes, file);
    let mut documents = Vec::new();
    for (line, row) in rows {
        if row.title.trim().is_empty() {
            skipped.push(Skipped::at(file, Some(line), "has no title"));
        } else if row.text.trim().is_empty() {
            skipped.push(Skipped::at(file, Some(line), "is empty"));
        } else {
            documents.push(Document {
                file: file.to_owned(),
                line: Some(line),
                id: row
                    .id
                    .filter(|id| !id.is_empty())
                    .unwrap_or_else(|| line.to_string()),
                title: row.title,
                aliases: row.aliases,
                tags: row.tags,
                text: row.text,
            });
        }
    }
    skipped.sort_by_key(|entry| entry.line);
    (documents, skipped)
}
