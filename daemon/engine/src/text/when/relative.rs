//! Times counted from the moment of speaking: so many units ago or on, this one, the last, the next.

use jiff::SignedDuration;
use jiff::civil::{Date, DateTime};

use super::Grain;
use super::calendar::{Stretch, plus_days, plus_months};
use super::number::Amount;
use super::partial::{Partial, Readings};

/// A unit that time is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Minute,
    Hour,
    Day,
    Weekend,
    Week,
    Month,
    Quarter,
    Year,
    Decade,
    Century,
}

/// Which way time is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    /// Back.
    Ago,
    /// On.
    Hence,
}

impl Direction {
    fn sign(self) -> i64 {
        match self {
            Self::Ago => -1,
            Self::Hence => 1,
        }
    }
}

/// A time told without an amount: from the least to the most units of it, and which way.
pub(super) type Loose = (i64, i64, Unit, Direction);

/// How likely the calendar's month or year is meant by "three months ago", and not the days around that date.
const CALENDAR_UNIT: f64 = 0.6;

/// How likely a window such as "the last three days" or "a few weeks ago" is what was meant.
const VAGUE: f64 = 0.8;

/// Counting further than this many units is no expression of time but a slip or an attack.
const MAX_HALVES: i64 = 20_000;

impl Unit {
    /// The unit so many away from the one that holds `today`.
    pub(super) fn offset(self, now: DateTime, offset: i64) -> Option<Stretch> {
        let today = now.date();
        let (year, month) = (i64::from(today.year()), i64::from(today.month()));
        match self {
            Self::Minute => around(now, offset * 60, 60),
            Self::Hour => around(now, offset * 3600, 1800),
            Self::Day => Stretch::day(plus_days(today, offset)?),
            Self::Weekend => Stretch::weekend(plus_days(today, 7 * offset)?),
            Self::Week => Stretch::week(plus_days(today, 7 * offset)?),
            Self::Month => Stretch::month(year, month + offset),
            Self::Quarter => Stretch::months(
                year,
                (month - 1).div_euclid(3) * 3 + 1 + 3 * offset,
                3,
                Grain::Season,
            ),
            Self::Year => Stretch::year(year + offset),
            Self::Decade => {
                Stretch::years(year.div_euclid(10) * 10 + 10 * offset, 10, Grain::Decade)
            }
            Self::Century => Stretch::years(
                (year - 1).div_euclid(100) * 100 + 1 + 100 * offset,
                100,
                Grain::Century,
            ),
        }
    }

    /// So many of it before or after `now`.
    pub(super) fn counted(self, amount: Amount, direction: Direction, now: DateTime) -> Readings {
        if amount.high_halves > MAX_HALVES {
            return Vec::new();
        }
        match amount.whole() {
            Some(count) => self.whole(count * direction.sign(), now),
            None if amount.low_halves == amount.high_halves => {
                self.halves(amount.low_halves * direction.sign(), now)
            }
            None => self.vague(amount, direction, now),
        }
    }

    /// The last or next so many of it, up to now or from now on.
    pub(super) fn window(self, amount: Amount, direction: Direction, now: DateTime) -> Readings {
        if amount.high_halves > MAX_HALVES {
            return Vec::new();
        }
        let edge = self.shifted(now, amount.high_halves * direction.sign());
        let (from, to) = match direction {
            Direction::Ago => (edge, now.date().tomorrow().ok().map(midnight)),
            Direction::Hence => (Some(midnight(now.date())), edge),
        };
        let whole_days = |at: DateTime| {
            if self <= Self::Hour {
                at
            } else {
                midnight(at.date())
            }
        };
        let stretch = from.zip(to).and_then(|(from, to)| {
            Stretch::new(whole_days(from), whole_days(to), self.grain_of_several())
        });
        stretch
            .into_iter()
            .map(|stretch| (stretch, VAGUE))
            .collect()
    }

    fn whole(self, count: i64, now: DateTime) -> Readings {
        let date = self.shifted(now, 2 * count).map(DateTime::date);
        let near = |days| date.and_then(|date| days_around(date, days));
        let calendar = self.offset(now, count);
        let (second, share) = match self {
            Self::Minute | Self::Hour => {
                let slack = (count.abs() * self.seconds() / 4).clamp(120, 3600);
                return one(around(now, count * self.seconds(), slack), 1.0);
            }
            Self::Day | Self::Weekend => return one(calendar, 1.0),
            Self::Week => (near(1), CALENDAR_UNIT),
            Self::Month => (near(10), CALENDAR_UNIT),
            Self::Quarter => (near(30), CALENDAR_UNIT),
            Self::Year => (near(90), CALENDAR_UNIT + 0.1),
            Self::Decade | Self::Century => return one(near(3 * 365), VAGUE),
        };
        let mut readings = one(calendar, share);
        readings.extend(one(second, 1.0 - share));
        readings
    }

    /// Half units: half a day is hours, half a month days, half a year months.
    fn halves(self, halves: i64, now: DateTime) -> Readings {
        let at = self.shifted(now, halves);
        let near = |days| at.and_then(|at| days_around(at.date(), days));
        let stretch = match self {
            Self::Minute => around(now, halves * 30, 60),
            Self::Hour => around(now, halves * 1800, 600),
            Self::Day => around(now, halves * 12 * 3600, 3 * 3600),
            Self::Week | Self::Weekend => near(1),
            Self::Month => near(4),
            Self::Quarter => near(15),
            Self::Year => near(30),
            Self::Decade | Self::Century => near(2 * 365),
        };
        one(stretch, VAGUE)
    }

    fn vague(self, amount: Amount, direction: Direction, now: DateTime) -> Readings {
        let at = |halves: i64| self.shifted(now, halves * direction.sign());
        let ends = at(amount.low_halves).zip(at(amount.high_halves));
        let stretch = ends.and_then(|(one, other)| {
            let (from, to) = (one.min(other), one.max(other));
            if self <= Self::Hour {
                Stretch::new(from, to, Grain::Hour)
            } else {
                Stretch::days(
                    from.date(),
                    to.date().tomorrow().ok()?,
                    self.grain_of_several(),
                )
            }
        });
        one(stretch, VAGUE)
    }

    /// A moment so many half units on.
    fn shifted(self, now: DateTime, halves: i64) -> Option<DateTime> {
        let days = |days: i64| Some(plus_days(now.date(), days)?.to_datetime(now.time()));
        let months = |months: i64| Some(plus_months(now.date(), months)?.to_datetime(now.time()));
        match self {
            Self::Minute | Self::Hour => now
                .checked_add(SignedDuration::from_secs(halves * self.seconds() / 2))
                .ok(),
            Self::Day => days(halves / 2),
            Self::Week | Self::Weekend => days(halves * 7 / 2),
            Self::Month if halves % 2 != 0 => days(halves * 15),
            Self::Month => months(halves / 2),
            Self::Quarter => months(halves * 3 / 2),
            Self::Year => months(halves * 6),
            Self::Decade => months(halves * 60),
            Self::Century => months(halves * 600),
        }
    }

    fn seconds(self) -> i64 {
        if self == Self::Minute { 60 } else { 3600 }
    }

    fn grain_of_several(self) -> Grain {
        match self {
            Self::Minute => Grain::Minute,
            Self::Hour => Grain::Hour,
            Self::Day | Self::Weekend => Grain::Days,
            Self::Week => Grain::Week,
            Self::Month | Self::Quarter => Grain::Month,
            Self::Year => Grain::Year,
            Self::Decade | Self::Century => Grain::Decade,
        }
    }
}

impl PartialOrd for Unit {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        (*self as u8).partial_cmp(&(*other as u8))
    }
}

/// How likely "last Friday" and "last May" are the ones just past and not those of the week or year before this one.
const JUST_PAST: f64 = 0.7;

/// How likely "next Friday" is the coming one and not that of next week.
const JUST_COMING: f64 = 0.5;

/// The `count`-th before now of something that comes again and again; for the first, less likely the one in the cycle
/// before this one, where that is another.
pub(super) fn previous(partial: Partial, count: i64, now: DateTime) -> Readings {
    let past = |time: &Stretch| time.end <= now && !time.holds(now);
    nth(partial, -1, count, now, past, JUST_PAST)
}

/// The first after now; less likely the one in the next cycle, where that is another.
pub(super) fn next(partial: Partial, now: DateTime) -> Readings {
    nth(partial, 1, 1, now, |time| time.start > now, JUST_COMING)
}

fn nth(
    partial: Partial,
    step: i64,
    count: i64,
    now: DateTime,
    accepts: impl Fn(&Stretch) -> bool,
    nearest: f64,
) -> Readings {
    let today = now.date();
    // The cycle of today may have one on the right side of now, or not; a winter may reach into the cycle before.
    let found = |offset: &i64| {
        partial
            .in_cycle(today, step * offset)
            .is_some_and(|time| accepts(&time))
    };
    let Some(first) = (-1..=2).find(found) else {
        return Vec::new();
    };
    let at = |offset: i64| partial.in_cycle(today, step * offset);
    let near = at(first + count - 1);
    if count == 1 && first < 1 {
        let mut readings = one(near, nearest);
        readings.extend(one(at(1), 1.0 - nearest));
        return readings;
    }
    one(near, 1.0)
}

/// Some days on either side of a date.
pub(super) fn days_around(date: Date, days: i64) -> Option<Stretch> {
    Stretch::days(
        plus_days(date, -days)?,
        plus_days(date, days + 1)?,
        Grain::Days,
    )
}

fn around(now: DateTime, offset_seconds: i64, slack_seconds: i64) -> Option<Stretch> {
    let at = |seconds| now.checked_add(SignedDuration::from_secs(seconds)).ok();
    let grain = if slack_seconds < 1800 {
        Grain::Minute
    } else {
        Grain::Hour
    };
    Stretch::new(
        at(offset_seconds - slack_seconds)?,
        at(offset_seconds + slack_seconds)?,
        grain,
    )
}

fn one(stretch: Option<Stretch>, confidence: f64) -> Readings {
    stretch
        .into_iter()
        .map(|stretch| (stretch, confidence))
        .collect()
}

fn midnight(day: Date) -> DateTime {
    day.at(0, 0, 0, 0)
}
