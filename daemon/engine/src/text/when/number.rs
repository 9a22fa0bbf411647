//! Numbers and amounts as they are written: digits, Chinese numerals, English words, "a few".

use super::token::Tokens;

/// An amount in halves of its unit, exact or from a least to a most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Amount {
    /// The least.
    pub(super) low_halves: i64,
    /// The most; the same for an exact one.
    pub(super) high_halves: i64,
}

impl Amount {
    /// Exactly so many.
    pub(super) fn exact(count: i64) -> Self {
        Self::between(count, count)
    }

    /// From one number to another.
    pub(super) fn between(low: i64, high: i64) -> Self {
        Self {
            low_halves: 2 * low,
            high_halves: 2 * high,
        }
    }

    /// Half a unit.
    pub(super) fn half() -> Self {
        Self {
            low_halves: 1,
            high_halves: 1,
        }
    }

    /// Half a unit more.
    pub(super) fn and_a_half(self) -> Self {
        Self {
            low_halves: self.low_halves + 1,
            high_halves: self.high_halves + 1,
        }
    }

    /// Somewhat more: up to a unit.
    pub(super) fn and_more(self) -> Self {
        Self {
            high_halves: self.high_halves + 2,
            ..self
        }
    }

    /// The number of whole units, if it is exact and whole.
    pub(super) fn whole(self) -> Option<i64> {
        (self.low_halves == self.high_halves && self.low_halves % 2 == 0)
            .then_some(self.low_halves / 2)
    }
}

/// What "a few" is.
const FEW: (i64, i64) = (2, 5);

/// What 几 is: three to nine, and two to those who count loosely.
const SEVERAL: (i64, i64) = (2, 9);

/// The longest run of Chinese numerals that is read: 一千二百三十四.
const MAX_NUMERALS: usize = 8;

/// A number in digits or Chinese numerals, and the place after it.
pub(super) fn number(tokens: &Tokens<'_>, at: usize) -> Option<(i64, usize)> {
    if let Some((value, _)) = tokens.digits(at) {
        return Some((i64::from(value), at + 1));
    }
    numeral_run(tokens, at).and_then(|(numerals, next)| Some((numeral_value(&numerals)?, next)))
}

/// A year in digits or in numerals one by one (二〇二二, 九八): its value and how many digits it is written with.
pub(super) fn year_digits(tokens: &Tokens<'_>, at: usize) -> Option<(i64, u8, usize)> {
    if let Some((value, digits)) = tokens.digits(at) {
        return Some((i64::from(value), digits, at + 1));
    }
    let (numerals, next) = numeral_run(tokens, at)?;
    // 两三年 and 七八年 are how many, and no year.
    if let [low, high] = numerals[..]
        && (low == '两'
            || digit(low)
                .zip(digit(high))
                .is_some_and(|(low, high)| low > 0 && high == low + 1))
    {
        return None;
    }
    let digits: Option<Vec<i64>> = numerals.iter().map(|c| digit(*c)).collect();
    let digits = digits.filter(|digits| matches!(digits.len(), 2 | 4))?;
    let value = digits.iter().fold(0, |value, digit| value * 10 + digit);
    Some((value, digits.len() as u8, next))
}

/// An amount in Chinese, before its unit and measure word: 三, 几, 半, 十几.
pub(super) fn chinese_amount(tokens: &Tokens<'_>, at: usize) -> Option<(Amount, usize)> {
    match tokens.han(at) {
        Some('半') => return Some((Amount::half(), at + 1)),
        Some('几' | '数') => return Some((Amount::between(SEVERAL.0, SEVERAL.1), at + 1)),
        Some('好') if tokens.han(at + 1) == Some('几') => {
            return Some((Amount::between(FEW.1 - 1, SEVERAL.1), at + 2));
        }
        _ => {}
    }
    if tokens.han(at) == Some('十') && tokens.han(at + 1) == Some('几') {
        return Some((Amount::between(11, 19), at + 2));
    }
    // Two numerals side by side are "about": 三四天, 七八年.
    if let (Some(low), Some(high)) = (
        tokens.han(at).and_then(digit),
        tokens.han(at + 1).and_then(digit),
    ) {
        let alone = tokens.han(at + 2).is_none_or(|c| digit(c).is_none());
        return (alone && high == low + 1).then_some((Amount::between(low, high), at + 2));
    }
    let (count, next) = number(tokens, at)?;
    Some((Amount::exact(count), next))
}

/// An amount in English, before its unit: `3`, `two`, `a`, `half a`, `a couple of`, `a few`, `several`.
pub(super) fn english_amount(tokens: &Tokens<'_>, at: usize) -> Option<(Amount, usize)> {
    #[rustfmt::skip]
    const PHRASES: [(&str, (i64, i64)); 10] = [
        ("a couple of", (2, 2)),
        ("a couple", (2, 2)),
        ("couple of", (2, 2)),
        ("quite a few", (4, 9)),
        ("a few", FEW),
        ("few", FEW),
        ("several", (3, 9)),
        ("some", (2, 9)),
        ("a", (1, 1)),
        ("an", (1, 1)),
    ];
    for half in ["half a", "half an", "a half"] {
        if let Some(next) = tokens.words(at, half) {
            return Some((Amount::half(), next));
        }
    }
    let phrase = PHRASES.iter().find_map(|(phrase, (low, high))| {
        Some((Amount::between(*low, *high), tokens.words(at, phrase)?))
    });
    phrase.or_else(|| {
        let (count, next) = english_number(tokens, at)?;
        Some((Amount::exact(count), next))
    })
}

/// A number in digits or an English word.
pub(super) fn english_number(tokens: &Tokens<'_>, at: usize) -> Option<(i64, usize)> {
    #[rustfmt::skip]
    const WORDS: [(&str, i64); 20] = [
        ("one", 1), ("two", 2), ("three", 3), ("four", 4), ("five", 5), ("six", 6), ("seven", 7), ("eight", 8),
        ("nine", 9), ("ten", 10), ("eleven", 11), ("twelve", 12), ("thirteen", 13), ("fourteen", 14),
        ("fifteen", 15), ("twenty", 20), ("thirty", 30), ("forty", 40), ("fifty", 50), ("sixty", 60),
    ];
    if let Some((value, _)) = tokens.digits(at) {
        return Some((i64::from(value), at + 1));
    }
    let word = tokens.word(at)?;
    WORDS
        .iter()
        .find(|(name, _)| *name == word)
        .map(|(_, value)| (*value, at + 1))
}

/// An ordinal of English: `3rd`, `third`.
pub(super) fn ordinal(tokens: &Tokens<'_>, at: usize) -> Option<(i64, usize)> {
    #[rustfmt::skip]
    const WORDS: [&str; 12] = [
        "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
        "twelfth",
    ];
    if let Some((value, _)) = tokens.digits(at) {
        let suffix = tokens.word(at + 1).filter(|_| tokens.touches(at + 1))?;
        return matches!(suffix, "st" | "nd" | "rd" | "th").then_some((i64::from(value), at + 2));
    }
    let word = tokens.word(at)?;
    let place = WORDS.iter().position(|ordinal| *ordinal == word)?;
    Some((i64::try_from(place).ok()? + 1, at + 1))
}

fn numeral_run(tokens: &Tokens<'_>, at: usize) -> Option<(Vec<char>, usize)> {
    let is_numeral = |c: &char| digit(*c).is_some() || unit(*c).is_some() || tens(*c).is_some();
    let numerals: Vec<char> = (at..at + MAX_NUMERALS)
        .map_while(|place| tokens.han(place).filter(is_numeral))
        .collect();
    let next = at + numerals.len();
    (!numerals.is_empty()).then_some((numerals, next))
}

/// The value of Chinese numerals: 二十三, 一百零五, 廿八; digits one by one only up to one.
fn numeral_value(numerals: &[char]) -> Option<i64> {
    let mut total = 0;
    let mut pending: Option<i64> = None;
    for c in numerals {
        if let Some(value) = digit(*c) {
            if pending.is_some_and(|before| before != 0) {
                return None;
            }
            pending = Some(value);
        } else if let Some(value) = tens(*c) {
            total += value;
        } else {
            let unit = unit(*c)?;
            total += pending.take().unwrap_or(1) * unit;
        }
    }
    Some(total + pending.unwrap_or(0))
}

fn digit(c: char) -> Option<i64> {
    Some(match c {
        '〇' | '零' => 0,
        '一' | '壹' => 1,
        '二' | '两' | '贰' => 2,
        '三' => 3,
        '四' => 4,
        '五' => 5,
        '六' => 6,
        '七' => 7,
        '八' => 8,
        '九' => 9,
        _ => return None,
    })
}

fn unit(c: char) -> Option<i64> {
    Some(match c {
        '十' => 10,
        '百' => 100,
        '千' => 1000,
        _ => return None,
    })
}

fn tens(c: char) -> Option<i64> {
    Some(match c {
        '廿' => 20,
        '卅' => 30,
        _ => return None,
    })
}
