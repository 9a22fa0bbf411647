//! The walk over a text that finds its expressions of time.

use jiff::civil::DateTime;
use jiff::{SignedDuration, ZonedDateTime};

use super::begin::may_begin;
use super::calendar::Stretch;
use super::chain::{Chain, Context, chain, merged};
use super::lean::Lean;
use super::partial::Readings;
use super::token::Tokens;
use super::{Grain, TimeExpression, TimeReading, chinese, english, english_count};
use crate::text::folded::Folded;

/// How likely a stretch before, after or around a time is as long as it is taken to be.
const LOOSE: f64 = 0.7;

/// How a word beside a time changes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shift {
    /// The time itself: 那天, "on".
    Same,
    /// About that time.
    Around,
    /// Before it.
    Before,
    /// After it.
    After,
    /// From it until now.
    Since,
}

pub(super) fn expressions(text: &str, said: &ZonedDateTime) -> Vec<TimeExpression> {
    let folded = Folded::new(text);
    let tokens = Tokens::new(text, &folded);
    let context = Context {
        tokens: &tokens,
        now: said.datetime(),
        lean: Lean::of(&tokens),
    };
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let Some((readings, start, next)) = expression(&context, at) else {
            at += 1;
            continue;
        };
        found.extend(in_zone(&readings, said, &tokens, start..next));
        at = next.max(at + 1);
    }
    found
}

/// Whether there is an expression, whenever it was said.
pub(super) fn any(text: &str) -> bool {
    let folded = Folded::new(text);
    let tokens = Tokens::new(text, &folded);
    let context = Context {
        tokens: &tokens,
        now: jiff::civil::date(2001, 1, 1).at(12, 0, 0, 0),
        lean: Lean::Neither,
    };
    (0..tokens.len()).any(|at| expression(&context, at).is_some())
}

fn in_zone(
    readings: &Readings,
    said: &ZonedDateTime,
    tokens: &Tokens<'_>,
    places: std::ops::Range<usize>,
) -> Option<TimeExpression> {
    let grain = readings.first()?.0.grain;
    let moments = readings.iter().filter_map(|(stretch, confidence)| {
        Some(TimeReading {
            interval: stretch.in_zone(said.time_zone())?,
            confidence: confidence.clamp(f64::MIN_POSITIVE, 1.0),
        })
    });
    let readings: Vec<TimeReading> = moments.collect();
    (!readings.is_empty()).then(|| TimeExpression {
        range: tokens.source(places.start, places.end),
        grain,
        readings,
    })
}

/// An expression that begins at a place: its readings, where it begins (a word before it that changes it is not part
/// of what is shown) and the place after it.
fn expression(context: &Context<'_>, at: usize) -> Option<(Readings, usize, usize)> {
    if !may_begin(context.tokens, at) {
        return None;
    }
    if let Some((readings, next)) =
        english::range(context, at).or_else(|| chinese::range(context, at))
    {
        return Some((readings, at, next));
    }
    if let Some((readings, next)) = english_count::counted_from(context, at) {
        return Some((readings, at, next));
    }
    let (before, start) = english::prefix(context.tokens, at).unwrap_or((Shift::Same, at));
    let Chain {
        readings,
        next: end,
        ..
    } = chain(context, start)?;
    let (after, next) = chinese::suffix(context.tokens, end).unwrap_or((Shift::Same, end));
    let shift = if before == Shift::Same { after } else { before };
    let shifted = shift_all(shift, &readings, context.now);
    (!shifted.is_empty()).then_some((shifted, at, next))
}

fn shift_all(shift: Shift, readings: &Readings, now: DateTime) -> Readings {
    if shift == Shift::Same {
        return readings.clone();
    }
    let shifted = readings
        .iter()
        .filter_map(|(stretch, confidence)| Some((shift.apply(stretch, now)?, confidence * LOOSE)));
    merged(shifted.collect())
}

impl Shift {
    fn apply(self, to: &Stretch, now: DateTime) -> Option<Stretch> {
        let slack = slack(to);
        let back = |at: DateTime| at.checked_sub(slack).ok();
        let on = |at: DateTime| at.checked_add(slack).ok();
        match self {
            Self::Same => Some(*to),
            Self::Around => Stretch::new(back(to.start)?, on(to.end)?, to.grain),
            Self::Before => Stretch::new(back(to.start)?, to.start, to.grain),
            Self::After => Stretch::new(to.end, on(to.end)?, to.grain),
            Self::Since => Stretch::new(to.start, now.max(to.end), to.grain),
        }
    }
}

/// How far "around", "before" and "after" reach: as far as the thing is long, and for a day or a feast a week.
fn slack(to: &Stretch) -> SignedDuration {
    match to.grain {
        Grain::Minute => SignedDuration::from_mins(30),
        Grain::Hour => SignedDuration::from_hours(1),
        Grain::PartOfDay => SignedDuration::from_hours(6),
        Grain::Day | Grain::Days | Grain::Week => SignedDuration::from_hours(7 * 24),
        _ => to.length(),
    }
}

/// From the beginning of one expression (which begins at `first`) to the end of the one at `last`: "三月到五月", "from
/// Monday to Friday", "March to May 2022". The one that does not say when by itself is the nearest to the other.
pub(super) fn until(
    context: &Context<'_>,
    first: usize,
    from: &Chain,
    last: usize,
) -> Option<(Readings, usize)> {
    let to = chain(context, last)?;
    let seen = |now, lean| Context {
        tokens: context.tokens,
        now,
        lean,
    };
    let joined: Readings = if to.anchored && !from.anchored {
        let before = |(end, confidence): &(Stretch, f64)| {
            let begins = chain(&seen(end.end, Lean::Past), first)?.readings;
            let (begin, _) = begins
                .iter()
                .filter(|(begin, _)| begin.start < end.end)
                .max_by_key(|(begin, _)| begin.start)?;
            Some((
                Stretch::new(begin.start, end.end, begin.grain)?,
                *confidence,
            ))
        };
        to.readings.iter().filter_map(before).collect()
    } else {
        let after = |(begin, confidence): &(Stretch, f64)| {
            let ends = if to.anchored {
                to.readings.clone()
            } else {
                chain(&seen(begin.start, Lean::Future), last)?.readings
            };
            let (end, _) = ends
                .iter()
                .filter(|(end, _)| end.end > begin.start)
                .min_by_key(|(end, _)| end.end)?;
            Some((
                Stretch::new(begin.start, end.end, begin.grain)?,
                *confidence,
            ))
        };
        from.readings.iter().filter_map(after).collect()
    };
    let joined = merged(joined);
    (!joined.is_empty()).then_some((joined, to.next))
}

/// From the beginning of what is meant until now.
pub(super) fn since(from: &Readings, now: DateTime) -> Readings {
    shift_all(Shift::Since, from, now)
}
