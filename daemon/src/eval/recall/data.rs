//! Files of messages or passages, and of questions with what answers them: one JSON object a line.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde::Deserialize;

use crate::eval::error::EvalError;

/// A message, an exchange of two, or a passage.
#[derive(Clone, Debug, Deserialize)]
pub struct Row {
    /// What it is called in the questions.
    pub id: String,
    /// What was said or is written.
    pub text: String,
    /// Who said it; nobody where it is a passage.
    #[serde(default)]
    pub speaker: String,
    /// When: `2026-05-01`, `2026-05-01T08:00:00`, or the numbers of these in any script's punctuation. Empty where it is
    /// not known.
    #[serde(default)]
    pub time: String,
    /// Which talk it belongs to; 0 in every row where there are no talks.
    #[serde(default)]
    pub session: i64,
    /// Which memory it belongs to.
    #[serde(default)]
    pub conv: String,
    /// Title of a passage.
    #[serde(default)]
    pub title: Option<String>,
    /// The user's line, where the row is an exchange.
    #[serde(default)]
    pub user: Option<String>,
    /// What was replied, where the row is an exchange.
    #[serde(default)]
    pub reply: Option<String>,
}

/// A question.
#[derive(Clone, Debug, Deserialize)]
pub struct Query {
    /// What it is called in the results.
    pub id: String,
    /// The line that is asked.
    pub text: String,
    /// The rows that answer it.
    #[serde(default)]
    pub gold: Vec<String>,
    /// What kind of question it is.
    #[serde(default)]
    pub category: String,
    /// The memory that is asked.
    #[serde(default)]
    pub conv: String,
}

/// One memory, and what it is asked.
#[derive(Debug)]
pub struct Conversation {
    /// Its name in the files.
    pub name: String,
    /// What it holds, oldest first.
    pub rows: Vec<Row>,
    /// What it is asked.
    pub queries: Vec<Query>,
}

impl Row {
    /// When it was said, in UTC.
    pub fn at(&self) -> Option<Timestamp> {
        let mut numbers = self
            .time
            .split(|c: char| !c.is_ascii_digit())
            .filter(|part| !part.is_empty())
            .map(|part| part.parse::<i16>().ok());
        let mut next = || numbers.next().flatten();
        let (year, month, day) = (next()?, next()?, next()?);
        let (hour, minute, second) = (next(), next(), next());
        let small = |number: Option<i16>| i8::try_from(number.unwrap_or_default()).ok();
        let civil = DateTime::new(
            year,
            small(Some(month))?,
            small(Some(day))?,
            small(hour)?,
            small(minute)?,
            small(second)?,
            0,
        );
        TimeZone::UTC.to_timestamp(civil.ok()?).ok()
    }

    /// Whether it is a document and nothing that was said.
    pub fn is_passage(&self) -> bool {
        self.title.is_some() && self.speaker.is_empty()
    }
}

/// Reads both files and puts together what belongs together, in the order of the memories' first rows. Passages are of
/// one memory, whatever `conv` says.
pub fn read(messages: &Path, queries: &Path) -> Result<Vec<Conversation>, EvalError> {
    let rows: Vec<Row> = lines(messages)?;
    let asked: Vec<Query> = lines(queries)?;
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut conversations: Vec<Conversation> = Vec::new();
    for row in rows {
        let name = if row.is_passage() { "" } else { &row.conv };
        let place = *places.entry(name.to_owned()).or_insert_with(|| {
            conversations.push(Conversation {
                name: name.to_owned(),
                rows: Vec::new(),
                queries: Vec::new(),
            });
            conversations.len() - 1
        });
        conversations[place].rows.push(row);
    }
    for query in asked {
        let Some(place) = places.get(&query.conv) else {
            return Err(EvalError::Nothing {
                path: queries.to_owned(),
                reason: format!(
                    "question `{}` asks the memory `{}`, of which {} holds nothing",
                    query.id,
                    query.conv,
                    messages.display()
                ),
            });
        };
        conversations[*place].queries.push(query);
    }
    Ok(conversations)
}

fn lines<T: for<'de> Deserialize<'de>>(file: &Path) -> Result<Vec<T>, EvalError> {
    let read = |error| EvalError::Read {
        file: file.to_owned(),
        error,
    };
    let text = std::fs::read_to_string(file).map_err(read)?;
    let filled = text.lines().enumerate();
    let filled = filled.filter(|(_, line)| !line.trim().is_empty());
    filled
        .map(|(index, line)| {
            serde_json::from_str(line).map_err(|error| EvalError::Line {
                file: PathBuf::from(file),
                line: index + 1,
                error,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(time: &str) -> Option<String> {
        let row = serde_json::json!({"id": "a", "text": "b", "time": time});
        let row: Row = serde_json::from_value(row).unwrap();
        row.at().map(|at| at.to_string())
    }

    #[test]
    fn a_time_is_read_from_its_numbers() {
        assert_eq!(at("2026-05-01").unwrap(), "2026-05-01T00:00:00Z");
        assert_eq!(at("2026-05-01T08:30:05").unwrap(), "2026-05-01T08:30:05Z");
        assert_eq!(
            at("2026年05月01日 周五 08:30").unwrap(),
            "2026-05-01T08:30:00Z"
        );
        assert_eq!(at(""), None);
        assert_eq!(at("2026-13-01"), None);
    }
}
