//! Amounts of time in English, counted from now or from another time: three days ago, two Fridays ago, the last two weeks.

use super::chain::{Context, Found, Piece, chain};
use super::english::longest;
use super::english_date;
use super::lean::Lean;
use super::number::{Amount, english_amount};
use super::partial::{Partial, Readings};
use super::relative::{Direction, Unit, next, previous};
use super::token::Tokens;

#[rustfmt::skip]
const UNITS: &[(&str, Unit)] = &[
    ("minute", Unit::Minute), ("hour", Unit::Hour), ("day", Unit::Day), ("weekend", Unit::Weekend),
    ("week", Unit::Week), ("fortnight", Unit::Week), ("month", Unit::Month), ("quarter", Unit::Quarter),
    ("year", Unit::Year), ("decade", Unit::Decade), ("century", Unit::Century),
];

/// What "last" and "next" can stand before.
#[derive(Debug, Clone, Copy)]
pub(super) enum Target {
    Unit(Unit),
    Partial(Partial),
}

/// A unit, a weekday, a month, a season or a feast, in the singular or the plural.
pub(super) fn target(tokens: &Tokens<'_>, at: usize) -> Option<(Target, usize)> {
    if let Some((unit, next)) = unit(tokens, at) {
        return Some((Target::Unit(unit), next));
    }
    let (partial, next) = english_date::recurring(tokens, at)?;
    Some((Target::Partial(partial), next))
}

pub(super) fn unit(tokens: &Tokens<'_>, at: usize) -> Option<(Unit, usize)> {
    let word = tokens.word(at)?;
    let singular = match word {
        "centuries" => "century",
        _ => word
            .strip_suffix("'s")
            .or_else(|| word.strip_suffix('s'))
            .unwrap_or(word),
    };
    let found = UNITS.iter().find(|(name, _)| *name == singular)?;
    Some((found.1, at + 1))
}

/// "last three days", "past couple of weeks", "next few months".
pub(super) fn several(context: &Context<'_>, at: usize, step: i64) -> Found {
    let (amount, after) = english_amount(context.tokens, at)?;
    let (unit, end) = unit(context.tokens, after)?;
    let direction = if step < 0 {
        Direction::Ago
    } else {
        Direction::Hence
    };
    whole(unit.window(amount, direction, context.now), end)
}

/// "three days ago", "two Fridays ago", "half a year ago", "a year and a half ago", "in two weeks", "3 days later".
pub(super) fn ago(context: &Context<'_>, at: usize) -> Found {
    let (tokens, now) = (context.tokens, context.now);
    let ahead = tokens
        .words(at, "in")
        .or_else(|| tokens.words(at, "within"));
    let start = ["about", "around", "nearly", "almost", "over"]
        .iter()
        .find_map(|word| tokens.words(ahead.unwrap_or(at), word))
        .unwrap_or(ahead.unwrap_or(at));
    let (amount, target, end) = amount_of(tokens, start)?;
    if ahead.is_some() {
        // "in two years" with the past is how long something took.
        let future = context.lean != Lean::Past;
        return match target {
            Target::Unit(unit) if future => whole(unit.counted(amount, Direction::Hence, now), end),
            _ => None,
        };
    }
    let (direction, end) = direction(tokens, end)?;
    match (target, direction, amount.whole()) {
        (Target::Unit(unit), _, _) => whole(unit.counted(amount, direction, now), end),
        (Target::Partial(partial), Direction::Ago, Some(count)) => {
            whole(previous(partial, count, now), end)
        }
        (Target::Partial(partial), Direction::Hence, Some(1)) => whole(next(partial, now), end),
        _ => None,
    }
}

fn amount_of(tokens: &Tokens<'_>, at: usize) -> Option<(Amount, Target, usize)> {
    let (amount, after) = english_amount(tokens, at)?;
    let halved = tokens.words(after, "and a half");
    let (target, end) = target(tokens, halved.unwrap_or(after))?;
    let late_half = tokens.words(end, "and a half");
    let amount = if halved.is_some() || late_half.is_some() {
        amount.and_a_half()
    } else {
        amount
    };
    let amount = if tokens
        .word(end.wrapping_sub(1))
        .is_some_and(|word| word.starts_with("fortnight"))
    {
        Amount::exact(2 * amount.whole()?)
    } else {
        amount
    };
    Some((amount, target, late_half.unwrap_or(end)))
}

fn direction(tokens: &Tokens<'_>, at: usize) -> Option<(Direction, usize)> {
    #[rustfmt::skip]
    const WORDS: &[(&str, Direction)] = &[
        ("ago", Direction::Ago), ("back", Direction::Ago), ("earlier", Direction::Ago), ("before now", Direction::Ago),
        ("later", Direction::Hence), ("hence", Direction::Hence), ("from now", Direction::Hence),
        ("from today", Direction::Hence), ("after today", Direction::Hence),
    ];
    longest(tokens, at, WORDS)
}

fn whole(readings: Readings, next: usize) -> Found {
    (!readings.is_empty()).then_some((Piece::Whole(readings), next))
}

/// "two days before Christmas", "a week after the wedding day" where the day is a time.
pub(super) fn counted_from(context: &Context<'_>, at: usize) -> Option<(Readings, usize)> {
    let tokens = context.tokens;
    let start = tokens.words(at, "the").unwrap_or(at);
    let counted = amount_of(tokens, start);
    // "the day before Christmas" counts one.
    let named = || {
        Some((
            Amount::exact(1),
            Target::Unit(unit(tokens, start)?.0),
            start + 1,
        ))
    };
    let (amount, target, after) = counted.or_else(|| named().filter(|_| start > at))?;
    let direction = match tokens.word(after)? {
        "before" => Direction::Ago,
        "after" => Direction::Hence,
        _ => return None,
    };
    let Target::Unit(unit) = target else {
        return None;
    };
    let from = chain(context, after + 1)?;
    let counted = from.readings.iter().filter_map(|(whole, confidence)| {
        let (stretch, share) = unit
            .counted(amount, direction, whole.start)
            .into_iter()
            .next()?;
        Some((stretch, confidence * share))
    });
    let counted: Readings = counted.collect();
    (!counted.is_empty()).then_some((counted, from.next))
}
