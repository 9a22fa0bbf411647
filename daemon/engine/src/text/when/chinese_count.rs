//! Amounts of time in Chinese, counted from now: 三个月前, 过两天, 最近三年, 前几天.

use super::chain::{Context, Found, Piece};
use super::chinese::direction;
use super::number::{Amount, chinese_amount};
use super::partial::Readings;
use super::relative::{Direction, Loose, Unit};
use super::token::Tokens;

/// Units that are counted as they are.
#[rustfmt::skip]
const UNITS: &[(&str, Unit)] = &[
    ("分钟", Unit::Minute), ("小时", Unit::Hour), ("钟头", Unit::Hour), ("天", Unit::Day), ("日", Unit::Day),
    ("周", Unit::Week), ("星期", Unit::Week), ("礼拜", Unit::Week), ("周末", Unit::Weekend), ("季度", Unit::Quarter),
    ("年", Unit::Year), ("世纪", Unit::Century),
];

/// Times that are told without an amount, as an amount: how much, of what, which way.
#[rustfmt::skip]
const LOOSE: &[(&str, Loose)] = &[
    ("最近", (0, 14, Unit::Day, Direction::Ago)), ("近来", (0, 14, Unit::Day, Direction::Ago)),
    ("近日", (0, 7, Unit::Day, Direction::Ago)), ("近期", (0, 30, Unit::Day, Direction::Ago)),
    ("这几天", (0, 4, Unit::Day, Direction::Ago)), ("这两天", (0, 2, Unit::Day, Direction::Ago)),
    ("这阵子", (0, 21, Unit::Day, Direction::Ago)), ("这段时间", (0, 30, Unit::Day, Direction::Ago)),
    ("这段日子", (0, 30, Unit::Day, Direction::Ago)), ("前阵子", (7, 60, Unit::Day, Direction::Ago)),
    ("前段时间", (7, 60, Unit::Day, Direction::Ago)), ("前一阵", (7, 60, Unit::Day, Direction::Ago)),
    ("前几天", (2, 7, Unit::Day, Direction::Ago)), ("前两天", (1, 3, Unit::Day, Direction::Ago)),
    ("前些天", (2, 14, Unit::Day, Direction::Ago)), ("前几年", (2, 6, Unit::Year, Direction::Ago)),
    ("前两年", (1, 3, Unit::Year, Direction::Ago)), ("这几年", (0, 5, Unit::Year, Direction::Ago)),
    ("近几年", (0, 5, Unit::Year, Direction::Ago)), ("这些年", (0, 10, Unit::Year, Direction::Ago)),
    ("刚才", (0, 60, Unit::Minute, Direction::Ago)), ("刚刚", (0, 30, Unit::Minute, Direction::Ago)),
    ("过几天", (2, 7, Unit::Day, Direction::Hence)), ("过两天", (1, 3, Unit::Day, Direction::Hence)),
    ("过阵子", (7, 60, Unit::Day, Direction::Hence)),
];

/// An amount counted from now.
pub(super) fn piece(context: &Context<'_>, at: usize) -> Found {
    if let Some(((low, high, unit, direction), next)) = context.tokens.longest(at, LOOSE)
        && !window_follows(context.tokens, at)
    {
        return readings(
            unit.counted(Amount::between(low, high), direction, context.now),
            next,
        );
    }
    window(context, at)
        .or_else(|| on(context, at))
        .or_else(|| ago(context, at))
}

/// 最近三天, 过去两年, 近五年, 未来一周, 这三天.
fn window(context: &Context<'_>, at: usize) -> Found {
    let tokens = context.tokens;
    let (direction, next) = tokens.longest(at, OPENERS)?;
    let next = tokens.phrase(next, "的").unwrap_or(next);
    let (amount, unit, end) = amount(tokens, next)?;
    // 这三天前 is no window.
    if super::chinese::direction(tokens, end).is_some() {
        return None;
    }
    readings(unit.window(amount, direction, context.now), end)
}

#[rustfmt::skip]
const OPENERS: &[(&str, Direction)] = &[
    ("最近", Direction::Ago), ("过去", Direction::Ago), ("近", Direction::Ago), ("这", Direction::Ago),
    ("之前", Direction::Ago), ("未来", Direction::Hence), ("接下来", Direction::Hence), ("今后", Direction::Hence),
];

fn window_follows(tokens: &Tokens<'_>, at: usize) -> bool {
    let opener = tokens.longest(at, OPENERS);
    opener.is_some_and(|(_, next)| {
        amount(tokens, next).is_some_and(|(amount, _, _)| amount.whole().is_some_and(|n| n > 2))
    })
}

/// 过三天, 再过两周: from now on.
fn on(context: &Context<'_>, at: usize) -> Found {
    let tokens = context.tokens;
    let next = ["再过", "过"]
        .iter()
        .find_map(|word| tokens.phrase(at, word))?;
    let (amount, unit, end) = amount(tokens, next)?;
    readings(unit.counted(amount, Direction::Hence, context.now), end)
}

/// 三个月前, 半年以后, 一年多前.
fn ago(context: &Context<'_>, at: usize) -> Found {
    let (amount, unit, end) = amount(context.tokens, at)?;
    let (direction, end) = direction(context.tokens, end)?;
    readings(unit.counted(amount, direction, context.now), end)
}

fn readings(readings: Readings, next: usize) -> Found {
    (!readings.is_empty()).then_some((Piece::Whole(readings), next))
}

/// An amount with its unit: 三天, 两个半月, 一年多, 半个小时.
fn amount(tokens: &Tokens<'_>, at: usize) -> Option<(Amount, Unit, usize)> {
    let (mut amount, mut next) = chinese_amount(tokens, at)?;
    let take = |c: char, next: &mut usize| {
        let found = tokens.han(*next) == Some(c);
        *next += usize::from(found);
        found
    };
    if take('多', &mut next) {
        amount = amount.and_more();
    }
    let measured = take('个', &mut next);
    if take('半', &mut next) {
        amount = amount.and_a_half();
    } else if take('多', &mut next) {
        amount = amount.and_more();
    }
    let (unit, mut next) = unit(tokens, next, measured)?;
    if take('半', &mut next) {
        amount = amount.and_a_half();
    } else if take('多', &mut next) {
        amount = amount.and_more();
    }
    Some((amount, unit, next))
}

/// A month is counted only with 个: 三月前 is before March.
fn unit(tokens: &Tokens<'_>, at: usize, measured: bool) -> Option<(Unit, usize)> {
    if measured && tokens.han(at) == Some('月') {
        return Some((Unit::Month, at + 1));
    }
    tokens.longest(at, UNITS)
}
