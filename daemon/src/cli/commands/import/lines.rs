//! Rows of JSON, one a line, each by itself: a bad one is skipped and the rest goes on.

use serde::de::DeserializeOwned;

use super::skipped::Skipped;

/// A row longer than this is no message and no passage.
const MAX_BYTES: usize = 1 << 20;

/// The rows that can be read, with their line numbers from 1, and those that cannot.
pub(super) fn rows<T: DeserializeOwned>(
    bytes: &[u8],
    file: &str,
) -> (Vec<(usize, T)>, Vec<Skipped>) {
    let mut rows = Vec::new();
    let mut skipped = Vec::new();
    for (line, number) in bytes.split(|byte| *byte == b'\n').zip(1..) {
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match row(line) {
            Ok(row) => rows.push((number, row)),
            Err(why) => skipped.push(Skipped::at(file, Some(number), why)),
        }
    }
    (rows, skipped)
}

fn row<T: DeserializeOwned>(line: &[u8]) -> Result<T, String> {
    if line.len() > MAX_BYTES {
        return Err(format!(
            "is too large: {} bytes, at most {MAX_BYTES}",
            line.len()
        ));
    }
    let text = std::str::from_utf8(line).map_err(|_| "is not UTF-8".to_owned())?;
    serde_json::from_str(text).map_err(|error| format!("is no such JSON row: {error}"))
}
