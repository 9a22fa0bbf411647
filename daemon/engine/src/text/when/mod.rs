//! When: expressions of time in Chinese and English, resolved against the moment and zone a line was said in.
//!
//! An expression can mean several things: "Friday" the one before or the one to come, "8点" morning or evening, "前年冬天"
//! the winter at the end of that year or the one at its beginning. Each is a [`TimeReading`] with a confidence; those of
//! one expression add up to at most 1, the likeliest first. Nothing here asks the machine for the time.

mod begin;
mod calendar;
mod chain;
mod chinese;
mod chinese_count;
mod chinese_date;
mod day;
mod english;
mod english_count;
mod english_date;
mod feast;
mod find;
mod fit;
mod grain;
mod lean;
mod number;
mod numeric;
mod partial;
mod relative;
mod token;

use std::ops::Range;

use jiff::ZonedDateTime;

use crate::model::Interval;

pub use fit::{interval_fit, time_fit};
pub use grain::Grain;

/// One thing that an expression of time can mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeReading {
    /// From the first moment to the last, both included, to the microsecond.
    pub interval: Interval,
    /// How likely this is what was meant, over 0 and at most 1.
    pub confidence: f64,
}

/// An expression of time in a text.
#[derive(Debug, Clone, PartialEq)]
pub struct TimeExpression {
    /// The bytes of the text that it is, on grapheme borders.
    pub range: Range<usize>,
    /// How finely it tells the time.
    pub grain: Grain,
    /// What it can mean, likeliest first, never empty; equal confidences by beginning.
    pub readings: Vec<TimeReading>,
}

/// The expressions of time in a text, in its order, none overlapping another, resolved against `said`: when, and in which
/// zone, the text was said.
///
/// ```
/// use soulmem_engine::text::time_expressions;
/// // Ten to midnight on the tenth in Shanghai is still the tenth there, and yesterday the ninth.
/// let said = "2026-05-10T23:50[Asia/Shanghai]".parse().unwrap();
/// let found = time_expressions("昨天吃的面", &said);
/// assert_eq!(found[0].range, 0..6);
/// assert_eq!(found[0].readings[0].interval.start(), "2026-05-08T16:00:00Z".parse().unwrap());
/// ```
pub fn time_expressions(text: &str, said: &ZonedDateTime) -> Vec<TimeExpression> {
    find::expressions(text, said)
}

/// Whether a text tells a time at all.
pub fn has_time_expression(text: &str) -> bool {
    find::any(text)
}
