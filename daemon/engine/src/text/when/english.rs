//! Expressions of time in English.

use super::chain::{Context, Found, Piece, Place, chain};
use super::day::Part;
use super::english_count::{Target, ago, several, target, unit};
use super::find::{Shift, since, until};
use super::number::Amount;
use super::partial::{Edge, Partial, Readings};
use super::relative::{Direction, Loose, Unit, next, previous};
use super::token::Tokens;
use super::{english_date, numeric};

/// Days by name, and how far they are from today.
#[rustfmt::skip]
const DAYS: &[(&str, i64)] = &[
    ("the day before yesterday", -2), ("day before yesterday", -2), ("yesterday", -1), ("today", 0),
    ("the day after tomorrow", 2), ("day after tomorrow", 2), ("tomorrow", 1), ("tmr", 1),
];

/// Times without an amount, as one: how much, of what, which way.
#[rustfmt::skip]
const LOOSE: &[(&str, Loose)] = &[
    ("the other day", (2, 14, Unit::Day, Direction::Ago)), ("recently", (0, 14, Unit::Day, Direction::Ago)),
    ("lately", (0, 14, Unit::Day, Direction::Ago)), ("these days", (0, 14, Unit::Day, Direction::Ago)),
    ("just now", (0, 30, Unit::Minute, Direction::Ago)), ("a moment ago", (0, 15, Unit::Minute, Direction::Ago)),
    ("a while ago", (7, 90, Unit::Day, Direction::Ago)), ("a while back", (7, 90, Unit::Day, Direction::Ago)),
];

#[rustfmt::skip]
const PARTS: &[(&str, Part)] = &[
    ("early morning", Part::EARLY), ("morning", Part::MORNING), ("noon", Part::NOON), ("midday", Part::NOON),
    ("lunchtime", Part::NOON), ("afternoon", Part::AFTERNOON), ("evening", Part::EVENING), ("night", Part::NIGHT),
    ("midnight", Part::MIDNIGHT),
];

/// A piece of an expression of time, the most particular rule first.
pub(super) fn piece(context: &Context<'_>, at: usize, place: Place) -> Found {
    let tokens = context.tokens;
    if tokens.word(at).is_none() && tokens.digits(at).is_none() {
        return None;
    }
    named(context, at)
        .or_else(|| this_last_next(context, at))
        .or_else(|| ago(context, at))
        .or_else(|| {
            let (feast, next) = english_date::feast(tokens, at)?;
            Some((Piece::Partial(feast), next))
        })
        .or_else(|| edge(context, at))
        .or_else(|| part(tokens, at, place))
        .or_else(|| english_date::piece(context, at, place))
        .or_else(|| numeric::piece(context, at))
}

fn whole(readings: Readings, next: usize) -> Found {
    (!readings.is_empty()).then_some((Piece::Whole(readings), next))
}

fn certain(stretch: Option<super::calendar::Stretch>, next: usize) -> Found {
    whole(
        stretch.into_iter().map(|stretch| (stretch, 1.0)).collect(),
        next,
    )
}

/// The longest phrase of a table that stands here.
pub(super) fn longest<T: Copy>(
    tokens: &Tokens<'_>,
    at: usize,
    table: &[(&str, T)],
) -> Option<(T, usize)> {
    let matches = table
        .iter()
        .filter_map(|(phrase, meaning)| Some((*meaning, tokens.words(at, phrase)?)));
    matches.max_by_key(|(_, next)| *next)
}

fn named(context: &Context<'_>, at: usize) -> Found {
    let (tokens, now) = (context.tokens, context.now);
    if let Some((days, next)) = longest(tokens, at, DAYS) {
        return certain(Unit::Day.offset(now, days), next);
    }
    if let Some(((low, high, unit, direction), next)) = longest(tokens, at, LOOSE) {
        return whole(
            unit.counted(Amount::between(low, high), direction, now),
            next,
        );
    }
    let part = |days, part: Part, next| {
        certain(
            Unit::Day
                .offset(now, days)
                .and_then(|day| part.of(day.first_day())),
            next,
        )
    };
    for (phrase, days, of) in [
        ("tonight", 0, Part::NIGHT),
        ("last night", -1, Part::NIGHT),
        ("the night before last", -2, Part::NIGHT),
    ] {
        if let Some(next) = tokens.words(at, phrase) {
            return part(days, of, next);
        }
    }
    if let Some(next) = tokens.words(at, "this time last year") {
        let date = super::calendar::plus_months(now.date(), -12)?;
        return certain(super::relative::days_around(date, 10), next);
    }
    before_last(context, at)
}

/// "the week before last", "Friday before last", "the month after next".
fn before_last(context: &Context<'_>, at: usize) -> Found {
    let tokens = context.tokens;
    let start = tokens.words(at, "the").unwrap_or(at);
    let (target, after) = target(tokens, start)?;
    if let Some(end) = tokens.words(after, "before last") {
        return match target {
            Target::Unit(unit) => certain(unit.offset(context.now, -2), end),
            Target::Partial(partial) => whole(previous(partial, 2, context.now), end),
        };
    }
    let end = tokens.words(after, "after next")?;
    match target {
        Target::Unit(unit) => certain(unit.offset(context.now, 2), end),
        Target::Partial(_) => None,
    }
}

/// this, last, next, the past, the coming … before a unit, a number of units, a weekday, a month, a season, a feast.
fn this_last_next(context: &Context<'_>, at: usize) -> Found {
    let (tokens, now) = (context.tokens, context.now);
    let start = tokens.words(at, "the").unwrap_or(at);
    let step = match tokens.word(start)? {
        "last" | "past" | "previous" => -1,
        "this" if start == at => 0,
        "next" | "coming" | "following" => 1,
        _ => return None,
    };
    let after = start + 1;
    if step != 0
        && let Some(found) = several(context, after, step)
    {
        return Some(found);
    }
    if let Some((part, next)) = longest(tokens, after, PARTS).filter(|_| step <= 0) {
        let day = Unit::Day.offset(now, step)?;
        return certain(part.of(day.first_day()), next);
    }
    let (target, end) = target(tokens, after)?;
    match (target, step) {
        // "the day" and "this minute" are no expressions of time.
        (Target::Unit(Unit::Day | Unit::Hour | Unit::Minute), _) => None,
        (Target::Unit(Unit::Weekend), _) => whole(weekend(now, step), end),
        (Target::Unit(unit), _) => certain(unit.offset(now, step), end),
        (Target::Partial(partial), -1) => whole(previous(partial, 1, now), end),
        (Target::Partial(partial), 0) => certain(partial.in_cycle(now.date(), 0), end),
        (Target::Partial(partial), _) => whole(next(partial, now), end),
    }
}

/// "next weekend" before one is the coming one to some; "last weekend" is past to all.
fn weekend(now: jiff::civil::DateTime, step: i64) -> Readings {
    if step != 1 {
        return Unit::Weekend
            .offset(now, step)
            .map(|stretch| (stretch, 1.0))
            .into_iter()
            .collect();
    }
    let both = [
        (Unit::Weekend.offset(now, 1), 0.6),
        (Unit::Weekend.offset(now, 0), 0.4),
    ];
    let coming = both
        .into_iter()
        .filter_map(|(stretch, share)| Some((stretch?, share)));
    coming.filter(|(stretch, _)| stretch.start > now).collect()
}

/// "early May", "mid-March", "the end of last year", "late 2022", "the end of the month".
fn edge(context: &Context<'_>, at: usize) -> Found {
    #[rustfmt::skip]
    const EDGES: &[(&str, Edge)] = &[
        ("early in", Edge::Early), ("early", Edge::Early), ("late in", Edge::Late), ("late", Edge::Late),
        ("mid", Edge::Middle), ("middle of", Edge::Middle), ("beginning of", Edge::Start), ("start of", Edge::Start),
        ("end of", Edge::End), ("turn of", Edge::Start),
    ];
    let tokens = context.tokens;
    let start = tokens.words(at, "the").unwrap_or(at);
    let (edge, after) = longest(tokens, start, EDGES)?;
    let after = if tokens.is_sign(after, '-') {
        after + 1
    } else {
        after
    };
    let (of, end) = the_unit(context, after)
        .or_else(|| english_date::piece(context, after, Place::Later))
        .or_else(|| this_last_next(context, after))?;
    let wholes = match of {
        Piece::Whole(readings) => readings,
        Piece::Partial(partial) => context
            .lean
            .choose(&partial.around(context.now.date()), context.now),
    };
    let edges = wholes
        .into_iter()
        .filter_map(|(whole, confidence)| Some((edge.of(&whole)?, confidence)));
    whole(edges.collect(), end)
}

/// "the month" and "the year" are this one, after an edge.
fn the_unit(context: &Context<'_>, at: usize) -> Found {
    let (unit, end) = unit(context.tokens, context.tokens.words(at, "the")?)?;
    certain(unit.offset(context.now, 0), end)
}

/// "in the morning", "at night", and after another piece the bare word: "Friday night".
fn part(tokens: &Tokens<'_>, at: usize, place: Place) -> Found {
    let opened = ["in the", "at", "during the"]
        .iter()
        .find_map(|words| tokens.words(at, words));
    let start = opened.or((place == Place::Later).then_some(at))?;
    let (part, end) = longest(tokens, start, PARTS)?;
    Some((Piece::Partial(Partial::Part(part)), end))
}

/// Words before a time that change it: before, after, since, around.
pub(super) fn prefix(tokens: &Tokens<'_>, at: usize) -> Option<(Shift, usize)> {
    let shift = match tokens.word(at)? {
        "before" => Shift::Before,
        "after" => Shift::After,
        "since" => Shift::Since,
        "around" | "about" => Shift::Around,
        _ => return None,
    };
    Some((shift, at + 1))
}

/// "between March and May", "from Monday to Friday", "May to July", "since 2020".
pub(super) fn range(context: &Context<'_>, at: usize) -> Option<(Readings, usize)> {
    let tokens = context.tokens;
    tokens.word(at)?;
    let between = tokens.words(at, "between");
    let from = tokens.words(at, "from");
    let opened = between.or(from);
    let first = opened.unwrap_or(at);
    let chain = chain(context, first)?;
    let next = chain.next;
    let joins: &[&str] = match (between, from) {
        (Some(_), _) => &["and"],
        (None, Some(_)) => &["to", "until", "till", "through", "up to"],
        (None, None) => &["to", "through", "until"],
    };
    if let Some(start) = joins.iter().find_map(|word| tokens.words(next, word)) {
        return until(context, first, &chain, start);
    }
    let onwards = ["on", "onwards", "onward"]
        .iter()
        .find_map(|word| tokens.words(next, word));
    let end = onwards.filter(|_| from.is_some())?;
    Some((since(&chain.readings, context.now), end))
}
