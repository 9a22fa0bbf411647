//! When something was, by the words of a clause and by the talk that it stands in.

use std::ops::Range;

use jiff::{Timestamp, ZonedDateTime};

use crate::model::TimeSpan;
use crate::text::{Grain, TimeExpression, time_expressions};

/// A time that a text tells.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    /// Where, in bytes.
    pub range: Range<usize>,
    /// From when to when.
    pub span: TimeSpan,
    /// How finely.
    pub grain: Grain,
}

/// Which way a text looks, by its verbs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tense {
    /// It tells what was.
    Past,
    /// It tells what will be.
    Future,
    /// It does not say.
    Open,
}

/// The times that a text tells, resolved against when and where it was said.
pub fn told(text: &str, said: &ZonedDateTime, tense: Tense) -> Vec<Told> {
    time_expressions(text, said)
        .into_iter()
        .filter_map(|found| {
            // A time of day is the nearest one, and a year that is told decides, whatever the verb.
            let dated = text
                .get(found.range.clone())
                .is_some_and(|words| words.contains('年'));
            let tense = if found.grain <= Grain::Hour || dated {
                Tense::Open
            } else {
                tense
            };
            let (start, end) = reading(&found, said.timestamp(), tense)?;
            let span = if start == end {
                TimeSpan::Instant(start)
            } else {
                TimeSpan::Range { start, end }
            };
            Some(Told {
                range: found.range,
                span,
                grain: found.grain,
            })
        })
        .collect()
}

/// The likeliest reading that the tense allows, else the likeliest.
fn reading(
    found: &TimeExpression,
    said: Timestamp,
    tense: Tense,
) -> Option<(Timestamp, Timestamp)> {
    let ends = |place: usize| {
        let interval = found.readings.get(place)?.interval;
        Some((interval.start(), interval.end()))
    };
    let allowed = |(start, end): &(Timestamp, Timestamp)| match tense {
        Tense::Past => *start <= said,
        Tense::Future => *end >= said,
        Tense::Open => true,
    };
    (0..found.readings.len())
        .filter_map(ends)
        .find(allowed)
        .or_else(|| ends(0))
}

/// The time of something that is told with these times: the first, drawn out over the others of its own day where it
/// tells moments ("it was 00:59 and then it was 02:00").
pub fn of_event(times: &[Told]) -> Option<TimeSpan> {
    let first = times.first()?;
    let moments = times
        .iter()
        .take_while(|time| time.grain <= Grain::Hour)
        .map(|time| time.span);
    let last = moments.map(|span| span.end()).max();
    let day = jiff::SignedDuration::from_hours(24);
    match last {
        Some(end) if end > first.span.end() && end.duration_since(first.span.start()) < day => {
            Some(TimeSpan::Range {
                start: first.span.start(),
                end,
            })
        }
        _ => Some(first.span),
    }
}

/// The text without the times that it tells.
pub fn without(text: &str, times: &[Told]) -> String {
    let mut left = String::with_capacity(text.len());
    let mut at = 0;
    for time in times {
        left.push_str(text.get(at..time.range.start).unwrap_or_default());
        left.push(' ');
        at = time.range.end;
    }
    left.push_str(text.get(at..).unwrap_or_default());
    left
}
