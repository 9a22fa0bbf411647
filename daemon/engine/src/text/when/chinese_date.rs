//! Dates, weekdays, seasons, feasts and clock times in Chinese.

use jiff::civil::Weekday;

use super::calendar::Stretch;
use super::chain::{Context, Found, Piece, Place};
use super::day::{Clock, Half};
use super::feast::{CHINESE as FEASTS, Feast};
use super::number::{number, year_digits};
use super::partial::{Partial, Season};
use super::token::Tokens;
use super::{Grain, numeric};

#[rustfmt::skip]
const SEASONS: &[(&str, Season)] = &[
    ("春天", Season::Spring), ("春季", Season::Spring), ("春日", Season::Spring), ("夏天", Season::Summer),
    ("夏季", Season::Summer), ("夏日", Season::Summer), ("盛夏", Season::Summer), ("秋天", Season::Autumn),
    ("秋季", Season::Autumn), ("秋日", Season::Autumn), ("深秋", Season::Autumn), ("冬天", Season::Winter),
    ("冬季", Season::Winter), ("冬日", Season::Winter), ("寒冬", Season::Winter),
];

/// A date, a weekday, a season, a feast or a time of the clock.
pub(super) fn piece(context: &Context<'_>, at: usize, place: Place) -> Found {
    let tokens = context.tokens;
    let partial = |partial: Partial, next: usize| Some((Piece::Partial(partial), next));
    if let Some((feast, next)) = tokens
        .longest(at, FEASTS)
        .filter(|(_, next)| tokens.han(*next) != Some('月'))
    {
        return partial(Partial::Feast(feast), next);
    }
    if let Some((season, next)) = tokens.longest(at, SEASONS) {
        return partial(Partial::Season(season), next);
    }
    if let Some((year, next)) =
        year(context, at).or_else(|| decade(tokens, at, 1900).and_then(in_last_century))
    {
        return Some((Piece::Whole(vec![(year, 1.0)]), next));
    }
    lunar(tokens, at)
        .or_else(|| weekday(tokens, at))
        .or_else(|| quarter(tokens, at))
        .or_else(|| month_or_day(tokens, at, place))
        .or_else(|| {
            let (clock, next) = clock(tokens, at, place)?;
            Some((Partial::Clock(clock), next))
        })
        .map(|(partial, next)| (Piece::Partial(partial), next))
}

type FoundPartial = Option<(Partial, usize)>;

/// 2022年, 二〇二二年, 98年.
fn year(context: &Context<'_>, at: usize) -> Option<(Stretch, usize)> {
    let tokens = context.tokens;
    let (value, digits, next) = year_digits(tokens, at)?;
    if digits == 4 && (1000..3000).contains(&value) {
        let end = tokens.phrase(next, "年").filter(|end| {
            tokens
                .phrase(next, "年代")
                .is_none_or(|decade| decade < *end)
        });
        // Without 年 it needs a season or a month after it.
        let bare = || tokens.longest(next, SEASONS).map(|_| next);
        return Some((Stretch::year(value)?, end.or_else(bare)?));
    }
    let end = tokens
        .phrase(next, "年")
        .filter(|_| digits == 2 && at + 1 >= next.min(at + 1))?;
    // A year of two digits, and no span of years: 住了20年, 10年前.
    let told_as_span = tokens
        .han(at.wrapping_sub(1))
        .is_some_and(|c| "了过近第这那有整约够满每".contains(c))
        || tokens
            .han(end)
            .is_some_and(|c| "前后来间内以之多半的代级".contains(c));
    let until = i64::from(context.now.year()) + 5;
    let full = if 2000 + value <= until {
        2000 + value
    } else {
        1900 + value
    };
    (!told_as_span).then_some((Stretch::year(full)?, end))
}

/// 80年代, 九十年代, of the century that begins with this year.
pub(super) fn decade(tokens: &Tokens<'_>, at: usize, century: i64) -> Option<(Stretch, usize)> {
    let (value, next) = number(tokens, at)?;
    let end = tokens.phrase(next, "年代")?;
    let first = if value >= 1000 {
        value
    } else {
        century + value
    };
    let valid = value % 10 == 0 && !(100..1000).contains(&value);
    valid.then_some((Stretch::years(first, 10, Grain::Decade)?, end))
}

/// 20年代 by itself is of this century, 80年代 of the last.
fn in_last_century((decade, next): (Stretch, usize)) -> Option<(Stretch, usize)> {
    let first = i64::from(decade.first_day().year());
    let first = if (1900..1930).contains(&first) {
        first + 100
    } else {
        first
    };
    Some((Stretch::years(first, 10, Grain::Decade)?, next))
}

/// 农历八月十五, 正月初三, 腊月二十三, 大年初三.
fn lunar(tokens: &Tokens<'_>, at: usize) -> FoundPartial {
    const MONTHS: &[(&str, u8)] = &[("正月", 1), ("冬月", 11), ("腊月", 12)];
    let opened = ["农历", "阴历", "旧历"]
        .iter()
        .find_map(|word| tokens.phrase(at, word));
    if let Some(next) = tokens
        .phrase(at, "大年初")
        .or_else(|| tokens.phrase(at, "年初"))
    {
        let (day, next) = number(tokens, next).filter(|(day, _)| (1..=10).contains(day))?;
        return Some((lunar_day(1, day), next));
    }
    let named = tokens.longest(opened.unwrap_or(at), MONTHS);
    let (month, next) = named.or_else(|| {
        let (month, next) = number(tokens, opened?)?;
        let month = u8::try_from(month)
            .ok()
            .filter(|month| (1..=12).contains(month))?;
        Some((month, tokens.phrase(next, "月")?))
    })?;
    let day_at = tokens.phrase(next, "初").unwrap_or(next);
    match number(tokens, day_at).filter(|(day, _)| (1..=30).contains(day)) {
        Some((day, next)) => {
            let next = ["日", "号"]
                .iter()
                .find_map(|word| tokens.phrase(next, word))
                .unwrap_or(next);
            Some((lunar_day(month, day), next))
        }
        None => Some((Partial::LunarMonth(month), next)),
    }
}

fn lunar_day(month: u8, day: i64) -> Partial {
    Partial::Feast(Feast::Lunar {
        month,
        day: day as u8,
        days: 1,
        before: 0,
    })
}

/// 周三, 星期天, 礼拜五, 周末; not 每周三 and not 一周三次.
fn weekday(tokens: &Tokens<'_>, at: usize) -> FoundPartial {
    let recurs = at
        .checked_sub(1)
        .and_then(|before| tokens.han(before))
        .is_some_and(|c| "每一两三四五六七八九十几半个".contains(c));
    if recurs {
        return None;
    }
    if let Some(next) = tokens.phrase(at, "周末") {
        return Some((Partial::Weekend, next));
    }
    let next = ["周", "星期", "礼拜"]
        .iter()
        .find_map(|word| tokens.phrase(at, word))?;
    let day = weekday_char(tokens.han(next))?;
    // 周一 is a day, 周一一, 周年 and 周三国 are not ours to guess; 周一围 is rare enough.
    Some((Partial::Weekday(day), next + 1))
}

/// The day that 一 to 六, 日 and 天 stand for after 周.
pub(super) fn weekday_char(c: Option<char>) -> Option<Weekday> {
    Some(match c? {
        '一' => Weekday::Monday,
        '二' => Weekday::Tuesday,
        '三' => Weekday::Wednesday,
        '四' => Weekday::Thursday,
        '五' => Weekday::Friday,
        '六' => Weekday::Saturday,
        '日' | '天' => Weekday::Sunday,
        _ => return None,
    })
}

/// 第三季度, 一季度.
fn quarter(tokens: &Tokens<'_>, at: usize) -> FoundPartial {
    let (quarter, next) = number(tokens, tokens.phrase(at, "第").unwrap_or(at))?;
    let end = tokens.phrase(next, "季度")?;
    (1..=4)
        .contains(&quarter)
        .then_some((Partial::Quarter(quarter), end))
}

/// 五月三号, 5月, 15号, 3日.
fn month_or_day(tokens: &Tokens<'_>, at: usize, place: Place) -> FoundPartial {
    let (value, next) = number(tokens, at)?;
    if let Some(end) = tokens
        .phrase(next, "月份")
        .or_else(|| tokens.phrase(next, "月"))
    {
        if !(1..=12).contains(&value) {
            return None;
        }
        return match number(tokens, end).filter(|(day, _)| (1..=31).contains(day)) {
            Some((day, after)) if tokens.phrase(at, "月").is_none() => {
                let end = ["日", "号"]
                    .iter()
                    .find_map(|word| tokens.phrase(after, word));
                // 五月三 without 日 is a day only in digits that end there: 5月3.
                end.map(|end| (Partial::MonthDay(value, day), end))
                    .or(Some((Partial::Month(value), end_of_month(tokens, next))))
            }
            _ => Some((Partial::Month(value), end)),
        };
    }
    let end = ["号", "日"]
        .iter()
        .find_map(|word| tokens.phrase(next, word))?;
    // 3号线 and 2号楼 are places.
    let numbered = tokens
        .han(end)
        .is_some_and(|c| "线楼门院店房码选机球位台厅车桌床馆记子".contains(c));
    let ordinal = at.checked_sub(1).and_then(|before| tokens.han(before)) == Some('第')
        && place == Place::First;
    ((1..=31).contains(&value) && !numbered && !ordinal).then_some((Partial::Day(value), end))
}

fn end_of_month(tokens: &Tokens<'_>, at: usize) -> usize {
    tokens.phrase(at, "月份").unwrap_or(at + 1)
}

/// 八点, 8点半, 三点一刻, 20点15分, 三点钟, 8:30.
fn clock(tokens: &Tokens<'_>, at: usize, place: Place) -> Option<(Clock, usize)> {
    if let Some(found) = numeric::clock(tokens, at) {
        return Some(found);
    }
    let (hour, next) = number(tokens, at)?;
    let end = ["点钟", "点整", "点", "时"]
        .iter()
        .find_map(|word| tokens.phrase(next, word))?;
    let minute = minute(tokens, end);
    // By itself 三点 may be three points, and 一点 is a little.
    let plain = tokens
        .phrase(next, "点钟")
        .or_else(|| tokens.phrase(next, "点整"))
        .is_none()
        && minute.is_none();
    if plain && place == Place::First {
        return None;
    }
    let (minute, end) = minute.map_or((None, end), |(minute, end)| (Some(minute), end));
    Some((Clock::new(hour, minute, Half::Untold)?, end))
}

fn minute(tokens: &Tokens<'_>, at: usize) -> Option<(i64, usize)> {
    const NAMED: &[(&str, i64)] = &[("半", 30), ("一刻", 15), ("三刻", 45)];
    if let Some(found) = tokens.longest(at, NAMED) {
        return Some(found);
    }
    let (minute, next) = number(tokens, at).filter(|(minute, _)| (0..60).contains(minute))?;
    let end = tokens.phrase(next, "分").unwrap_or(next);
    Some((minute, end))
}
