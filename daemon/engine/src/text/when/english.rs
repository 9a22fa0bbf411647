//! Expressions of time in English.

use super::chain::{Context, Found, Piece, Place, chain};
use super::day::Part;
use super::find::{Shift, since, until};
use super::number::{Amount, english_amount};
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

#[rustfmt::skip]
const UNITS: &[(&str, Unit)] = &[
    ("minute", Unit::Minute), ("hour", Unit::Hour), ("day", Unit::Day), ("weekend", Unit::Weekend),
    ("week", Unit::Week), ("fortnight", Unit::Week), ("month", Unit::Month), ("quarter", Unit::Quarter),
    ("year", Unit::Year), ("decade", Unit::Decade), ("century", Unit::Century),
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

/// What "last" and "next" can stand before.
#[derive(Debug, Clone, Copy)]
enum Target {
    Unit(Unit),
    Partial(Partial),
}

/// A unit, a weekday, a month, a season or a feast, in the singular or the plural.
fn target(tokens: &Tokens<'_>, at: usize) -> Option<(Target, usize)> {
    if let Some((unit, next)) = unit(tokens, at) {
        return Some((Target::Unit(unit), next));
    }
    let (partial, next) = english_date::recurring(tokens, at)?;
    Some((Target::Partial(partial), next))
}

fn unit(tokens: &Tokens<'_>, at: usize) -> Option<(Unit, usize)> {
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

/// "last three days", "past couple of weeks", "next few months".
fn several(context: &Context<'_>, at: usize, step: i64) -> Found {
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
fn ago(context: &Context<'_>, at: usize) -> Found {
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
        let future = context.lean != super::lean::Lean::Past;
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
