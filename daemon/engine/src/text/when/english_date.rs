//! Dates, years, weekdays, months, seasons, feasts and clock times in English.

use jiff::civil::Weekday;

use super::Grain;
use super::calendar::Stretch;
use super::chain::{Context, Found, Piece, Place};
use super::day::{Clock, Half};
use super::english::longest;
use super::feast::ENGLISH as FEASTS;
use super::number::{english_number, ordinal};
use super::numeric;
use super::partial::{Partial, Season};
use super::token::Tokens;

#[rustfmt::skip]
const MONTHS: &[(&str, i64)] = &[
    ("january", 1), ("february", 2), ("march", 3), ("april", 4), ("may", 5), ("june", 6), ("july", 7), ("august", 8),
    ("september", 9), ("october", 10), ("november", 11), ("december", 12),
];

/// Short names; they are months only beside a number or after a word that a time follows.
#[rustfmt::skip]
const SHORT_MONTHS: &[(&str, i64)] = &[
    ("jan", 1), ("feb", 2), ("mar", 3), ("apr", 4), ("jun", 6), ("jul", 7), ("aug", 8), ("sep", 9), ("sept", 9),
    ("oct", 10), ("nov", 11), ("dec", 12), ("may", 5), ("march", 3),
];

#[rustfmt::skip]
const WEEKDAYS: &[(&str, Weekday)] = &[
    ("monday", Weekday::Monday), ("tuesday", Weekday::Tuesday), ("wednesday", Weekday::Wednesday),
    ("thursday", Weekday::Thursday), ("friday", Weekday::Friday), ("saturday", Weekday::Saturday),
    ("sunday", Weekday::Sunday), ("mon", Weekday::Monday), ("tue", Weekday::Tuesday), ("tues", Weekday::Tuesday),
    ("thu", Weekday::Thursday), ("thur", Weekday::Thursday), ("thurs", Weekday::Thursday), ("fri", Weekday::Friday),
];

#[rustfmt::skip]
const SEASONS: &[(&str, Season)] = &[
    ("spring", Season::Spring), ("springtime", Season::Spring), ("summer", Season::Summer),
    ("summertime", Season::Summer), ("autumn", Season::Autumn), ("fall", Season::Autumn), ("winter", Season::Winter),
    ("wintertime", Season::Winter),
];

/// Words that a time follows.
#[rustfmt::skip]
const OPENERS: [&str; 18] = [
    "in", "of", "since", "until", "till", "by", "during", "from", "before", "after", "between", "last", "next", "this",
    "early", "late", "mid", "around",
];

/// A date, a year, a weekday, a month, a season, a feast, a time of the clock.
pub(super) fn piece(context: &Context<'_>, at: usize, place: Place) -> Found {
    let tokens = context.tokens;
    if let Some((stretch, next)) = decade_or_century(tokens, at).or_else(|| year(tokens, at, place))
    {
        return Some((Piece::Whole(vec![(stretch, 1.0)]), next));
    }
    let start = ["on the", "the"]
        .iter()
        .find_map(|words| tokens.words(at, words));
    feast(tokens, start.unwrap_or(at))
        .or_else(|| quarter_or_half(tokens, start.unwrap_or(at)))
        .or_else(|| month_date(tokens, at, place))
        .or_else(|| day_of_month(tokens, at))
        .or_else(|| weekday(tokens, at))
        .or_else(|| weekend(tokens, at))
        .or_else(|| season(tokens, at, place))
        .or_else(|| clock(tokens, at))
        .map(|(partial, next)| (Piece::Partial(partial), next))
}

/// A weekday, month, season or feast, of which there is a last, a next and an n-th before: also in the plural.
pub(super) fn recurring(tokens: &Tokens<'_>, at: usize) -> Option<(Partial, usize)> {
    if let Some(found) = feast(tokens, at) {
        return Some(found);
    }
    let word = tokens.word(at)?;
    let singular = word
        .strip_suffix("'s")
        .or_else(|| {
            word.strip_suffix("es")
                .filter(|stem| stem.ends_with("christmas"))
        })
        .or_else(|| word.strip_suffix('s').filter(|_| word.len() > 4))
        .unwrap_or(word);
    let find = |table: &[(&str, Weekday)]| {
        table
            .iter()
            .find(|(name, _)| *name == singular)
            .map(|(_, day)| *day)
    };
    let partial = find(WEEKDAYS)
        .map(Partial::Weekday)
        .or_else(|| {
            MONTHS
                .iter()
                .find(|(name, _)| *name == singular)
                .map(|(_, month)| Partial::Month(*month))
        })
        .or_else(|| {
            SHORT_MONTHS
                .iter()
                .find(|(name, _)| *name == word)
                .map(|(_, month)| Partial::Month(*month))
        })
        .or_else(|| {
            SEASONS
                .iter()
                .find(|(name, _)| *name == singular)
                .map(|(_, season)| Partial::Season(*season))
        })
        .or(match singular {
            "sat" => Some(Partial::Weekday(Weekday::Saturday)),
            "sun" => Some(Partial::Weekday(Weekday::Sunday)),
            "wed" => Some(Partial::Weekday(Weekday::Wednesday)),
            _ => None,
        })?;
    Some((partial, at + 1))
}

type FoundPartial = Option<(Partial, usize)>;

pub(super) fn feast(tokens: &Tokens<'_>, at: usize) -> FoundPartial {
    let (feast, next) = longest(tokens, at, FEASTS)?;
    Some((Partial::Feast(feast), next))
}

/// "in 2022", "the year 1998"; after another piece the number alone.
fn year(tokens: &Tokens<'_>, at: usize, place: Place) -> Option<(Stretch, usize)> {
    let opened = ["the year", "year"]
        .iter()
        .find_map(|words| tokens.words(at, words));
    let start = opened.unwrap_or(at);
    let (value, digits) = tokens.digits(start)?;
    let before = at.checked_sub(1).and_then(|before| tokens.word(before));
    let told = opened.is_some()
        || place == Place::Later
        || before.is_some_and(|word| OPENERS.contains(&word));
    // A number that something is counted with is no year: "in 2000 words".
    let counts = tokens.word(start + 1).is_some_and(|word| {
        [
            "words", "people", "dollars", "yuan", "steps", "meters", "miles", "km", "m", "s",
        ]
        .contains(&word)
    });
    let plausible = digits == 4 && (1800..2200).contains(&value);
    (plausible && told && !counts).then_some((Stretch::year(value.into())?, start + 1))
}

/// "the 90s", "1990s", "the nineties", "the 19th century".
fn decade_or_century(tokens: &Tokens<'_>, at: usize) -> Option<(Stretch, usize)> {
    const WORDS: [(&str, i64); 8] = [
        ("twenties", 2020),
        ("thirties", 1930),
        ("forties", 1940),
        ("fifties", 1950),
        ("sixties", 1960),
        ("seventies", 1970),
        ("eighties", 1980),
        ("nineties", 1990),
    ];
    let start = tokens.words(at, "the").unwrap_or(at);
    let decade = |first: i64, next: usize| Some((Stretch::years(first, 10, Grain::Decade)?, next));
    if let Some((number, next)) = ordinal(tokens, start) {
        let end = tokens.words(next, "century")?;
        let first = number.checked_sub(1)?.checked_mul(100)?.checked_add(1)?;
        return Some((Stretch::years(first, 100, Grain::Century)?, end));
    }
    if let Some((first, next)) = longest(tokens, start, &WORDS).filter(|_| start > at) {
        return decade(first, next);
    }
    let (value, digits) = tokens.digits(start).filter(|(value, _)| value % 10 == 0)?;
    let apostrophe = usize::from(tokens.is_sign(start + 1, '\''));
    let end = tokens
        .words(start + 1 + apostrophe, "s")
        .filter(|_| tokens.touches(start + 1 + apostrophe))?;
    match digits {
        4 => decade(value.into(), end),
        2 if start > at && value >= 30 => decade(1900 + i64::from(value), end),
        2 if start > at => decade(2000 + i64::from(value), end),
        _ => None,
    }
}

/// "Q3", "the third quarter", "the first half".
fn quarter_or_half(tokens: &Tokens<'_>, at: usize) -> FoundPartial {
    if tokens.word(at) == Some("q") && tokens.touches(at + 1) {
        let (quarter, _) = tokens
            .digits(at + 1)
            .filter(|(quarter, _)| (1..=4).contains(quarter))?;
        return Some((Partial::Quarter(quarter.into()), at + 2));
    }
    let (number, next) = ordinal(tokens, at).filter(|(number, _)| (1..=4).contains(number))?;
    if let Some(end) = tokens.words(next, "quarter") {
        return Some((Partial::Quarter(number), end));
    }
    let end = tokens.words(next, "half of")?;
    (number <= 2 && tokens.digits(end).is_some()).then_some((Partial::HalfYear(number), end))
}

/// "May 3", "May 3rd", "3 May", "the 3rd of May", "May" alone.
fn month_date(tokens: &Tokens<'_>, at: usize, place: Place) -> FoundPartial {
    let start = tokens.words(at, "the").unwrap_or(at);
    if let Some((day, next)) = ordinal(tokens, start)
        .or_else(|| tokens.digits(start).map(|(day, _)| (day.into(), start + 1)))
    {
        let (month, end) = any_month(tokens, tokens.words(next, "of").unwrap_or(next))?;
        return (1..=31)
            .contains(&day)
            .then_some((Partial::MonthDay(month, day), end));
    }
    let (month, next) = any_month(tokens, at)?;
    let next = if tokens.is_sign(next, '.') && tokens.digits(next + 1).is_some() {
        next + 1
    } else {
        next
    };
    let day = ordinal(tokens, next).or_else(|| {
        let (day, digits) = tokens.digits(next)?;
        // "May 8:30" and "May 8pm" are a month beside a time of the clock; nobody writes them.
        (digits <= 2 && numeric::clock(tokens, next).is_none())
            .then_some((i64::from(day), next + 1))
    });
    if let Some((day, end)) = day.filter(|(day, _)| (1..=31).contains(day)) {
        return Some((Partial::MonthDay(month, day), end));
    }
    is_month_alone(tokens, at, place).then_some((Partial::Month(month), at + 1))
}

fn any_month(tokens: &Tokens<'_>, at: usize) -> Option<(i64, usize)> {
    longest(tokens, at, MONTHS).or_else(|| longest(tokens, at, SHORT_MONTHS))
}

/// "may" and "march" are verbs and "mar" is none of both: they need a word before them that a time follows, or a year
/// after; all others are months wherever they stand.
fn is_month_alone(tokens: &Tokens<'_>, at: usize, place: Place) -> bool {
    let opened = at
        .checked_sub(1)
        .and_then(|before| tokens.word(before))
        .is_some_and(|word| OPENERS.contains(&word));
    let year_follows = tokens.digits(at + 1).is_some_and(|(_, digits)| digits == 4);
    let joins = at
        .checked_sub(1)
        .and_then(|before| tokens.word(before))
        .is_some_and(|word| matches!(word, "to" | "and" | "through" | "or"));
    let short = longest(tokens, at, SHORT_MONTHS).is_some();
    let joined = joins || place == Place::Later || tokens.is_sign(at.wrapping_sub(1), '-');
    !short || year_follows || opened || (joined && tokens.is_capital(at))
}

/// "on the 3rd", "the 15th".
fn day_of_month(tokens: &Tokens<'_>, at: usize) -> FoundPartial {
    let start = ["on the", "by the", "the"]
        .iter()
        .find_map(|words| tokens.words(at, words))?;
    tokens.digits(start)?;
    let (day, end) = ordinal(tokens, start).filter(|(day, _)| (1..=31).contains(day))?;
    // "the 3rd floor" is a place, "the 3rd time" a count.
    let counts = tokens.word(end).is_some_and(|word| {
        ![
            "at", "in", "of", "and", "i", "we", "you", "he", "she", "they",
        ]
        .contains(&word)
    });
    (!counts || tokens.word(at) == Some("on")).then_some((Partial::Day(day), end))
}

fn weekday(tokens: &Tokens<'_>, at: usize) -> FoundPartial {
    let start = tokens.words(at, "on").unwrap_or(at);
    // "every Monday" comes again and again.
    let recurs = start
        .checked_sub(1)
        .and_then(|before| tokens.word(before))
        .is_some_and(|word| matches!(word, "every" | "each" | "most"));
    let (day, end) = longest(tokens, start, WEEKDAYS)?;
    let long = tokens.word(start).is_some_and(|word| word.len() > 5);
    (!recurs && (long || tokens.is_capital(start))).then_some((Partial::Weekday(day), end))
}

fn weekend(tokens: &Tokens<'_>, at: usize) -> FoundPartial {
    let end = [
        "over the weekend",
        "on the weekend",
        "at the weekend",
        "the weekend",
    ]
    .iter()
    .find_map(|words| tokens.words(at, words))?;
    Some((Partial::Weekend, end))
}

/// "in (the) summer", "summer 2022", "the summer of 2022", "summer" after another piece.
fn season(tokens: &Tokens<'_>, at: usize, place: Place) -> FoundPartial {
    let opened = ["in the", "during the", "in", "the", "over the"]
        .iter()
        .find_map(|words| tokens.words(at, words));
    let (season, end) = longest(tokens, opened.unwrap_or(at), SEASONS)?;
    let year_follows = tokens
        .digits(tokens.words(end, "of").unwrap_or(end))
        .is_some_and(|(_, digits)| digits == 4);
    let relative_follows =
        english_number(tokens, end).is_some() || tokens.words(end, "before last").is_some();
    // "the fall" is a fall, "in spring" a season.
    let told = tokens.word(at) == Some("in")
        || tokens.word(at) == Some("during")
        || tokens.word(at) == Some("over");
    (told || year_follows || relative_follows || place == Place::Later)
        .then_some((Partial::Season(season), end))
}

/// "5pm", "at 17:30", "5 o'clock", "half past five", "quarter to six", "at 5" before the end or a day.
fn clock(tokens: &Tokens<'_>, at: usize) -> FoundPartial {
    #[rustfmt::skip]
    const PAST: &[(&str, (i64, i64))] = &[
        ("half past", (0, 30)), ("quarter past", (0, 15)), ("a quarter past", (0, 15)), ("quarter to", (-1, 45)),
        ("a quarter to", (-1, 45)),
    ];
    let opened = tokens.words(at, "at");
    let start = opened.unwrap_or(at);
    let clock =
        |found: Option<(Clock, usize)>| found.map(|(clock, next)| (Partial::Clock(clock), next));
    if let Some(found) = clock(numeric::clock(tokens, start)) {
        return Some(found);
    }
    if let Some(((hours, minute), next)) = longest(tokens, start, PAST) {
        let (hour, next) = english_number(tokens, next)?;
        let (half, next) = numeric::half(tokens, next).unwrap_or((Half::Untold, next));
        return clock(Some((Clock::new(hour + hours, Some(minute), half)?, next)));
    }
    let (hour, next) = english_number(tokens, start).filter(|(hour, _)| (1..=12).contains(hour))?;
    if let Some(next) = tokens.words(next, "o'clock") {
        return clock(Some((Clock::new(hour, None, Half::Untold)?, next)));
    }
    if let Some((half, next)) = numeric::half(tokens, next) {
        return clock(Some((Clock::new(hour, None, half)?, next)));
    }
    let closes = tokens.word(next).is_none_or(|word| {
        matches!(
            word,
            "in" | "on" | "and" | "today" | "tonight" | "tomorrow" | "yesterday"
        )
    });
    let told =
        opened.is_some() && closes && tokens.digits(next).is_none() && tokens.han(next).is_none();
    told.then_some((Partial::Clock(Clock::new(hour, None, Half::Untold)?), next))
}
