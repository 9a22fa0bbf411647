//! Dates and times in figures: 2022-05-03, 5/3/2022, 20:30, 8:30pm.

use super::calendar::{Stretch, ymd};
use super::chain::{Context, Found, Piece};
use super::day::{Clock, Half};
use super::partial::Partial;
use super::token::Tokens;

/// How likely the month stands first in 5/3/2022.
const MONTH_FIRST: f64 = 0.6;

/// A date or a time of the clock in figures.
pub(super) fn piece(context: &Context<'_>, at: usize) -> Found {
    date(context.tokens, at).or_else(|| {
        let (clock, next) = clock(context.tokens, at)?;
        Some((Piece::Partial(Partial::Clock(clock)), next))
    })
}

/// Three numbers with `-`, `/` or `.` between them, the year first or last.
fn date(tokens: &Tokens<'_>, at: usize) -> Found {
    let (first, first_digits) = tokens.digits(at)?;
    let sign = ['-', '/', '.']
        .into_iter()
        .find(|sign| tokens.is_sign(at + 1, *sign))?;
    let (second, _) = tokens.digits(at + 2)?;
    let touching = (at + 1..at + 5).all(|place| tokens.touches(place));
    let (third, third_digits) = tokens
        .digits(at + 4)
        .filter(|_| tokens.is_sign(at + 3, sign) && touching)?;
    let (first, second, third) = (i64::from(first), i64::from(second), i64::from(third));
    let day = |year, month, day| ymd(year, month, day).and_then(Stretch::day);
    let readings: Vec<_> = if first_digits == 4 {
        day(first, second, third)
            .map(|day| (day, 1.0))
            .into_iter()
            .collect()
    } else if third_digits == 4 {
        let month_first = day(third, first, second).map(|day| (day, MONTH_FIRST));
        let day_first = day(third, second, first).map(|day| (day, 1.0 - MONTH_FIRST));
        month_first.into_iter().chain(day_first).collect()
    } else {
        return None;
    };
    (!readings.is_empty()).then(|| (Piece::Whole(certain_if_one(readings)), at + 5))
}

/// What cannot be read otherwise is certain.
fn certain_if_one(mut readings: Vec<(Stretch, f64)>) -> Vec<(Stretch, f64)> {
    if let [(_, confidence)] = readings.as_mut_slice() {
        *confidence = 1.0;
    }
    readings
}

/// `20:30`, `8:30 pm`, `8pm`, `8 p.m.`
pub(super) fn clock(tokens: &Tokens<'_>, at: usize) -> Option<(Clock, usize)> {
    let (hour, _) = tokens.digits(at).filter(|(_, digits)| *digits <= 2)?;
    let minute = tokens.digits(at + 2).filter(|(_, digits)| {
        *digits == 2 && tokens.is_sign(at + 1, ':') && tokens.touches(at + 2)
    });
    let end = if minute.is_some() { at + 3 } else { at + 1 };
    let seconds = tokens.is_sign(end, ':')
        && tokens
            .digits(end + 1)
            .is_some_and(|(_, digits)| digits == 2);
    let end = if minute.is_some() && seconds {
        end + 2
    } else {
        end
    };
    let half = half(tokens, end);
    if minute.is_none() && half.is_none() {
        return None;
    }
    let (half, end) = half.unwrap_or((Half::Untold, end));
    let minute = minute.map(|(minute, _)| i64::from(minute));
    Some((Clock::new(hour.into(), minute, half)?, end))
}

/// am, pm, a.m., p.m.
pub(super) fn half(tokens: &Tokens<'_>, at: usize) -> Option<(Half, usize)> {
    let half = |letter: &str| {
        if letter.starts_with('a') {
            Half::Am
        } else {
            Half::Pm
        }
    };
    match tokens.word(at)? {
        word @ ("am" | "pm") => Some((half(word), at + 1)),
        word @ ("a" | "p") if tokens.is_sign(at + 1, '.') && tokens.word(at + 2) == Some("m") => {
            let end = if tokens.is_sign(at + 3, '.') {
                at + 4
            } else {
                at + 3
            };
            Some((half(word), end))
        }
        _ => None,
    }
}
