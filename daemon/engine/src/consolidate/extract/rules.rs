//! What kind of statement a clause is: a promise, a habit, a fact, or something that happened.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use super::clause::{Language, pattern};
use crate::text::{Segmenter, TokenKind};

static PROMISE_ZH: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:我|咱)?(?:答应|保证|发誓|承诺)|说定了|一言为定|一定(?:送|给|去|来|帮|做|还|带|到)|(?:下|明|后|周|星期|礼拜|晚上|今晚).*我请你|我(?:会|来|去|就)?(?:给|帮|替|陪|教)(?:你|她|他|你们)[^了过]*$",
    )
});
static NOT_PROMISED_ZH: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"没答应|不答应|不敢保证|没法保证|[了过]$"));
static PROMISE_EN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:I|we) (?:do )?(?:promised?|swear|vow|guarantee)\b|\bI give you my word\b|\b(?:I'll|I will|we'll) (?:\w+ )?(?:fetch|bring|send|help|call|post|make|get|give|show|take|pick|lend|write|teach|meet|pay|buy|cook|tell|drive|phone|visit) (?:\w+ ){0,2}?(?:you|her|him|them)\b|\bI won't tell\b",
    )
});
static HABIT_ZH: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"我一\p{Han}{1,4}就|(?:\p{Han}{1,6}一\p{Han}{1,2})(?:我)?就|(?:看到|看见|遇到|碰到|听到|听见|想到|每次|每当|只要).*(?:我|就|都)|^我(?:总是|总|习惯|通常|一般|每天|天天|从来都)",
    )
});
static HABIT_EN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:I|I'm) (?:\w+ )?(?:always|usually|normally|tend to)\b|\b(?:when(?:ever)?|every time|each time|if) I\b.*\bI\b|\bI (?:always|usually)\b",
    )
});
static FACT_ZH: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"是|叫|姓|属|住在|住|来自|在.{1,8}(?:读|念|教|工作|上班|上学|做事|当)|对.{1,8}过敏|查出|患|今年.{1,5}$|个月大|岁$|岁了|(?:不)?(?:识字|认得|认识|懂)|会(?:说|做|弹|写|修|唱|游)|从不|从来|一直|养了?\p{Han}|有(?:[一两三几]|个|只|孩子|猫|狗)|没跟|读\p{Han}{2}|开\p{Han}{1,6}店|.年没",
    )
});
static FACT_EN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:is|are|am|was born|died|has|have|had known|'d known|works?|lives?|plays?|studies|teaches|keeps?|owns?|wants?|needs?|knows?|speaks?|comes from|means|runs a)\b|\b(?:I'm|I've|he's|she's|they're|we're)\b|\b[A-Z]\w+'s (?:a|an|the|in|at|on|my|her|his|from|not|\w+ing|\w+ed)\b",
    )
});
/// A wish or a state that stays one even where a time is told with it.
static LASTING_EN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i)\b(?:wants?|would like) |\b(?:died|was born|were born) in \d{3,4}|\bsince\b")
});
static LASTING_ZH: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"今年\s*[0-9零一二三四五六七八九十百]+岁?$|.年没|过敏"));
static HAPPENED_ZH: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"了(?:[一二三四五六七八九十百千两几半\d]|好几)|把.{1,12}了|\p{Han}{2,}过(?:去)?$|^(?:我|他|她|它|我们).{1,6}了\p{Han}{2}",
    )
});
static PAST_EN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:was|were|had|did|didn't|went|came|got|told|said|gave|took|made|found|bought|sold|burnt|fell|ran|wound|put|saw|met|left|lost|won|broke|ate|wrote|read|spoke|knew|thought|felt|brought|taught|caught|built|cut|drove|flew|slept|stood|swam|threw|woke|wore|rang|\w{2,}ed)\b",
    )
});
/// "is called" tells what is, not what was.
static PASSIVE_EN: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)(?:\b(?:is|are|am)|['’](?:s|re|m)) (?:\w+ )?\w{2,}ed\b"));
static STATE_EN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:I'm|I’m|I am) (?:afraid|scared|terrified|allergic|used|married|engaged|vegetarian)\b",
    )
});
static SUBJECT_EN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:and |but |so )?(?i:i|he|she|it|we|they|you|my|his|her|their|our|your|the|a|an|there|this|that)\b|^(?:and |but |so )?[A-Z][\w'’-]+",
    )
});
/// "curry's here", "noted": something is, but nobody and nothing that is named.
static NAMED_SUBJECT_EN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:and |but |so |because |he said |she said )?(?:(?i:i|i'm|i've|he|she|they|we|his|her|my|their|our|your|the)\b|[A-Z][\w-]+(?:'s|’s)?(?: [A-Z][\w-]+)* )",
    )
});
static FEELS_EN: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\bI (?:feel|felt) \w+"));

/// Content words that a statement needs to be a fact, and to be something that happened where no time is told.
const FACT_WORDS: usize = 2;
const EVENT_WORDS: usize = 4;

/// Whether somebody gives their word.
pub fn promises(clause: &str, language: Language) -> bool {
    match language {
        Language::Chinese => {
            PROMISE_ZH.is_match(clause) && !NOT_PROMISED_ZH.is_match(clause)
                || clause.contains("说定了")
        }
        Language::English => PROMISE_EN.is_match(clause),
    }
}

/// Whether it tells what somebody tends to do.
pub fn tells_habit(clause: &str, language: Language) -> bool {
    match language {
        Language::Chinese => HABIT_ZH.is_match(clause),
        Language::English => HABIT_EN.is_match(clause),
    }
}

/// Whether it tells what is so.
pub fn tells_fact(clause: &str, language: Language) -> bool {
    let needed = if STATE_EN.is_match(clause) {
        1
    } else {
        FACT_WORDS
    };
    content_words(clause) >= needed
        && match language {
            Language::Chinese => FACT_ZH.is_match(clause),
            Language::English => NAMED_SUBJECT_EN.is_match(clause) && FACT_EN.is_match(clause),
        }
}

/// Whether what is told stays so, whatever time is told with it.
pub fn lasts(clause: &str, language: Language) -> bool {
    match language {
        Language::Chinese => LASTING_ZH.is_match(clause),
        Language::English => LASTING_EN.is_match(clause),
    }
}

/// Whether it tells something that happened, by its verbs alone. `felt`: whether a feeling is told with it.
pub fn happened(clause: &str, language: Language, felt: bool) -> bool {
    let needed = if felt { 1 } else { EVENT_WORDS };
    match language {
        Language::Chinese => HAPPENED_ZH.is_match(clause) && content_words(clause) >= FACT_WORDS,
        Language::English => {
            let active = PASSIVE_EN.replace_all(clause, " ");
            let told = PAST_EN.is_match(&active) || FEELS_EN.is_match(clause);
            told && SUBJECT_EN.is_match(clause) && content_words(clause) >= needed
        }
    }
}

/// Whether an English clause has a verb that tells what was, is or will be.
pub fn has_verb(clause: &str) -> bool {
    static COMING: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)\b(?:will|'ll|starts?|gets?|goes|go|comes?|leaves?|meets?|opens?|ends?|\w{2,}ing)\b",
        )
    });
    PAST_EN.is_match(clause) || FACT_EN.is_match(clause) || COMING.is_match(clause)
}

/// How many words of a text are no function words.
pub fn content_words(text: &str) -> usize {
    let mut places = BTreeSet::new();
    Segmenter::new().for_each_token(text, |token| {
        // A word and its stem stand at one place.
        if matches!(
            token.kind,
            TokenKind::Word | TokenKind::Stem | TokenKind::Name
        ) {
            places.insert(token.range.start);
        }
    });
    places.len()
}

static PAIN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)坏了|漏水|报错|出错|卡住|失败|不行|故障|丢了|摔|\bbug\b|问题|\b(?:broken?|broke down|crash(?:ed|es)|failed|stuck|error|problem|leak(?:s|ed|ing)?|wouldn't|couldn't)\b",
    )
});
static SOLUTION: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)原来是|改成|换成|换了|重启|解决|修好|修复|用.{1,10}(?:就|才)(?:好|行)|后来.{1,12}了|\b(?:fix(?:ed)?|solved|replaced|rebooted|restarted|switched to|turned out|by using|instead)\b",
    )
});
static OUTCOME: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)好了|就好|成功|终于|跑通|没再|正常|\b(?:works? (?:now|again|fine)|worked|finally|at last|no longer|never (?:again|came back)|runs again)\b",
    )
});

/// What part of a lesson a clause is: what went wrong, what was done about it, what came of that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lesson {
    /// What went wrong.
    Pain,
    /// What was done about it.
    Solution,
    /// What came of that.
    Outcome,
}

/// The part of a lesson that a clause is, if it is one.
pub fn lesson(clause: &str) -> Option<Lesson> {
    if SOLUTION.is_match(clause) {
        Some(Lesson::Solution)
    } else if OUTCOME.is_match(clause) {
        Some(Lesson::Outcome)
    } else if PAIN.is_match(clause) {
        Some(Lesson::Pain)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn promises_are_given_in_the_first_person() {
        for clause in [
            "我答应你去问问床位",
            "保证能跑",
            "说定了",
            "一定送到",
            "我给她留位子",
            "下周六我请你去喝茶",
        ] {
            assert!(promises(clause, Language::Chinese), "{clause}");
        }
        for clause in ["你请客我就去", "他给我打电话了", "我给他买了一本书"] {
            assert!(!promises(clause, Language::Chinese), "{clause}");
        }
        for clause in [
            "I promise to post you a tin of parkin",
            "I'll fetch you in the Tin",
            "I won't tell a soul",
        ] {
            assert!(promises(clause, Language::English), "{clause}");
        }
        for clause in ["so that's one promise kept", "I'll watch the door"] {
            assert!(!promises(clause, Language::English), "{clause}");
        }
    }

    #[test]
    fn habits_have_a_trigger_or_an_adverb() {
        for clause in [
            "我一慌就搓手指",
            "纸一湿我就用吸水纸夹起来",
            "看到扶梯我就绕去走楼梯",
        ] {
            assert!(tells_habit(clause, Language::Chinese), "{clause}");
        }
        assert!(!tells_habit("你请客我就去", Language::Chinese));
        for clause in [
            "I always put the clock right by hand",
            "When I see an official coming up the hill I usually polish something",
        ] {
            assert!(tells_habit(clause, Language::English), "{clause}");
        }
    }

    #[test]
    fn facts_are_about_somebody_or_something() {
        for clause in [
            "我室友周琪是鼓楼医院的护士",
            "我弟阿海在青岛读海洋生物",
            "我对花粉过敏",
            "体检查出尿酸高",
        ] {
            assert!(tells_fact(clause, Language::Chinese), "{clause}");
        }
        for clause in [
            "My new flatmate is called Idris and he plays the trumpet",
            "Poppy has a loose tooth",
        ] {
            assert!(tells_fact(clause, Language::English), "{clause}");
        }
        assert!(!tells_fact("curry's here", Language::English));
    }

    #[test]
    fn what_happened_has_an_object_or_enough_to_say() {
        for clause in ["我赔了两百块", "它把医生挠了", "湿了三张雁皮纸"] {
            assert!(happened(clause, Language::Chinese, false), "{clause}");
        }
        for clause in ["睡了", "都过十二点了", "上班去了", "太好了"] {
            assert!(!happened(clause, Language::Chinese, false), "{clause}");
        }
        assert!(!happened("I checked twice", Language::English, false));
        assert!(happened("I was nervous", Language::English, true));
    }
}
