//! Reading the configuration file: TOML flattened into keys and text, each with its line.

use std::path::Path;

use toml::de::{DeTable, DeValue};

use super::ConfigError;

/// One key of the file.
#[derive(Debug, PartialEq, Eq)]
pub struct Entry {
    /// The key, tables joined with dots.
    pub key: String,
    /// The value as text.
    pub text: String,
    /// The line that it stands on, from 1.
    pub line: usize,
}

/// Reads `path`, or gives `None` where there is no such file.
pub fn read(path: &Path) -> Result<Option<Vec<Entry>>, ConfigError> {
    match std::fs::read_to_string(path) {
        Ok(source) => parse(&source)
            .map(Some)
            .map_err(|reason| ConfigError::File {
                path: path.to_owned(),
                reason,
            }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(ConfigError::File {
            path: path.to_owned(),
            reason: error.to_string(),
        }),
    }
}

/// Flattens TOML. The order is that of the file.
pub fn parse(source: &str) -> Result<Vec<Entry>, String> {
    let document = DeTable::parse(source).map_err(|error| error.to_string())?;
    let mut entries = Vec::new();
    flatten(source, "", document.get_ref(), &mut entries)?;
    entries.sort_by_key(|entry| entry.line);
    Ok(entries)
}

fn flatten(
    source: &str,
    prefix: &str,
    table: &DeTable<'_>,
    entries: &mut Vec<Entry>,
) -> Result<(), String> {
    for (name, value) in table {
        let line = line_of(source, name.span().start);
        let key = if prefix.is_empty() {
            name.get_ref().to_string()
        } else {
            format!("{prefix}.{}", name.get_ref())
        };
        match value.get_ref() {
            DeValue::Table(inner) => flatten(source, &key, inner, entries)?,
            DeValue::String(text) => entries.push(Entry {
                key,
                text: text.to_string(),
                line,
            }),
            DeValue::Boolean(truth) => entries.push(Entry {
                key,
                text: truth.to_string(),
                line,
            }),
            DeValue::Integer(number) => {
                entries.push(Entry {
                    key,
                    text: number.to_string(),
                    line,
                });
            }
            DeValue::Float(number) => entries.push(Entry {
                key,
                text: number.to_string(),
                line,
            }),
            DeValue::Array(_) | DeValue::Datetime(_) => {
                return Err(format!(
                    "line {line}: `{key}` must be one string, number or boolean"
                ));
            }
        }
    }
    Ok(())
}

fn line_of(source: &str, offset: usize) -> usize {
    1 + source
        .bytes()
        .take(offset)
        .filter(|byte| *byte == b'\n')
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_become_dotted_keys_with_their_lines() {
        let source =
            "data_dir = \"/tmp/x\"\n\n[server]\nmax_in_flight = 1_000\nlisten = '[::1]:0'\n";
        let entries = parse(source).unwrap();
        let seen: Vec<_> = entries
            .iter()
            .map(|e| (e.key.as_str(), e.text.as_str(), e.line))
            .collect();
        assert_eq!(
            seen,
            [
                ("data_dir", "/tmp/x", 1),
                ("server.max_in_flight", "1000", 4),
                ("server.listen", "[::1]:0", 5)
            ]
        );
    }

    #[test]
    fn an_array_is_refused_with_its_line() {
        let reason = parse("[server]\nlisten = [1]").unwrap_err();
        assert_eq!(
            reason,
            "line 2: `server.listen` must be one string, number or boolean"
        );
    }

    #[test]
    fn broken_toml_names_the_place() {
        assert!(parse("a = \n").unwrap_err().contains("line 1"));
    }
}
