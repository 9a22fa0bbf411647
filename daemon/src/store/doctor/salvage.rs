//! Reading what can still be read of a damaged table.

use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, ToSql, params_from_iter};

use super::super::error::Result;
use super::super::seal::Sealed;

/// Most rows that are looked for one by one between two that could be read.
const PROBES: i64 = 1_000_000;

/// A row of a damaged database, without its seal.
pub(super) struct Salvaged {
    /// Its columns.
    pub values: Vec<Value>,
    /// Why it cannot be trusted, if so.
    pub doubt: Option<String>,
}

impl Salvaged {
    /// Its columns, to be written.
    pub fn parameters(&self) -> Vec<&dyn ToSql> {
        self.values
            .iter()
            .map(|value| value as &dyn ToSql)
            .collect()
    }

    /// Its columns as text, to be kept where a row of a table cannot be.
    pub fn as_text(&self) -> String {
        let values: Vec<String> = self.values.iter().map(value_as_text).collect();
        format!("[{}]", values.join(","))
    }
}

/// What came of reading a damaged table.
#[derive(Default)]
pub(super) struct Reading {
    /// Where rows could not be read, in words.
    pub gaps: Vec<String>,
}

/// Reads a table from the front, then from the back, then row by row in between. Each row is visited once.
pub(super) fn read_table(
    connection: &Connection,
    table: &Sealed,
    mut visit: impl FnMut(Salvaged) -> Result<()>,
) -> Result<Reading> {
    let forward = Walk {
        connection,
        table,
        order: "ASC",
    };
    let (front, Some(stopped)) = forward.go(None, &mut visit)? else {
        return Ok(Reading::default());
    };
    let backward = Walk {
        connection,
        table,
        order: "DESC",
    };
    let (back, _) = backward.go(front.as_deref(), &mut visit)?;
    let mut reading = Reading::default();
    let found = match (number(front.as_deref()), number(back.as_deref())) {
        (Some(front), Some(back)) if table.keys() == 1 => {
            probe(connection, table, front + 1, back, &mut visit)?
        }
        _ => 0,
    };
    let place = |key: Option<&[Value]>| {
        key.and_then(<[Value]>::first)
            .map_or("the end".to_owned(), value_as_text)
    };
    reading.gaps.push(format!(
        "table {}: between {} and {} only {found} rows could be read ({stopped})",
        table.table(),
        place(front.as_deref()),
        place(back.as_deref()),
    ));
    Ok(reading)
}

/// Reads rows one by one; returns how many there were.
fn probe(
    connection: &Connection,
    table: &Sealed,
    from: i64,
    to: i64,
    visit: &mut impl FnMut(Salvaged) -> Result<()>,
) -> Result<u64> {
    let sql = format!("{} WHERE {} = ?", table.select(), table.key_columns());
    let mut found = 0;
    for key in from..to.min(from.saturating_add(PROBES)) {
        // What cannot be read here is part of the gap that is reported.
        let Ok(mut statement) = connection.prepare_cached(&sql) else {
            break;
        };
        let Ok(mut rows) = statement.query([key]) else {
            continue;
        };
        if let Ok(Some(row)) = rows.next()
            && let Ok(salvaged) = take(table, row)
        {
            visit(salvaged)?;
            found += 1;
        }
    }
    Ok(found)
}

/// A walk through a table in the order of its key, or against it.
struct Walk<'c> {
    connection: &'c Connection,
    table: &'c Sealed,
    order: &'static str,
}

/// How far a walk came, and what stopped it before the end.
type Way = (Option<Vec<Value>>, Option<String>);

impl Walk<'_> {
    /// Visits rows until the end, the row `until`, or the first that cannot be read.
    fn go(
        &self,
        until: Option<&[Value]>,
        visit: &mut impl FnMut(Salvaged) -> Result<()>,
    ) -> Result<Way> {
        let table = self.table;
        let keys = table.key_columns();
        let order = keys
            .split(", ")
            .map(|key| format!("{key} {}", self.order))
            .collect::<Vec<_>>()
            .join(", ");
        let marks = vec!["?"; table.keys()].join(", ");
        let only = if until.is_some() {
            format!("WHERE ({keys}) > ({marks})")
        } else {
            String::new()
        };
        let sql = format!("{} {only} ORDER BY {order}", table.select());
        let mut last = None;
        let mut statement = match self.connection.prepare(&sql) {
            Ok(statement) => statement,
            Err(error) => return Ok((last, Some(error.to_string()))),
        };
        let mut rows = match statement.query(params_from_iter(until.unwrap_or_default())) {
            Ok(rows) => rows,
            Err(error) => return Ok((last, Some(error.to_string()))),
        };
        loop {
            match rows
                .next()
                .and_then(|row| row.map(|row| take(table, row)).transpose())
            {
                Ok(None) => return Ok((last, None)),
                Err(error) => return Ok((last, Some(error.to_string()))),
                Ok(Some(salvaged)) => {
                    last = Some(salvaged.values[..table.keys()].to_vec());
                    visit(salvaged)?;
                }
            }
        }
    }
}

fn take(table: &Sealed, row: &rusqlite::Row<'_>) -> rusqlite::Result<Salvaged> {
    let values = (0..table.width())
        .map(|column| row.get(column))
        .collect::<rusqlite::Result<_>>()?;
    let doubt = table.check(row, 0).err().map(|error| error.reason());
    Ok(Salvaged { values, doubt })
}

fn number(key: Option<&[Value]>) -> Option<i64> {
    match key?.first()? {
        Value::Integer(number) => Some(*number),
        _ => None,
    }
}

fn value_as_text(value: &Value) -> String {
    match ValueRef::from(value) {
        ValueRef::Null => "null".to_owned(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Text(text) => {
            serde_json::Value::String(String::from_utf8_lossy(text).into_owned()).to_string()
        }
        ValueRef::Blob(bytes) => {
            let mut hex = String::from("\"");
            for byte in bytes {
                let digits = [byte >> 4, byte & 15].map(u32::from);
                hex.extend(
                    digits
                        .iter()
                        .filter_map(|digit| char::from_digit(*digit, 16)),
                );
            }
            hex + "\""
        }
    }
}
