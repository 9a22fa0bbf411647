//! What a line asks for.

use std::sync::LazyLock;

use super::cues::{Cues, Found};
use super::normal::Normal;

/// What a question asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum QuestionKind {
    /// A person.
    Who,
    /// A time.
    When,
    /// A place.
    Where,
    /// A stretch of time.
    HowLong,
    /// A number or an amount.
    HowMany,
    /// Whether something is so.
    YesNo,
    /// A thing, a name, a choice.
    What,
    /// A reason.
    Why,
    /// A way or a condition.
    How,
}

use QuestionKind as Q;

static WORDS: LazyLock<Cues<Q>> = LazyLock::new(|| {
    Cues::new([
        (
            Q::When,
            "什么时候|什么时间|啥时候|何时|几时|哪天|哪一天|哪年|哪一年|哪个月|哪个星期|哪周|几月|几号|几点|星期几|周几|礼拜几|几几年|多久以前|多久之前|多久前|when|since when|what time|what day|what date|what year|what month|which day|which year|which month|how long ago|how recently",
        ),
        (
            Q::HowLong,
            "多久|多长时间|多少天|多少年|多少小时|多少个小时|多少分钟|多少个月|多少周|几天|几年|几个月|几周|几个星期|几个小时|几小时|几分钟|how long|for how long|how many years|how many months|how many weeks|how many days|how many hours|how many minutes",
        ),
        (
            Q::HowMany,
            "多少|几个|几次|几位|几只|几本|几条|几种|几岁|几遍|几杯|几家|几口|几件|多大|多高|多重|多远|how many|how much|how often|how old|how tall|how far|how many times",
        ),
        (
            Q::Who,
            "谁|哪位|哪个人|什么人|哪些人|和谁|who|whom|whose|who's|which person|what person",
        ),
        (
            Q::Where,
            "哪里|哪儿|在哪|去哪|到哪|从哪|什么地方|何处|哪个城市|哪个国家|哪座城市|哪个地方|哪家|where|where's|what place|which place|what city|which city|which country|what country|which town",
        ),
        (
            Q::Why,
            "为什么|为啥|为何|干嘛|怎么会|凭什么|什么原因|why|how come|what for|what made",
        ),
        (Q::How, "怎么|怎样|如何|咋|how|how's"),
        (
            Q::What,
            "什么|啥|哪个|哪些|哪种|哪一|哪部|哪本|哪首|哪只|哪款|哪件|叫什么|what|what's|which",
        ),
    ])
});

/// Phrases of Chinese that ask whether.
static WHETHER: LazyLock<Cues<()>> = LazyLock::new(|| {
    Cues::new([(
        (),
        "是不是|有没有|会不会|能不能|要不要|对不对|好不好|行不行|可不可以|是否|还记不记得|记不记得|喜不喜欢|想不想|知不知道|去没去|该不该|难道",
    )])
});

/// Verbs after which a question word asks although the sentence begins otherwise: "Do you know when…".
static ASKING: LazyLock<Cues<()>> = LazyLock::new(|| {
    Cues::new([(
        (),
        "know|remember|recall|tell|say|wonder|wondering|guess|idea|remind|curious|figure out|find out|tells|asked me|asking",
    )])
});

/// Verbs that begin a question of yes or no in English.
const AUXILIARIES: [&str; 46] = [
    "am",
    "is",
    "are",
    "was",
    "were",
    "do",
    "does",
    "did",
    "have",
    "has",
    "had",
    "can",
    "could",
    "will",
    "would",
    "shall",
    "should",
    "may",
    "might",
    "must",
    "isn't",
    "aren't",
    "wasn't",
    "weren't",
    "don't",
    "doesn't",
    "didn't",
    "haven't",
    "hasn't",
    "hadn't",
    "can't",
    "couldn't",
    "won't",
    "wouldn't",
    "shouldn't",
    "ain't",
    "any",
    "ever",
    "is",
    "has",
    "did",
    "anyone",
    "anybody",
    "anything",
    "got",
    "ready",
];

/// Words that may stand before the question itself.
const LEADS: [&str; 18] = [
    "so", "and", "but", "hey", "hi", "oh", "well", "ok", "okay", "also", "then", "wait", "sorry",
    "um", "by", "the", "way", "now",
];

/// What the line asks for, if it asks.
pub(super) fn kind(normal: &Normal) -> Option<Q> {
    let marked = normal.words().any(|word| word == "?");
    let asked = WORDS.first(normal);
    if let Some(found) = asked.filter(|found| asks(normal, found, marked)) {
        return Some(found.meaning);
    }
    (marked || ends_with_particle(normal) || WHETHER.any(normal) || begins_with_auxiliary(normal))
        .then_some(Q::YesNo)
}

/// Whether a question word asks here. "几个" in "买了几个" and "when" in "when we met" do not.
fn asks(normal: &Normal, found: &Found<Q>, marked: bool) -> bool {
    let before = &normal.text[..found.start];
    let after = &normal.text[found.end..];
    if normal.text[found.start..found.end].starts_with(' ') {
        let opens = before.split_ascii_whitespace().all(is_lead);
        let inverted = normal.text[found.start..found.end].ends_with("'s ") || is_inverted(after);
        return (opens && (marked || inverted))
            || asks_before(before)
            || (marked && !begins_with_auxiliary(normal) && is_last_clause(before));
    }
    if is_indefinite(before, after) {
        return false;
    }
    marked || ends_with_particle(normal) || !is_amount_told(normal, found)
}

/// "everybody" and "whatever": 谁都, 什么也, 不管谁.
fn is_indefinite(before: &str, after: &str) -> bool {
    let after = after.trim_start();
    ["都", "也"].iter().any(|sign| after.starts_with(sign))
        || ["不管", "无论", "没", "没有"]
            .iter()
            .any(|sign| before.trim_end().ends_with(sign))
}

/// Without a question mark, "几" and "多少" in a sentence that tells that something was done are "some".
fn is_amount_told(normal: &Normal, found: &Found<Q>) -> bool {
    let before = &normal.text[..found.start];
    matches!(found.meaning, Q::HowMany | Q::HowLong | Q::When)
        && normal.text[found.start..found.end].contains('几')
        && (before.ends_with('了')
            || before.ends_with('这')
            || before.ends_with('过')
            || before.ends_with('好')
            || normal.text.contains('了'))
}

fn is_lead(word: &str) -> bool {
    LEADS.contains(&word)
}

fn asks_before(before: &str) -> bool {
    let tail: String = {
        let words: Vec<&str> = before.split_ascii_whitespace().rev().take(4).collect();
        words
            .into_iter()
            .rev()
            .fold(String::from(" "), |tail, word| tail + word + " ")
    };
    ASKING.any(&Normal { text: tail })
}

/// A question word far into a sentence asks only in its last clause: "You were in Paris for how long?".
fn is_last_clause(before: &str) -> bool {
    before.split_ascii_whitespace().count() <= 12
}

/// After a question word at the beginning an auxiliary follows within a few words: "what did", "how many of them are".
fn is_inverted(after: &str) -> bool {
    after
        .split_ascii_whitespace()
        .take(5)
        .any(|word| AUXILIARIES.contains(&word) || word.ends_with("'s"))
}

fn begins_with_auxiliary(normal: &Normal) -> bool {
    let mut words = normal.words().skip_while(|word| is_lead(word));
    let first = words.next();
    let second = words.next();
    let subject = |word: &str| {
        matches!(
            word,
            "i" | "you"
                | "he"
                | "she"
                | "it"
                | "we"
                | "they"
                | "the"
                | "a"
                | "an"
                | "this"
                | "that"
                | "there"
                | "my"
                | "your"
                | "his"
                | "her"
                | "our"
                | "their"
                | "any"
                | "anyone"
                | "anything"
                | "these"
                | "those"
        )
    };
    match (first, second) {
        (Some(first), Some(second)) => {
            AUXILIARIES.contains(&first) && (subject(second) || normal.contains(" ? "))
        }
        _ => false,
    }
}

fn ends_with_particle(normal: &Normal) -> bool {
    let last = normal.words().rfind(|word| *word != "?" && *word != "!");
    last.is_some_and(|word| {
        word.ends_with(['吗', '么', '呢']) && !word.ends_with("什么") && !word.ends_with("那么")
    })
}
