//! What commands read: files and standard input.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use serde::de::DeserializeOwned;
use sysexits::ExitCode;

use super::failure::Failure;

/// The bytes of a file; `-` is standard input.
pub fn bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    let read = if path == Path::new("-") {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        fs::read(path)
    };
    read.map_err(|error| {
        let exit = match error.kind() {
            io::ErrorKind::NotFound => ExitCode::NoInput,
            io::ErrorKind::PermissionDenied => ExitCode::NoPerm,
            _ => ExitCode::IoErr,
        };
        Failure::new(exit, format!("{}: {error}", shown(path)))
    })
}

/// The text of a file; `-` is standard input.
pub fn text(path: &Path) -> Result<String, Failure> {
    String::from_utf8(bytes(path)?)
        .map_err(|_| Failure::data(format!("{}: is not UTF-8 text", shown(path))))
}

/// The JSON of a file: one value or a list of them.
pub fn list<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, Failure> {
    let bytes = bytes(path)?;
    let refused = |error: serde_json::Error| Failure::data(format!("{}: {error}", shown(path)));
    let json: serde_json::Value = serde_json::from_slice(&bytes).map_err(refused)?;
    let items = match json {
        serde_json::Value::Array(items) => items,
        one => vec![one],
    };
    items
        .into_iter()
        .map(|item| serde_json::from_value(item).map_err(refused))
        .collect()
}

/// The JSON of a file: one value.
pub fn one<T: DeserializeOwned>(path: &Path) -> Result<T, Failure> {
    serde_json::from_slice(&bytes(path)?)
        .map_err(|error| Failure::data(format!("{}: {error}", shown(path))))
}

/// How a path is named in a message.
pub fn shown(path: &Path) -> String {
    if path == Path::new("-") {
        "standard input".to_owned()
    } else {
        path.display().to_string()
    }
}
