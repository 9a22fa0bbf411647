//! Feasts and holidays: fixed days, days of the Chinese calendar, days counted from a weekday or from Easter.

use icu_calendar::Date as CalendarDate;
use icu_calendar::cal::Iso;
use icu_calendar::types::Month;
use jiff::civil::{Date, Weekday};

use super::Grain;
use super::calendar::{Stretch, plus_days, ymd};

/// A day or some days that come every year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Feast {
    /// From a month and day on, so many days.
    Fixed { month: i8, day: i8, days: i8 },
    /// From a month and day of the Chinese calendar on, so many days, beginning so many days earlier.
    Lunar {
        month: u8,
        day: u8,
        days: i8,
        before: i8,
    },
    /// The n-th weekday of a month; the last for -1; so many days after it.
    Nth {
        month: i8,
        nth: i8,
        weekday: Weekday,
        after: i8,
    },
    /// So many days after Easter Sunday of the Western churches.
    Easter { after: i8 },
    /// The solar term at which the sun is clear and bright, 清明: the fourth or fifth of April.
    ClearBright,
    /// Winter solstice in China, 冬至: the 21st or 22nd of December.
    WinterSolstice,
}

impl Feast {
    /// When it is in a year: of the Chinese calendar, in the year that began in that year.
    pub(super) fn in_year(self, year: i64) -> Option<Stretch> {
        match self {
            Self::Fixed { month, day, days } => run(ymd(year, month.into(), day.into())?, days),
            Self::Lunar {
                month,
                day,
                days,
                before,
            } => run(
                plus_days(lunar(year, month, day)?, -i64::from(before))?,
                days,
            ),
            Self::Nth {
                month,
                nth,
                weekday,
                after,
            } => {
                let first = ymd(year, month.into(), 1)?;
                let day = first.nth_weekday_of_month(nth, weekday).ok()?;
                run(plus_days(day, after.into())?, 1)
            }
            Self::Easter { after } => run(plus_days(easter(year)?, after.into())?, 1),
            Self::ClearBright => run(ymd(year, 4, solar_term(year, 4.81)?)?, 1),
            Self::WinterSolstice => run(ymd(year, 12, solar_term(year, 21.94)?)?, 1),
        }
    }
}

fn run(first: Date, days: i8) -> Option<Stretch> {
    let grain = if days == 1 { Grain::Day } else { Grain::Days };
    Stretch::days(first, plus_days(first, days.into())?, grain)
}

/// A day of the Chinese calendar, of the ordinary month where there is a leap one too; the last of the month where it
/// has no thirtieth.
pub(super) fn lunar(year: i64, month: u8, day: u8) -> Option<Date> {
    let year = i32::try_from(year).ok()?;
    let month = Month::new(month);
    let found = CalendarDate::try_new_chinese_traditional(year, month, day)
        .or_else(|error| match day {
            30 => CalendarDate::try_new_chinese_traditional(year, month, 29),
            _ => Err(error),
        })
        .ok()?
        .to_calendar(Iso);
    ymd(
        found.era_year().year.into(),
        found.month().ordinal.into(),
        found.day_of_month().0.into(),
    )
}

/// A month of the Chinese calendar.
pub(super) fn lunar_month(year: i64, month: u8) -> Option<Stretch> {
    let last = lunar(year, month, 30)?;
    Stretch::days(lunar(year, month, 1)?, plus_days(last, 1)?, Grain::Month)
}

/// The day of a solar term near the day `at_2000`, by the rule of thumb that holds for 2000 to 2099: one day is gained
/// in four years and lost in leap years. It may be a day off before and after that century.
fn solar_term(year: i64, at_2000: f64) -> Option<i64> {
    let since = year.checked_sub(2000)?;
    let day = (since as f64 * 0.2422 + at_2000).floor() - (since as f64 / 4.0).floor();
    (1.0..=31.0).contains(&day).then_some(day as i64)
}

/// Easter Sunday of the Gregorian calendar (Meeus, Jones and Butcher's algorithm).
#[expect(
    clippy::many_single_char_names,
    reason = "the names of the published algorithm"
)]
fn easter(year: i64) -> Option<Date> {
    let (a, b, c) = (
        year.rem_euclid(19),
        year.div_euclid(100),
        year.rem_euclid(100),
    );
    let (d, e) = (b / 4, b % 4);
    let g = (8 * b + 13) / 25;
    let h = (19 * a + b - d - g + 15) % 30;
    let (i, k) = (c / 4, c % 4);
    let l = (32 + 2 * e + 2 * i - h - k) % 7;
    let m = (a + 11 * h + 22 * l) / 451;
    let sum = h + l - 7 * m + 114;
    ymd(year, sum / 31, sum % 31 + 1)
}

const fn fixed(month: i8, day: i8) -> Feast {
    Feast::Fixed {
        month,
        day,
        days: 1,
    }
}

const fn days(month: i8, day: i8, days: i8) -> Feast {
    Feast::Fixed { month, day, days }
}

const fn moon(month: u8, day: u8) -> Feast {
    Feast::Lunar {
        month,
        day,
        days: 1,
        before: 0,
    }
}

const fn nth(month: i8, nth: i8, weekday: Weekday) -> Feast {
    Feast::Nth {
        month,
        nth,
        weekday,
        after: 0,
    }
}

/// New Year's Eve to the seventh: the days off work.
const SPRING_FESTIVAL: Feast = Feast::Lunar {
    month: 1,
    day: 1,
    days: 8,
    before: 1,
};
const LUNAR_EVE: Feast = Feast::Lunar {
    month: 1,
    day: 1,
    days: 1,
    before: 1,
};

/// Feasts by their Chinese names.
#[rustfmt::skip]
pub(super) const CHINESE: &[(&str, Feast)] = &[
    ("元旦", fixed(1, 1)), ("情人节", fixed(2, 14)), ("妇女节", fixed(3, 8)), ("三八节", fixed(3, 8)),
    ("植树节", fixed(3, 12)), ("愚人节", fixed(4, 1)), ("五一", days(5, 1, 5)), ("劳动节", days(5, 1, 5)),
    ("五四", fixed(5, 4)), ("青年节", fixed(5, 4)), ("六一", fixed(6, 1)), ("儿童节", fixed(6, 1)),
    ("教师节", fixed(9, 10)), ("国庆", days(10, 1, 7)), ("国庆节", days(10, 1, 7)), ("十一长假", days(10, 1, 7)),
    ("十一黄金周", days(10, 1, 7)), ("十一假期", days(10, 1, 7)), ("万圣节", fixed(10, 31)), ("光棍节", fixed(11, 11)),
    ("双十一", fixed(11, 11)), ("双十二", fixed(12, 12)), ("平安夜", fixed(12, 24)), ("圣诞", fixed(12, 25)),
    ("圣诞节", fixed(12, 25)), ("跨年夜", fixed(12, 31)), ("跨年", fixed(12, 31)),
    ("春节", SPRING_FESTIVAL), ("过年", SPRING_FESTIVAL), ("大年初一", moon(1, 1)), ("年初一", moon(1, 1)),
    ("除夕", LUNAR_EVE), ("大年三十", LUNAR_EVE), ("年三十", LUNAR_EVE),
    ("元宵", moon(1, 15)), ("元宵节", moon(1, 15)), ("端午", moon(5, 5)), ("端午节", moon(5, 5)),
    ("七夕", moon(7, 7)), ("七夕节", moon(7, 7)), ("中元节", moon(7, 15)), ("中秋", moon(8, 15)),
    ("中秋节", moon(8, 15)), ("重阳", moon(9, 9)), ("重阳节", moon(9, 9)), ("腊八", moon(12, 8)),
    ("腊八节", moon(12, 8)), ("小年", moon(12, 23)),
    ("清明", Feast::ClearBright), ("清明节", Feast::ClearBright), ("冬至", Feast::WinterSolstice),
    ("母亲节", nth(5, 2, Weekday::Sunday)), ("父亲节", nth(6, 3, Weekday::Sunday)),
    ("感恩节", nth(11, 4, Weekday::Thursday)), ("复活节", Feast::Easter { after: 0 }),
    ("暑假", days(7, 1, 62)), ("寒假", days(1, 15, 37)),
];

/// Feasts by their English names.
#[rustfmt::skip]
pub(super) const ENGLISH: &[(&str, Feast)] = &[
    ("new year's eve", fixed(12, 31)), ("new year's day", fixed(1, 1)), ("new year's", days(1, 1, 1)),
    ("new year", fixed(1, 1)), ("valentine's day", fixed(2, 14)), ("valentine's", fixed(2, 14)),
    ("st patrick's day", fixed(3, 17)), ("april fools day", fixed(4, 1)), ("april fool's day", fixed(4, 1)),
    ("may day", fixed(5, 1)), ("independence day", fixed(7, 4)), ("fourth of july", fixed(7, 4)),
    ("halloween", fixed(10, 31)), ("christmas eve", fixed(12, 24)), ("christmas day", fixed(12, 25)),
    ("christmas", days(12, 24, 3)), ("xmas", days(12, 24, 3)), ("boxing day", fixed(12, 26)),
    ("easter", Feast::Easter { after: 0 }), ("easter sunday", Feast::Easter { after: 0 }),
    ("easter monday", Feast::Easter { after: 1 }), ("good friday", Feast::Easter { after: -2 }),
    ("thanksgiving", nth(11, 4, Weekday::Thursday)), ("thanksgiving day", nth(11, 4, Weekday::Thursday)),
    ("black friday", Feast::Nth { month: 11, nth: 4, weekday: Weekday::Thursday, after: 1 }),
    ("mother's day", nth(5, 2, Weekday::Sunday)), ("father's day", nth(6, 3, Weekday::Sunday)),
    ("memorial day", nth(5, -1, Weekday::Monday)), ("labor day", nth(9, 1, Weekday::Monday)),
    ("chinese new year's eve", LUNAR_EVE), ("lunar new year's eve", LUNAR_EVE),
    ("chinese new year", SPRING_FESTIVAL), ("lunar new year", SPRING_FESTIVAL), ("spring festival", SPRING_FESTIVAL),
    ("lantern festival", moon(1, 15)), ("dragon boat festival", moon(5, 5)), ("qixi", moon(7, 7)),
    ("mid autumn festival", moon(8, 15)), ("mid autumn", moon(8, 15)), ("moon festival", moon(8, 15)),
    ("golden week", days(10, 1, 7)),
];
