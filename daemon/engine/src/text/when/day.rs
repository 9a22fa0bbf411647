//! Parts of a day and times of the clock.

use jiff::civil::Date;

use super::Grain;
use super::calendar::{Stretch, plus_days};

/// A part of a day, from one hour to another; an hour over 24 is of the next day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part {
    from: i8,
    to: i8,
}

impl Part {
    const fn new(from: i8, to: i8) -> Self {
        Self { from, to }
    }

    /// 凌晨: the hours before dawn.
    pub(super) const SMALL_HOURS: Self = Self::new(0, 6);
    /// Early morning.
    pub(super) const EARLY: Self = Self::new(5, 10);
    /// Morning.
    pub(super) const MORNING: Self = Self::new(5, 12);
    /// Around noon.
    pub(super) const NOON: Self = Self::new(11, 14);
    /// Afternoon.
    pub(super) const AFTERNOON: Self = Self::new(12, 18);
    /// Dusk.
    pub(super) const DUSK: Self = Self::new(16, 20);
    /// Evening.
    pub(super) const EVENING: Self = Self::new(17, 24);
    /// Night, until the morning after.
    pub(super) const NIGHT: Self = Self::new(18, 30);
    /// The middle of the night.
    pub(super) const DEEP_NIGHT: Self = Self::new(22, 29);
    /// Around midnight.
    pub(super) const MIDNIGHT: Self = Self::new(23, 25);

    /// This part of a day.
    pub(super) fn of(self, day: Date) -> Option<Stretch> {
        let start = hour(day, self.from)?;
        Stretch::new(start, hour(day, self.to)?, Grain::PartOfDay)
    }
}

fn hour(day: Date, hour: i8) -> Option<jiff::civil::DateTime> {
    let day = plus_days(day, i64::from(hour / 24))?;
    Some(day.at(hour % 24, 0, 0, 0))
}

/// Which half of the day a time of the clock is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Half {
    /// From midnight to noon.
    Am,
    /// From noon to midnight.
    Pm,
    /// Not told.
    Untold,
}

/// A time of the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Clock {
    hour: i8,
    minute: Option<i8>,
    half: Half,
}

impl Clock {
    /// A time, if there is such a one.
    pub(super) fn new(hour: i64, minute: Option<i64>, half: Half) -> Option<Self> {
        let valid = (0..=24).contains(&hour)
            && minute.is_none_or(|minute| (0..60).contains(&minute))
            && (half == Half::Untold || (1..=12).contains(&hour));
        valid.then_some(Self {
            hour: hour as i8,
            minute: minute.map(|minute| minute as i8),
            half,
        })
    }

    /// When it is on a day: twice, the likelier first, where the half of the day is not told.
    pub(super) fn on(self, day: Date) -> Vec<(Stretch, f64)> {
        // Untold, an hour is the one that most people are awake and about in: 7 to 11 in the morning, else after noon.
        let morning = if (7..=11).contains(&self.hour) {
            0.6
        } else {
            0.3
        };
        let hours = match (self.half, self.hour) {
            (Half::Am, 12) => vec![(0, 1.0)],
            (Half::Am, hour) | (Half::Untold, hour @ (0 | 13..)) => vec![(hour, 1.0)],
            (Half::Pm, 12) => vec![(12, 1.0)],
            (Half::Pm, hour) => vec![(hour + 12, 1.0)],
            (Half::Untold, 12) => vec![(12, 0.8), (24, 0.2)],
            (Half::Untold, hour) if morning > 0.5 => {
                vec![(hour, morning), (hour + 12, 1.0 - morning)]
            }
            (Half::Untold, hour) => vec![(hour + 12, 1.0 - morning), (hour, morning)],
        };
        hours
            .into_iter()
            .filter_map(|(hour, confidence)| Some((self.at(day, hour)?, confidence)))
            .collect()
    }

    /// When it is within a part of a day: 8 in the evening is 20, 2 at night is of the next day.
    pub(super) fn within(self, part: &Stretch) -> Option<Stretch> {
        if self.half != Half::Untold {
            let (stretch, _) = self.on(part.first_day()).into_iter().next()?;
            return (part.start <= stretch.start && stretch.start <= part.end).then_some(stretch);
        }
        [0, 12, 24].into_iter().find_map(|more| {
            let stretch = self.at(part.first_day(), self.hour + more)?;
            (part.start <= stretch.start && stretch.start <= part.end).then_some(stretch)
        })
    }

    fn at(self, day: Date, of_day: i8) -> Option<Stretch> {
        let start = hour(day, of_day)?;
        let start = start.with().minute(self.minute.unwrap_or(0)).build().ok()?;
        let (length, grain) = match self.minute {
            Some(_) => (jiff::SignedDuration::from_mins(1), Grain::Minute),
            None => (jiff::SignedDuration::from_hours(1), Grain::Hour),
        };
        Stretch::new(start, start.checked_add(length).ok()?, grain)
    }
}
