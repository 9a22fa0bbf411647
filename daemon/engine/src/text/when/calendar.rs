//! Stretches of the civil calendar, before a zone makes moments of them.

use jiff::civil::{Date, DateTime, Weekday};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Span as Length};

use super::Grain;
use crate::model::Interval;

/// A stretch of civil time from `start` to before `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stretch {
    pub(super) start: DateTime,
    pub(super) end: DateTime,
    pub(super) grain: Grain,
}

impl Stretch {
    pub(super) fn new(start: DateTime, end: DateTime, grain: Grain) -> Option<Self> {
        (start < end).then_some(Self { start, end, grain })
    }

    /// Whole days from `first` to before `end`.
    pub(super) fn days(first: Date, end: Date, grain: Grain) -> Option<Self> {
        Self::new(first.at(0, 0, 0, 0), end.at(0, 0, 0, 0), grain)
    }

    /// One day.
    pub(super) fn day(day: Date) -> Option<Self> {
        Self::days(day, day.tomorrow().ok()?, Grain::Day)
    }

    /// The week, Monday to Sunday, that a day is in.
    pub(super) fn week(day: Date) -> Option<Self> {
        let monday = monday(day)?;
        Self::days(monday, plus_days(monday, 7)?, Grain::Week)
    }

    /// Saturday and Sunday of the week that a day is in.
    pub(super) fn weekend(day: Date) -> Option<Self> {
        let monday = monday(day)?;
        Self::days(plus_days(monday, 5)?, plus_days(monday, 7)?, Grain::Days)
    }

    /// A month; 13 is January of the year after, 0 December of the one before.
    pub(super) fn month(year: i64, month: i64) -> Option<Self> {
        Self::months(year, month, 1, Grain::Month)
    }

    /// So many months from this one on.
    pub(super) fn months(year: i64, month: i64, count: i64, grain: Grain) -> Option<Self> {
        Self::days(
            month_start(year, month)?,
            month_start(year, month + count)?,
            grain,
        )
    }

    /// A year.
    pub(super) fn year(year: i64) -> Option<Self> {
        Self::months(year, 1, 12, Grain::Year)
    }

    /// So many years from this one on.
    pub(super) fn years(year: i64, count: i64, grain: Grain) -> Option<Self> {
        Self::months(year, 1, 12 * count, grain)
    }

    /// The first day.
    pub(super) fn first_day(&self) -> Date {
        self.start.date()
    }

    /// Whether the two have a moment in common.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// Whether a moment lies in it.
    pub(super) fn holds(&self, at: DateTime) -> bool {
        self.start <= at && at < self.end
    }

    /// How long it is.
    pub(super) fn length(&self) -> SignedDuration {
        self.end.duration_since(self.start)
    }

    /// The moments of it in a zone. A border that the zone leaves out or has twice is the earlier possible one, so a day
    /// on which the clocks change is 23 or 25 hours long.
    pub(super) fn in_zone(&self, zone: &TimeZone) -> Option<Interval> {
        let moment = |at: DateTime| zone.to_ambiguous_timestamp(at).compatible().ok();
        let (start, end) = (moment(self.start)?, moment(self.end)?);
        let last = end.checked_sub(SignedDuration::from_micros(1)).ok()?;
        (start <= last).then(|| Interval::new(start, last))
    }
}

/// A day so many days on.
pub(super) fn plus_days(day: Date, days: i64) -> Option<Date> {
    let days = Length::new().try_days(days).ok()?;
    day.checked_add(days).ok()
}

/// A day so many months on; the last of the month where that has no such day.
pub(super) fn plus_months(day: Date, months: i64) -> Option<Date> {
    let months = Length::new().try_months(months).ok()?;
    day.checked_add(months).ok()
}

/// The Monday of the week that a day is in.
pub(super) fn monday(day: Date) -> Option<Date> {
    plus_days(day, -i64::from(day.weekday().to_monday_zero_offset()))
}

/// The day of a week of which any day is given.
pub(super) fn day_of_week(day: Date, weekday: Weekday) -> Option<Date> {
    plus_days(monday(day)?, i64::from(weekday.to_monday_zero_offset()))
}

/// The first of a month; months over 12 or under 1 are in other years.
pub(super) fn month_start(year: i64, month: i64) -> Option<Date> {
    let months = year.checked_mul(12)?.checked_add(month - 1)?;
    let year = i16::try_from(months.div_euclid(12)).ok()?;
    let month = months.rem_euclid(12) as i8 + 1;
    Date::new(year, month, 1).ok()
}

/// A date, if there is such a day.
pub(super) fn ymd(year: i64, month: i64, day: i64) -> Option<Date> {
    let part = |value: i64| i8::try_from(value).ok();
    Date::new(i16::try_from(year).ok()?, part(month)?, part(day)?).ok()
}
