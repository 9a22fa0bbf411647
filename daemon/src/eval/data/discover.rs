//! Finding data sets: one file, or those in a folder.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::read_json;
use crate::eval::error::EvalError;

/// What a JSON file holds, as far as its outermost keys tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Retrieval cases over a graph.
    Queries,
    /// Forgetting cases.
    Forgetting,
    /// A graph, or something that is no data set.
    Other,
}

/// Whether folders inside a folder are looked into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Only what stands in the folder itself.
    Folder,
    /// Everything below it.
    Below,
}

/// The data sets of a kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Their files, sorted.
    pub files: Vec<PathBuf>,
    /// JSON files of the folder that are something else, sorted.
    pub others: Vec<PathBuf>,
}

/// Finds the data sets of `kind`. A file that is named is taken as it is: what is wrong with it is for its reader to say.
///
/// # Errors
///
/// [`EvalError`] where something cannot be read, is no JSON, or where a folder has no data set of the kind.
pub fn discover(path: &Path, kind: Kind, depth: Depth) -> Result<Found, EvalError> {
    let metadata = std::fs::metadata(path).map_err(|error| unreadable(path, error))?;
    if !metadata.is_dir() {
        return Ok(Found {
            files: vec![path.to_owned()],
            others: Vec::new(),
        });
    }
    let mut candidates = Vec::new();
    collect(path, depth, &mut candidates)?;
    candidates.sort();
    let mut found = Found::default();
    for file in candidates {
        if kind_of(&read_json(&file)?) == kind {
            found.files.push(file);
        } else {
            found.others.push(file);
        }
    }
    if found.files.is_empty() {
        return Err(EvalError::Nothing {
            path: path.to_owned(),
            reason: nothing(kind, depth),
        });
    }
    Ok(found)
}

fn collect(folder: &Path, depth: Depth, files: &mut Vec<PathBuf>) -> Result<(), EvalError> {
    let unreadable = |error| unreadable(folder, error);
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let path = entry.path();
        // A link to a folder is not followed: it may lead back here.
        if entry.file_type().map_err(unreadable)?.is_dir() {
            if depth == Depth::Below {
                collect(&path, depth, files)?;
            }
        } else if path.extension() == Some(OsStr::new("json")) {
            files.push(path);
        }
    }
    Ok(())
}

fn kind_of(value: &Value) -> Kind {
    if value.get("graph_path").is_some() {
        return Kind::Queries;
    }
    let config = value.get("config");
    let is_forgetting = config.is_some_and(|config| config.get("base_half_life_hours").is_some())
        || value.pointer("/test_cases/0/kind").is_some();
    if is_forgetting {
        Kind::Forgetting
    } else {
        Kind::Other
    }
}

fn nothing(kind: Kind, depth: Depth) -> String {
    let wanted = match kind {
        Kind::Queries => "no JSON file with a graph_path",
        Kind::Forgetting => "no JSON file with forgetting cases",
        Kind::Other => "no JSON file",
    };
    match depth {
        Depth::Folder => format!("{wanted} in this folder; --batch looks into its folders too"),
        Depth::Below => format!("{wanted} in this folder or below"),
    }
}

fn unreadable(path: &Path, error: std::io::Error) -> EvalError {
    EvalError::Read {
        file: path.to_owned(),
        error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let file = folder.path().join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        };
        write("b.json", r#"{"graph_path": "g.json"}"#);
        write("a.json", r#"{"graph_path": "g.json", "test_cases": []}"#);
        write("g.json", "[]");
        write("notes.txt", "{");
        write("deep/c.json", r#"{"graph_path": "../g.json"}"#);
        write("deep/f.json", r#"{"test_cases": [{"kind": "effect"}]}"#);
        folder
    }

    fn names(root: &Path, files: &[PathBuf]) -> Vec<String> {
        let relative = |file: &PathBuf| file.strip_prefix(root).unwrap().display().to_string();
        files.iter().map(relative).collect()
    }

    #[test]
    fn a_folder_gives_its_data_sets_in_order_and_names_the_rest() {
        let folder = folder();
        let found = discover(folder.path(), Kind::Queries, Depth::Folder).unwrap();
        assert_eq!(names(folder.path(), &found.files), ["a.json", "b.json"]);
        assert_eq!(names(folder.path(), &found.others), ["g.json"]);
    }

    #[test]
    fn a_batch_looks_below() {
        let folder = folder();
        let found = discover(folder.path(), Kind::Queries, Depth::Below).unwrap();
        assert_eq!(
            names(folder.path(), &found.files),
            ["a.json", "b.json", "deep/c.json"]
        );
        let found = discover(folder.path(), Kind::Forgetting, Depth::Below).unwrap();
        assert_eq!(names(folder.path(), &found.files), ["deep/f.json"]);
    }

    #[test]
    fn nothing_to_run_is_an_error() {
        let folder = folder();
        let error = discover(folder.path(), Kind::Forgetting, Depth::Folder).unwrap_err();
        assert!(error.to_string().contains("--batch"), "{error}");
        let missing = folder.path().join("missing");
        assert!(discover(&missing, Kind::Queries, Depth::Folder).is_err());
    }
}
