//! The soft channel: how well the time of a memory fits the time that was asked for.

use crate::model::Interval;

use super::TimeReading;

/// Seconds of a day: people are a day off more often than not, so nothing falls off faster than by the day.
const DAY_SECONDS: f64 = 86_400.0;

/// A memory this many lengths of the asked interval away fits not at all.
const REACH: f64 = 2.0;

/// What a memory that touches the asked interval from outside still fits.
const ADJACENT: f64 = 0.6;

/// How well `memory` fits the best of what was asked for, from 0 to 1: the fit of each interval weighed by its
/// confidence as a share of the largest, the best of them. So what the asker most likely meant counts in full.
pub fn time_fit(memory: Interval, asked: &[TimeReading]) -> f64 {
    let largest = asked
        .iter()
        .map(|reading| reading.confidence)
        .fold(0.0, f64::max);
    if largest <= 0.0 {
        return 0.0;
    }
    let fits = asked
        .iter()
        .map(|reading| interval_fit(memory, reading.interval) * reading.confidence / largest);
    fits.fold(0.0, f64::max)
}

/// How well `memory` fits `asked`, from 0 to 1.
///
/// 1 where the memory lies inside; where it covers far more than was asked (a year, asked for a day), what is inside
/// counts by the square root of its share, but never under 0.6. Outside it falls in a straight line from 0.6 at the
/// border to 0 at two lengths of the asked interval, a day at least: asked for a day, the day before still fits half,
/// asked for a month, the neighbouring month does.
pub fn interval_fit(memory: Interval, asked: Interval) -> f64 {
    let length = seconds(asked.start(), asked.end()).max(DAY_SECONDS);
    if memory.overlaps(asked) {
        let covered = seconds(memory.start(), memory.end());
        let shared = seconds(
            memory.start().max(asked.start()),
            memory.end().min(asked.end()),
        );
        if covered <= length {
            return 1.0;
        }
        return (shared.max(1.0) / covered).sqrt().clamp(ADJACENT, 1.0);
    }
    let gap = if memory.end() < asked.start() {
        seconds(memory.end(), asked.start())
    } else {
        seconds(asked.end(), memory.start())
    };
    (ADJACENT * (1.0 - gap / (REACH * length))).max(0.0)
}

fn seconds(from: jiff::Timestamp, to: jiff::Timestamp) -> f64 {
    (to.as_nanosecond() - from.as_nanosecond()) as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between(start: &str, end: &str) -> Interval {
        Interval::new(start.parse().unwrap(), end.parse().unwrap())
    }

    fn day(date: &str) -> Interval {
        between(
            &format!("{date}T00:00:00Z"),
            &format!("{date}T23:59:59.999999Z"),
        )
    }

    fn near(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-6
    }

    #[test]
    fn what_lies_inside_fits_wholly() {
        let may = between("2026-05-01T00:00:00Z", "2026-05-31T23:59:59.999999Z");
        assert!(near(interval_fit(day("2026-05-01"), may), 1.0));
        assert!(near(interval_fit(may, may), 1.0));
    }

    #[test]
    fn a_neighbouring_day_fits_about_half_and_the_third_not_at_all() {
        let asked = day("2026-05-10");
        let noon = |date: &str| Interval::instant(format!("{date}T12:00:00Z").parse().unwrap());
        // Noon of the day before is half a day of two away: 0.6 · (1 − 0.25) = 0.45.
        assert!(near(interval_fit(noon("2026-05-09"), asked), 0.45));
        assert!(near(interval_fit(noon("2026-05-11"), asked), 0.45));
        // Two days before: one and a half of two: 0.6 · 0.25 = 0.15.
        assert!(near(interval_fit(noon("2026-05-08"), asked), 0.15));
        assert!(near(interval_fit(noon("2026-05-07"), asked), 0.0));
    }

    #[test]
    fn a_memory_of_a_year_fits_a_day_of_it_a_little() {
        let year = between("2026-01-01T00:00:00Z", "2026-12-31T23:59:59.999999Z");
        assert!(near(interval_fit(year, day("2026-05-10")), ADJACENT));
    }

    #[test]
    fn the_likeliest_reading_counts_in_full_and_another_by_its_share() {
        let reading = |date, confidence| TimeReading {
            interval: day(date),
            confidence,
        };
        let asked = [reading("2026-05-08", 0.6), reading("2026-06-15", 0.3)];
        assert!(near(time_fit(day("2026-05-08"), &asked), 1.0));
        assert!(near(time_fit(day("2026-06-15"), &asked), 0.5));
        assert!(near(time_fit(day("2026-05-08"), &[]), 0.0));
    }
}
