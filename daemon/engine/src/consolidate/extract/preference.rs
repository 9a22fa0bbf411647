//! Likings and dislikings, and what ends them.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::super::finding::Polarity;
use super::clause::{Language, pattern};

/// What a clause says of a liking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preference {
    /// Like, dislike, or no longer.
    pub polarity: Polarity,
    /// What is liked or not.
    pub object: String,
}

/// What verbs of using say of the thing: "爱吃洋葱圈" is about 洋葱圈.
const USES: &str = "吃|喝|看|听|玩|去|用|穿|读|做|闻|逛";

static FAVOURITE_ZH: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"最(?:喜欢|爱)(?:吃|喝|看|听|玩|去)?的\p{Han}{1,6}?(?:就)?是(?P<o>.+)$")
});
static NO_MORE_ZH: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(?:现在|再也|已经|以后|从此)(?P<a>\p{{Han}}{{0,8}}?)(?:一\p{{Han}}(?:都|也))?(?:不再|不|没)(?:喜欢|爱|想)?(?:{USES})?(?P<o>[^了]*)了$"
    ))
});
static TURNED_ZH: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"以前(?:很|最|挺|特别)?(?:喜欢|爱|讨厌|怕|害怕|天天|总)"));
static NOW_ZH: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?:现在|如今).*(?:喜欢|爱|讨厌|不)|(?:喜欢|爱)上"));
static DISLIKE_ZH: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(?:讨厌|不喜欢|不爱|害怕|最怕|受不了|恨|嫌|更怕|我怕)(?:{USES})?(?P<o>[^，。]+)$"
    ))
});
static BEFORE_ZH: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^(?P<o>.{1,24}?)(?:我|你|他|她)(?:也)?(?:很|最|特别|挺|好|真)?(?:喜欢|爱)(?:吃|喝)?$")
});
static LIKE_ZH: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(?:喜欢|爱(?:{USES})|最爱|热爱|偏爱|迷上|爱上)(?:上)?(?:了)?(?:{USES})?(?P<o>[^，。]+)$"
    ))
});
static GIVEN_UP_EN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:given up|gave up|stopped|quit|gone off|no longer (?:like|love|enjoy|eat|drink)s?) (?P<o>.+)$",
    )
});
static NO_MORE_EN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:don't|do not|doesn't|does not|can't|cannot|can not) (?:like|love|stand|bear|eat|drink|enjoy) (?P<o>.+?) (?:any ?more|any longer|now)\b",
    )
});
static DISLIKE_EN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:hates?|dislikes?|loathes?|detests?|can't stand|cannot stand|can't bear|(?:don't|do not|doesn't|does not) (?:like|enjoy)|(?:am|'m|is) (?:afraid|scared|terrified) of) (?P<o>.+)$",
    )
});
static FAVOURITE_EN: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)\bfavou?rite [\w -]+? (?:is|are|was) (?P<o>.+)$"));
static LIKE_EN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:(?:i|you|we|they)(?: (?:still|really|also|just|only|always|do))? (?:love|like|enjoy|adore|prefer)|\w+(?: (?:still|really|also|just|only|always))? (?:loves|likes|enjoys|adores|prefers)) (?P<o>.+)$",
    )
});
/// An object that names nothing by itself.
static EMPTY_OBJECT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:it|him|her|them|you|me|this|that|these|those|to|what\b.*|how\b.*|that\b.*|它|他|她|你|我|这|那|的.*|了|上)$",
    )
});
/// What follows the object and is no part of it.
static AFTER_OBJECT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i) (?:on an?|when|because|as|so|at night|already|any ?more|now|and i|since|again|at all|a lot|very much|too|either)\b.*$|[了啦呀啊哦～~]+$|(?:的)?最好$",
    )
});

/// What is only supposed is no liking.
static SUPPOSED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)^(?:if|suppose|imagine)\b|要是|如果|假如|假设|倘若"));

/// The liking that a clause tells, if it tells one.
pub fn preference(clause: &str, language: Language) -> Option<Preference> {
    if SUPPOSED.is_match(clause) {
        return None;
    }
    let rules: &[(&LazyLock<Regex>, Polarity)] = match language {
        Language::Chinese => &[
            (&NO_MORE_ZH, Polarity::Correction),
            (&FAVOURITE_ZH, Polarity::Like),
            (&DISLIKE_ZH, Polarity::Dislike),
            (&BEFORE_ZH, Polarity::Like),
            (&LIKE_ZH, Polarity::Like),
        ],
        Language::English => &[
            (&GIVEN_UP_EN, Polarity::Correction),
            (&NO_MORE_EN, Polarity::Correction),
            (&FAVOURITE_EN, Polarity::Like),
            (&DISLIKE_EN, Polarity::Dislike),
            (&LIKE_EN, Polarity::Like),
        ],
    };
    rules.iter().find_map(|(rule, polarity)| {
        let object = object(&rule.captures(clause)?)?;
        Some(Preference {
            polarity: *polarity,
            object,
        })
    })
}

/// Whether a clause tells what was liked once, and another what is so now: together they are a change.
pub fn turned(before: &str, after: &str) -> bool {
    TURNED_ZH.is_match(before) && NOW_ZH.is_match(after)
}

fn object(captures: &Captures<'_>) -> Option<String> {
    let told = captures.name("o")?.as_str().trim();
    let told = AFTER_OBJECT.replace(told, "");
    let told = told.trim().trim_start_matches(['了', '过']).trim();
    // "咖啡一滴都不喝了": what is given up stands before the verb.
    let before = captures
        .name("a")
        .map(|part| part.as_str().trim())
        .unwrap_or_default();
    let told = if told.is_empty() { before } else { told };
    let nameless = told.is_empty() || EMPTY_OBJECT.is_match(told);
    (!nameless).then(|| told.to_owned())
}

/// The one form that a liking of somebody for something is told in, whatever the words were: an alias by which the same
/// liking, or its end, finds it again.
pub fn canonical(subject: &str, polarity: Polarity, object: &str, language: Language) -> String {
    match (language, polarity) {
        (Language::Chinese, Polarity::Like) => format!("{subject}喜欢{object}"),
        (Language::Chinese, _) => format!("{subject}不喜欢{object}"),
        (Language::English, Polarity::Like) => format!("{subject} likes {object}"),
        (Language::English, _) => format!("{subject} dislikes {object}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(clause: &str) -> Option<(Polarity, String)> {
        let language = if clause.is_ascii() {
            Language::English
        } else {
            Language::Chinese
        };
        preference(clause, language).map(|told| (told.polarity, told.object))
    }

    #[test]
    fn likings_are_told_in_many_ways() {
        for (clause, object) in [
            ("我最喜欢的鸟就是震旦鸦雀", "震旦鸦雀"),
            ("我还是喜欢翠鸟", "翠鸟"),
            ("我倒是爱吃洋葱圈", "洋葱圈"),
            ("我最爱吃香辣蟹", "香辣蟹"),
            ("你带的绿豆糕我很喜欢", "你带的绿豆糕"),
            ("苏晚最喜欢绣球花", "绣球花"),
            ("I love flat whites", "flat whites"),
            ("I still love kippers on a Sunday", "kippers"),
            ("Mum's favourite programme is The Archers", "The Archers"),
            ("You like the green jumper", "the green jumper"),
            ("I like coriander again", "coriander"),
            ("I like dogs a lot", "dogs"),
            ("I love tomato soup", "tomato soup"),
            ("I love grilled asparagus", "grilled asparagus"),
            ("我又喜欢香菜了", "香菜"),
        ] {
            assert_eq!(
                told(clause),
                Some((Polarity::Like, object.to_owned())),
                "{clause}"
            );
        }
    }

    #[test]
    fn dislikings_and_fears_are_told_from_likings() {
        for (clause, object) in [
            ("我讨厌生洋葱", "生洋葱"),
            ("我不喜欢吃香菜", "香菜"),
            ("从那以后我最怕电话铃", "电话铃"),
            ("更害怕自动扶梯", "自动扶梯"),
            ("I can't stand The Archers", "The Archers"),
            ("I only hate hot tubs", "hot tubs"),
            ("I don't like coriander", "coriander"),
            ("I don't like dogs at all", "dogs"),
        ] {
            assert_eq!(
                told(clause),
                Some((Polarity::Dislike, object.to_owned())),
                "{clause}"
            );
        }
    }

    #[test]
    fn what_is_no_longer_liked_is_a_correction() {
        for (clause, object) in [
            ("我现在不吃香辣蟹了", "香辣蟹"),
            ("现在咖啡一滴都不喝了", "咖啡"),
            ("I've given up coffee", "coffee"),
            ("I don't like flat whites any more", "flat whites"),
            ("I can't stand kippers any more", "kippers"),
        ] {
            assert_eq!(
                told(clause),
                Some((Polarity::Correction, object.to_owned())),
                "{clause}"
            );
        }
        assert!(turned("我以前讨厌听戏", "现在喜欢上南音了"));
    }

    #[test]
    fn a_liking_for_nothing_that_has_a_name_is_none() {
        for clause in [
            "He hates it already",
            "I don't like it",
            "I'm afraid of what's in them",
            "我喜欢你",
            "If I liked tea",
            "if I like it there",
            "要是我喜欢喝茶就好",
        ] {
            assert_eq!(told(clause), None, "{clause}");
        }
    }
}
