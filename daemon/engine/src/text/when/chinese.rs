//! Expressions of time in Chinese.

use super::chain::{Context, Found, Piece, Place, chain};
use super::chinese_date;
use super::day::Part;
use super::find::{Shift, until};
use super::numeric;
use super::partial::{Edge, Partial, Readings};
use super::relative::{Direction, Unit};
use super::token::Tokens;
use super::{calendar::Stretch, chinese_count};

/// Days by name, and how far they are from today.
#[rustfmt::skip]
const DAYS: &[(&str, i64)] = &[
    ("今天", 0), ("今日", 0), ("今儿", 0), ("昨天", -1), ("昨日", -1), ("昨儿", -1), ("前天", -2), ("前日", -2),
    ("前儿", -2), ("大前天", -3), ("大前日", -3), ("明天", 1), ("明日", 1), ("明儿", 1), ("后天", 2), ("后日", 2),
    ("后儿", 2), ("大后天", 3), ("大后日", 3),
];

/// Days by name with a part of them in one word.
#[rustfmt::skip]
const DAY_PARTS: &[(&str, (i64, Part))] = &[
    ("今早", (0, Part::EARLY)), ("今晨", (0, Part::EARLY)), ("今晚", (0, Part::EVENING)), ("今夜", (0, Part::NIGHT)),
    ("昨晚", (-1, Part::EVENING)), ("昨夜", (-1, Part::NIGHT)), ("昨早", (-1, Part::EARLY)),
    ("前晚", (-2, Part::EVENING)), ("前夜", (-2, Part::NIGHT)), ("明早", (1, Part::EARLY)),
    ("明晨", (1, Part::EARLY)), ("明晚", (1, Part::EVENING)), ("后晚", (2, Part::EVENING)),
];

#[rustfmt::skip]
const YEARS: &[(&str, i64)] = &[
    ("今年", 0), ("本年", 0), ("去年", -1), ("上年", -1), ("前年", -2), ("大前年", -3), ("明年", 1), ("来年", 1),
    ("后年", 2), ("大后年", 3),
];

#[rustfmt::skip]
const PARTS: &[(&str, Part)] = &[
    ("凌晨", Part::SMALL_HOURS), ("清晨", Part::EARLY), ("早晨", Part::EARLY), ("早上", Part::EARLY),
    ("一早", Part::EARLY), ("一大早", Part::EARLY), ("大清早", Part::EARLY), ("清早", Part::EARLY),
    ("上午", Part::MORNING), ("中午", Part::NOON), ("正午", Part::NOON), ("下午", Part::AFTERNOON),
    ("午后", Part::AFTERNOON), ("傍晚", Part::DUSK), ("黄昏", Part::DUSK), ("晚上", Part::EVENING),
    ("晚间", Part::EVENING), ("夜晚", Part::NIGHT), ("夜里", Part::NIGHT), ("夜间", Part::NIGHT),
    ("半夜", Part::DEEP_NIGHT), ("大半夜", Part::DEEP_NIGHT), ("深夜", Part::DEEP_NIGHT), ("午夜", Part::MIDNIGHT),
];

#[rustfmt::skip]
const EDGES: &[(&str, Partial)] = &[
    ("年初", Partial::YearEdge(Edge::Start)), ("年中", Partial::YearEdge(Edge::Middle)),
    ("年底", Partial::YearEdge(Edge::End)), ("年末", Partial::YearEdge(Edge::End)),
    ("岁末", Partial::YearEdge(Edge::End)), ("月初", Partial::MonthEdge(Edge::Early)),
    ("月中", Partial::MonthEdge(Edge::Middle)), ("月底", Partial::MonthEdge(Edge::End)),
    ("月末", Partial::MonthEdge(Edge::End)), ("上旬", Partial::MonthEdge(Edge::Early)),
    ("中旬", Partial::MonthEdge(Edge::Middle)), ("下旬", Partial::MonthEdge(Edge::Late)),
    ("上半年", Partial::HalfYear(1)), ("下半年", Partial::HalfYear(2)),
];

/// Edges written as one character right after a month or a year.
#[rustfmt::skip]
const SHORT_EDGES: &[(&str, Edge)] = &[
    ("初", Edge::Early), ("中", Edge::Middle), ("底", Edge::End), ("末", Edge::End),
];

/// A piece of an expression of time, the most particular rule first.
pub(super) fn piece(context: &Context<'_>, at: usize, place: Place) -> Found {
    if context.tokens.han(at).is_none() {
        return digits_piece(context, at, place);
    }
    named(context, at, place)
        .or_else(|| relative_unit(context, at))
        .or_else(|| chinese_count::piece(context, at))
        .or_else(|| chinese_date::piece(context, at, place))
}

/// A piece that begins with figures: 3天前, 5月3日, 8点.
fn digits_piece(context: &Context<'_>, at: usize, place: Place) -> Found {
    context.tokens.digits(at)?;
    chinese_count::piece(context, at)
        .or_else(|| chinese_date::piece(context, at, place))
        .or_else(|| numeric::piece(context, at))
}

fn named(context: &Context<'_>, at: usize, place: Place) -> Found {
    let tokens = context.tokens;
    if let Some((edge, next)) = short_edge(tokens, at).filter(|_| place == Place::Later) {
        return Some((Piece::Partial(Partial::Edge(edge)), next));
    }
    if let Some((days, next)) = tokens.longest(at, DAYS) {
        return whole(Unit::Day.offset(context.now, days), next);
    }
    if let Some(((days, part), next)) = tokens.longest(at, DAY_PARTS) {
        let day = Unit::Day.offset(context.now, days)?;
        return whole(part.of(day.first_day()), next);
    }
    if let Some((years, next)) = tokens.longest(at, YEARS) {
        return whole(Unit::Year.offset(context.now, years), next);
    }
    if let Some((edge, next)) = tokens.longest(at, EDGES) {
        return Some((Piece::Partial(edge), next));
    }
    let (part, next) = tokens.longest(at, PARTS)?;
    let is_greeting = place == Place::First && tokens.han(next) == Some('好');
    (!is_greeting).then_some((Piece::Partial(Partial::Part(part)), next))
}

/// 五月初, 去年底, 九十年代末; but 中秋 and 中旬 after a year or a month are words of their own.
fn short_edge(tokens: &Tokens<'_>, at: usize) -> Option<(Edge, usize)> {
    let before = at.checked_sub(1).and_then(|before| tokens.han(before))?;
    let (edge, next) = tokens.longest(at, SHORT_EDGES)?;
    let begins_word = tokens
        .han(next)
        .is_some_and(|c| "秋旬午国间夏冬春一二三四五六七八九十".contains(c));
    (matches!(before, '月' | '年' | '代' | '份') && !begins_word).then_some((edge, next))
}

fn whole(stretch: Option<Stretch>, next: usize) -> Found {
    Some((Piece::Whole(vec![(stretch?, 1.0)]), next))
}

/// 上周, 下下个月, 这个周末, 上上周三, 本季度, 上个世纪.
fn relative_unit(context: &Context<'_>, at: usize) -> Found {
    #[rustfmt::skip]
    const UNITS: &[(&str, Unit)] = &[
        ("周末", Unit::Weekend), ("周", Unit::Week), ("星期", Unit::Week), ("礼拜", Unit::Week), ("月", Unit::Month),
        ("季度", Unit::Quarter), ("世纪", Unit::Century), ("年代", Unit::Decade),
    ];
    let tokens = context.tokens;
    let (offset, after) = offset(tokens, at)?;
    let skip = |place, c| {
        if tokens.han(place) == Some(c) {
            place + 1
        } else {
            place
        }
    };
    let unit_at = skip(skip(after, '一'), '个');
    let (unit, next) = tokens.longest(unit_at, UNITS)?;
    if unit == Unit::Week
        && let Some(weekday) = chinese_date::weekday_char(tokens.han(next))
    {
        let week = Unit::Week.offset(context.now, offset)?;
        let day = Partial::Weekday(weekday).inside(&week);
        return (!day.is_empty()).then_some((Piece::Whole(day), next + 1));
    }
    let stretch = unit.offset(context.now, offset)?;
    // 上世纪八十年代 is a decade: the century is only named with it.
    if unit == Unit::Century
        && let Some((decade, next)) =
            chinese_date::decade(tokens, next, i64::from(stretch.first_day().year()) - 1)
    {
        return whole(Some(decade), next);
    }
    whole(Some(stretch), next)
}

/// 上, 上上, 下, 这, 本, 当: how many units away, and the place after.
fn offset(tokens: &Tokens<'_>, at: usize) -> Option<(i64, usize)> {
    let first = tokens.han(at)?;
    match first {
        '上' | '下' => {
            let mut next = at;
            while next < at + 4 && tokens.han(next) == Some(first) {
                next += 1;
            }
            let count = i64::try_from(next - at).ok()?;
            Some((if first == '上' { -count } else { count }, next))
        }
        '这' | '本' => Some((0, at + 1)),
        _ => None,
    }
}

/// Words after a time that change it: 前后, 之前, 以后, 左右, 期间.
pub(super) fn suffix(tokens: &Tokens<'_>, at: usize) -> Option<(Shift, usize)> {
    #[rustfmt::skip]
    const SUFFIXES: &[(&str, Shift)] = &[
        ("前后", Shift::Around), ("左右", Shift::Around), ("前夕", Shift::Before), ("之前", Shift::Before),
        ("以前", Shift::Before), ("之后", Shift::After), ("以后", Shift::After), ("过后", Shift::After),
        ("以来", Shift::Since), ("至今", Shift::Since), ("期间", Shift::Same), ("那天", Shift::Same), ("当天", Shift::Same),
        ("那几天", Shift::Same), ("那会儿", Shift::Same),
    ];
    if let Some(found) = tokens.longest(at, SUFFIXES) {
        return Some(found);
    }
    // 前 and 后 begin many words: 后来, 前面, 后天.
    let begins_word =
        |c: Option<char>| c.is_some_and(|c| "面天年日来排途者半边任台期方头脑台辈果悔".contains(c));
    match tokens.han(at)? {
        '前' if !begins_word(tokens.han(at + 1)) => Some((Shift::Before, at + 1)),
        '后' if !begins_word(tokens.han(at + 1)) => Some((Shift::After, at + 1)),
        _ => None,
    }
}

/// 从三月到五月, 周一至周五, 五月和七月之间, 从去年开始, 自2020年起.
pub(super) fn range(context: &Context<'_>, at: usize) -> Option<(Readings, usize)> {
    let tokens = context.tokens;
    let opened = ["自从", "从", "自"]
        .iter()
        .find_map(|word| tokens.phrase(at, word));
    let first = opened.unwrap_or(at);
    let chain = chain(context, first)?;
    let next = chain.next;
    let joins = ["到", "至"]
        .iter()
        .find_map(|word| tokens.phrase(next, word));
    let dash = ['-', '~', '—', '–']
        .into_iter()
        .find(|sign| tokens.is_sign(next, *sign))
        .map(|_| next + 1);
    let between = ["和", "与"]
        .iter()
        .find_map(|word| tokens.phrase(next, word));
    if let Some(start) = joins.or(dash).or(between) {
        let (readings, end) = until(context, first, &chain, start)?;
        let closed = ["之间", "期间", "间"]
            .iter()
            .find_map(|word| tokens.phrase(end, word));
        return if between.is_some() {
            closed.map(|end| (readings, end))
        } else {
            Some((readings, closed.unwrap_or(end)))
        };
    }
    let since = ["以来", "开始", "起"]
        .iter()
        .find_map(|word| tokens.phrase(next, word));
    let end = since.filter(|_| opened.is_some()).or(opened
        .filter(|_| tokens.phrase(at, "自从").is_some())
        .map(|_| next))?;
    Some((super::find::since(&chain.readings, context.now), end))
}

/// Which way a word counts: 前 and 后 after an amount.
pub(super) fn direction(tokens: &Tokens<'_>, at: usize) -> Option<(Direction, usize)> {
    #[rustfmt::skip]
    const WORDS: &[(&str, Direction)] = &[
        ("前", Direction::Ago), ("之前", Direction::Ago), ("以前", Direction::Ago), ("后", Direction::Hence),
        ("之后", Direction::Hence), ("以后", Direction::Hence), ("过后", Direction::Hence),
    ];
    let (direction, next) = tokens.longest(at, WORDS)?;
    // 三天前面 and 两年后来 are no directions.
    let word = tokens.han(next).is_some_and(|c| "面来排途者".contains(c));
    (!word).then_some((direction, next))
}
