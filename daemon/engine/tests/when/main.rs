//! Expressions of time: what stands in a text, and which moments it means. Every value is counted on a calendar by hand;
//! the line is said on Wednesday 13 May 2026 at 15:00 in Shanghai where nothing else is told.

mod chinese;
mod english;
mod laws;
mod zones;

use jiff::{SignedDuration, Timestamp, ZonedDateTime};
use soulmem_engine::text::{TimeExpression, time_expressions};

const WEDNESDAY: &str = "2026-05-13T15:00[Asia/Shanghai]";

/// What an expression is, where it begins and where it ends (exclusive) by the clock on the wall.
type Row = (&'static str, &'static str, &'static str, &'static str);

fn said(at: &str) -> ZonedDateTime {
    at.parse().expect("a moment in a zone")
}

fn wall(at: Timestamp, said: &ZonedDateTime) -> String {
    let shown = at
        .to_zoned_datetime(said.time_zone().clone())
        .datetime()
        .to_string();
    // Hours and minutes are left out where they are zero.
    let shown = shown.strip_suffix(":00").unwrap_or(&shown);
    shown.strip_suffix("T00:00").unwrap_or(shown).to_owned()
}

fn ends(expression: &TimeExpression, reading: usize, said: &ZonedDateTime) -> (String, String) {
    let interval = expression.readings[reading].interval;
    let end = interval.end() + SignedDuration::from_micros(1);
    (wall(interval.start(), said), wall(end, said))
}

/// The first expression of each text, by its likeliest reading.
fn check(at: &str, rows: &[Row]) {
    let said = said(at);
    let wrong: Vec<String> = rows
        .iter()
        .filter_map(|(text, phrase, start, end)| {
            let found = time_expressions(text, &said);
            let shown = found
                .first()
                .map(|first| (&text[first.range.clone()], ends(first, 0, &said)));
            let expected = Some((*phrase, ((*start).to_owned(), (*end).to_owned())));
            (shown != expected).then(|| format!("{text}: {shown:?}, not {expected:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// All readings of the first expression.
fn all(text: &str, at: &str) -> Vec<(String, String, f64)> {
    let said = said(at);
    let found = time_expressions(text, &said);
    let first = found.first().unwrap_or_else(|| panic!("nothing in {text}"));
    (0..first.readings.len())
        .map(|reading| {
            let (start, end) = ends(first, reading, &said);
            (start, end, first.readings[reading].confidence)
        })
        .collect()
}

fn starts(text: &str, at: &str) -> Vec<String> {
    all(text, at)
        .into_iter()
        .map(|(start, _, _)| start)
        .collect()
}
