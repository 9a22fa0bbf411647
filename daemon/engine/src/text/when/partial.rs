//! Times that are whole only inside another: a month without its year, a weekday without its week.

use jiff::civil::Weekday;

use super::Grain;
use super::calendar::{Stretch, day_of_week, month_start, plus_days, ymd};
use super::day::{Clock, Part};
use super::feast::{Feast, lunar_month};

/// What may be meant, each with how likely it is.
pub(super) type Readings = Vec<(Stretch, f64)>;

/// A season of the northern half of the earth, by the months of the weather services.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Season {
    /// March to May.
    Spring,
    /// June to August.
    Summer,
    /// September to November.
    Autumn,
    /// December to February of the year after.
    Winter,
}

/// A side of a longer time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Edge {
    /// The first sixth: the beginning of a month, January and February of a year.
    Start,
    /// The first third.
    Early,
    /// The middle third.
    Middle,
    /// The last third.
    Late,
    /// The last sixth.
    End,
}

/// A time that is whole only inside another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Partial {
    /// A half of a year, 1 or 2.
    HalfYear(i64),
    /// A season.
    Season(Season),
    /// A quarter, 1 to 4.
    Quarter(i64),
    /// A month, 1 to 12.
    Month(i64),
    /// A month of the Chinese calendar.
    LunarMonth(u8),
    /// An edge of the time that it stands with.
    Edge(Edge),
    /// An edge of a year.
    YearEdge(Edge),
    /// An edge of a month.
    MonthEdge(Edge),
    /// A month and a day.
    MonthDay(i64, i64),
    /// A day of a month.
    Day(i64),
    /// A feast.
    Feast(Feast),
    /// A day of the week.
    Weekday(Weekday),
    /// Saturday and Sunday.
    Weekend,
    /// A part of a day.
    Part(Part),
    /// A time of the clock.
    Clock(Clock),
}

/// What a partial time repeats with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cycle {
    Year,
    Month,
    Week,
    Day,
}

/// In a year, winter is the one that begins in it, less likely the one that ends in it.
const WINTER_AT_END: f64 = 0.65;

impl Partial {
    /// Coarser ones are put into the whole before finer ones.
    pub(super) fn rank(self) -> u8 {
        match self {
            Self::HalfYear(_) | Self::Season(_) | Self::Quarter(_) | Self::YearEdge(_) => 0,
            Self::Month(_) | Self::LunarMonth(_) => 1,
            Self::Edge(_) | Self::MonthEdge(_) => 2,
            Self::MonthDay(..) | Self::Day(_) | Self::Feast(_) => 3,
            Self::Weekend => 4,
            Self::Weekday(_) => 5,
            Self::Part(_) => 6,
            Self::Clock(_) => 7,
        }
    }

    /// What it is inside a longer time; nothing where that makes no sense.
    pub(super) fn inside(self, whole: &Stretch) -> Readings {
        let one =
            |stretch: Option<Stretch>| stretch.into_iter().map(|stretch| (stretch, 1.0)).collect();
        match self {
            Self::Edge(edge) => one(edge.of(whole)),
            Self::YearEdge(edge) if whole.grain == Grain::Year => one(edge.of(whole)),
            Self::MonthEdge(edge) if whole.grain == Grain::Month => one(edge.of(whole)),
            Self::Season(Season::Winter) if whole.grain == Grain::Year => {
                let year = i64::from(whole.first_day().year());
                let ends = [(year, WINTER_AT_END), (year - 1, 1.0 - WINTER_AT_END)];
                let of = |(year, confidence)| Some((self.in_year(year)?, confidence));
                ends.into_iter().filter_map(of).collect()
            }
            Self::Day(day) if whole.grain == Grain::Month => {
                let first = whole.first_day();
                one(ymd(first.year().into(), first.month().into(), day)
                    .and_then(Stretch::day)
                    .filter(|day| day.overlaps(whole)))
            }
            Self::Weekday(weekday) => one(weekday_inside(weekday, whole)),
            Self::Weekend if whole.grain == Grain::Week => one(Stretch::weekend(whole.first_day())),
            Self::Part(part) if whole.grain == Grain::Day => one(part.of(whole.first_day())),
            Self::Clock(clock) if whole.grain == Grain::Day => clock.on(whole.first_day()),
            Self::Clock(clock) if whole.grain == Grain::PartOfDay => one(clock.within(whole)),
            _ if self.cycle() == Cycle::Year && whole.grain <= Grain::Year => {
                one(self.first_in(whole))
            }
            _ => Vec::new(),
        }
    }

    /// Its times around a day, in order: of the cycle before, of this one and of the next.
    pub(super) fn around(self, today: jiff::civil::Date) -> Vec<Stretch> {
        let year = i64::from(today.year());
        let month = |offset| {
            let first = month_start(year, i64::from(today.month()) + offset)?;
            Stretch::month(first.year().into(), first.month().into())
        };
        let week = |offset| Stretch::week(plus_days(today, 7 * offset)?);
        let inside =
            |whole: Option<Stretch>| whole.and_then(|whole| Some(self.inside(&whole).first()?.0));
        let found = |offset| match self.cycle() {
            Cycle::Year => match self {
                Self::YearEdge(edge) => {
                    Stretch::year(year + offset).and_then(|year| edge.of(&year))
                }
                _ => self.in_year(year + offset),
            },
            Cycle::Month => inside(month(offset)),
            Cycle::Week => inside(week(offset)),
            Cycle::Day => inside(plus_days(today, offset).and_then(Stretch::day)),
        };
        // A year of the Chinese calendar begins up to seven weeks late, so one more is needed before.
        (-2..=1).filter_map(found).collect()
    }

    /// Its times in the cycle that is so many away from today's.
    pub(super) fn in_cycle(self, today: jiff::civil::Date, offset: i64) -> Option<Stretch> {
        let whole = match self.cycle() {
            Cycle::Year => Stretch::year(i64::from(today.year()) + offset),
            Cycle::Month => Stretch::month(today.year().into(), i64::from(today.month()) + offset),
            Cycle::Week => Stretch::week(plus_days(today, 7 * offset)?),
            Cycle::Day => Stretch::day(plus_days(today, offset)?),
        }?;
        Some(self.inside(&whole).first()?.0)
    }

    fn cycle(self) -> Cycle {
        match self {
            Self::Day(_) | Self::MonthEdge(_) => Cycle::Month,
            Self::Weekday(_) | Self::Weekend => Cycle::Week,
            Self::Part(_) | Self::Clock(_) => Cycle::Day,
            _ => Cycle::Year,
        }
    }

    fn first_in(self, whole: &Stretch) -> Option<Stretch> {
        let year = i64::from(whole.first_day().year());
        (year - 1..=year + 1)
            .filter_map(|year| self.in_year(year))
            .find(|stretch| whole.holds(stretch.start) && stretch.grain < whole.grain)
    }

    fn in_year(self, year: i64) -> Option<Stretch> {
        match self {
            Self::HalfYear(half) => Stretch::months(year, 6 * half - 5, 6, Grain::Season),
            Self::Season(season) => Stretch::months(year, season.first_month(), 3, Grain::Season),
            Self::Quarter(quarter) => Stretch::months(year, 3 * quarter - 2, 3, Grain::Season),
            Self::Month(month) => Stretch::month(year, month),
            Self::LunarMonth(month) => lunar_month(year, month),
            Self::MonthDay(month, day) => Stretch::day(ymd(year, month, day)?),
            Self::Feast(feast) => feast.in_year(year),
            _ => None,
        }
    }
}

impl Season {
    fn first_month(self) -> i64 {
        match self {
            Self::Spring => 3,
            Self::Summer => 6,
            Self::Autumn => 9,
            Self::Winter => 12,
        }
    }
}

impl Edge {
    /// This edge of a longer time, in whole days, of a year in whole months. A thing of less than three days has none.
    pub(super) fn of(self, whole: &Stretch) -> Option<Stretch> {
        let first = whole.first_day();
        if whole.grain == Grain::Year {
            let (from, to) = self.share(12);
            return Stretch::months(
                first.year().into(),
                i64::from(first.month()) + from,
                to - from,
                Grain::Month,
            );
        }
        let days = whole.length().as_hours() / 24;
        let (from, to) = self.share(days);
        let grain = match whole.grain {
            Grain::Century | Grain::Decade => Grain::Year,
            _ => Grain::Days,
        };
        (days >= 3).then(|| Stretch::days(plus_days(first, from)?, plus_days(first, to)?, grain))?
    }

    /// From which to before which of so many.
    fn share(self, of: i64) -> (i64, i64) {
        let sixth = (of / 6).max(1);
        match self {
            Self::Start => (0, sixth),
            Self::Early => (0, of / 3),
            Self::Middle => (of / 3, of - of / 3),
            Self::Late => (of - of / 3, of),
            Self::End => (of - sixth, of),
        }
    }
}

fn weekday_inside(weekday: Weekday, whole: &Stretch) -> Option<Stretch> {
    if !matches!(whole.grain, Grain::Week | Grain::Day | Grain::Days) {
        return None;
    }
    let day = Stretch::day(day_of_week(whole.first_day(), weekday)?)?;
    day.overlaps(whole).then_some(day)
}
