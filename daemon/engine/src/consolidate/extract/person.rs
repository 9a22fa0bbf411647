//! Who and what is named: people, the character's own people, places.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::clause::{Language, is_han, pattern};
use crate::text::is_known_word;

/// Relations that make somebody out of a possessive: 我妈, 你室友.
pub const KIN_ZH: &str = "表哥|表弟|表姐|表妹|堂哥|堂弟|堂姐|堂妹|侄子|侄女|外甥女|外甥|妈妈|爸爸|妈|爸|弟弟|妹妹|哥哥|姐姐|弟|妹|哥|姐|外婆|外公|奶奶|爷爷|阿嬷|阿公|姑姑|舅舅|阿姨|叔叔|女朋友|男朋友|室友|同事|同学|朋友|老公|老婆|儿子|女儿|邻居|老板|师傅|老师";

static OWN_KIN_ZH: LazyLock<Regex> = LazyLock::new(|| pattern(&format!("(?:{KIN_ZH})")));
static TITLED_ZH: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"[赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦许何吕张孔曹严华金魏陶姜谢邹苏潘葛范彭鲁韦马方任袁柳唐罗薛雷贺倪汤滕殷郝安常乐于傅皮卞齐康伍余顾孟黄和穆萧尹姚邵汪祁毛狄米贝明臧成戴谈宋庞熊纪舒屈项祝董梁杜阮蓝闵席季贾路江童颜郭梅盛林钟徐邱骆高夏蔡田樊胡凌霍虞万柯卢莫房解丁邓单杭洪包左石崔吉龚程邢裴陆翁荀羊甄封储靳段富焦巴牧隗山谷车侯宓蓬全班仰秋仲伊宫宁仇栾暴甘厉戎祖武符刘景詹束龙叶幸司韶郜黎溥印怀蒲台从鄂索咸籍赖卓蔺屠蒙池乔阴闻党翟谭贡劳姬申扶堵冉宰郦雍璩桑桂牛寿通边扈燕冀浦尚农温庄晏柴瞿阎充慕连茹习艾鱼容向古易慎戈廖庾终暨居衡步都耿满弘匡国文寇广禄阙东欧阳][\p{Han}]?(?:师傅|老师|医生|教授|经理|主任|先生|女士|阿姨|叔叔)",
    )
});
static ROLE_ZH: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"医生|护士|物业|房东|老板|经理|客户|\bC[TEF]O\b"));
static CALLED_ZH: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?:名叫|取名叫|取名|叫做|叫)\s*(?P<n>[\p{Han}]{2,3}|[A-Za-z][\w-]*)(?:$|[，。,的\s])")
});
static WITH_RELATION_ZH: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(?:{KIN_ZH})(?P<n>\p{{Han}}{{2,3}}?)(?:是|在|说|教|读|住|今天|昨天|要|去|来|给|问)"
    ))
});
static FAMILIAR_ZH: LazyLock<Regex> = LazyLock::new(|| pattern(r"阿\p{Han}"));
static OPENS_ZH: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?P<n>\p{Han}{2,3}?)(?:[零一二三四五六七八九十\d]+月|今天|昨天|前天|明天|是|在|说|下个?月|问|最喜欢|喜欢)",
    )
});
static CAPITALISED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b(?:Dr |Mr |Mrs |Ms )?[A-Z][a-zA-Z'’-]*(?: [A-Z][a-zA-Z-]+)*"));
static PLACE_ZH: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:在|去|到|来|从)(?:了)?(?P<p>[\p{Han}A-Za-z]{0,8}?(?:图书馆|茶馆|游泳馆|体育馆|博物馆|餐馆|饭店|书店|医院|学校|公园|公交站|车站|火车站|机场|广场|软件谷|楼下|楼上|公司|办公室|食堂|厨房|海边|湖边|江边))",
    )
});
static AREA_ZH: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?:在|去|到|来|从)(?:了)?(?P<p>\p{Han}{1,3}(?:洲|岛|山|寺|镇|村|路|街|桥|市|县|省))")
});
static PLACE_EN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:in|at|on|to|from|near|along|round|into) (?P<p>(?:the |my |her |his |our )?(?:[\w-]+ ){0,2}?(?:room|tower|kitchen|shop|station|pier|office|school|hospital|cafe|café|garden|flat|house|bakery|church|library|step|moor|museum|beach|park|gallery|harbour|pub)(?: table)?\b|[A-Z][\w-]+(?: [A-Z][\w-]+)*)",
    )
});
/// A capitalised word after one of these is a place.
static BEFORE_PLACE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i)\b(?:in|at|to|from|near|along|of|into|onto|via|around) (?:the )?$")
});
/// A capitalised word that begins a sentence is a name if one of these follows.
static AFTER_NAME: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:'s |’s | (?:and [A-Z]|is|was|has|had|will|can|came|went|said|says|told|gave|fell|got|took|rang|sends?|wants?|likes?|loves?|hates?|knows?|knew|never|cried|laughed|turned|offered|messaged|spent|owes?|died|\w+ed|\w+s)\b)",
    )
});
/// Words that begin sentences, or are written with a capital, and are nobody's name.
const NO_NAMES: &[&str] = &[
    "i",
    "i'm",
    "i've",
    "i'll",
    "i'd",
    "the",
    "a",
    "an",
    "and",
    "but",
    "so",
    "oh",
    "no",
    "yes",
    "not",
    "my",
    "his",
    "her",
    "she",
    "he",
    "it",
    "we",
    "they",
    "you",
    "your",
    "there",
    "that",
    "this",
    "what",
    "when",
    "nothing",
    "nobody",
    "everybody",
    "someone",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "good",
    "easter",
    "christmas",
    "norwegian",
    "english",
    "god",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "many",
    "most",
    "some",
    "all",
    "few",
    "several",
    "both",
    "every",
    "each",
    "other",
    "these",
    "those",
];
const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Somebody (or something with a name) in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// Where, in bytes.
    pub range: Range<usize>,
    /// What they are called there.
    pub name: String,
}

/// The people and named things in a text, in its order, none overlapping another. `known` names are found wherever they
/// stand.
pub fn people(text: &str, language: Language, known: &BTreeSet<String>) -> Vec<Named> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for name in known.iter().filter(|name| !name.is_empty()) {
        found.extend(
            text.match_indices(name.as_str())
                .map(|(at, hit)| at..at + hit.len())
                .filter(|range| is_whole(text, range)),
        );
    }
    match language {
        Language::Chinese => chinese(text, &mut found),
        Language::English => english(text, &mut found),
    }
    // The longest first where several begin or overlap.
    found.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
    let mut named: Vec<Named> = Vec::new();
    for range in found {
        if named
            .last()
            .is_none_or(|last| last.range.end <= range.start)
        {
            let name = text[range.clone()].trim_end_matches("'s").to_owned();
            named.push(Named { range, name });
        }
    }
    named
}

fn chinese(text: &str, found: &mut Vec<Range<usize>>) {
    let named = |rule: &Regex| -> Vec<Range<usize>> {
        rule.captures_iter(text)
            .filter_map(|captures| captures.name("n").map(|name| name.range()))
            .collect()
    };
    found.extend(named(&CALLED_ZH));
    // Where nothing but the place says that it is a name, no common word is one.
    let guessed = [named(&WITH_RELATION_ZH), named(&OPENS_ZH)].concat();
    found.extend(
        guessed
            .into_iter()
            .filter(|range| is_new_word(&text[range.clone()])),
    );
    let plain = [&OWN_KIN_ZH, &TITLED_ZH, &ROLE_ZH, &FAMILIAR_ZH];
    for rule in plain {
        found.extend(rule.find_iter(text).map(|hit| hit.range()));
    }
}

/// Whether the dictionary lacks a word, and it is no pronoun or particle with something after it.
fn is_new_word(word: &str) -> bool {
    const NO_NAME: &str =
        "我你他她它们的了是在有不没也都还就又才再很最跟和给把被让对向从到说这那打";
    !is_known_word(word) && !word.chars().any(|c| NO_NAME.contains(c))
}

fn english(text: &str, found: &mut Vec<Range<usize>>) {
    for hit in CAPITALISED.find_iter(text) {
        let before = &text[..hit.start()];
        let word = hit.as_str().trim_end_matches("'s").trim_end_matches("’s");
        let first = word.split(' ').next().unwrap_or(word).to_lowercase();
        let opens = before.trim_end().is_empty()
            || before.trim_end().ends_with(['.', '!', '?'])
            || before.ends_with("and ");
        let shouted = word.len() > 1 && word.chars().all(char::is_uppercase);
        let no_name = NO_NAMES.contains(&first.as_str()) || MONTHS.contains(&first.as_str());
        let single = word.chars().count() < 2;
        // "Debugging is fun" speaks of doing, "Nine customers" of how many.
        let doing = opens && word.ends_with("ing");
        if no_name || shouted || single || doing || BEFORE_PLACE.is_match(before) {
            continue;
        }
        let tail = &text[hit.start() + word.len()..];
        if !opens || AFTER_NAME.is_match(tail) || word.contains(' ') {
            found.push(hit.start()..hit.start() + word.len());
        }
    }
}

/// Whether a name says only what somebody is to somebody: 妈妈, 室友, 医生.
pub fn is_kin(name: &str) -> bool {
    let whole = |rule: &Regex| {
        rule.find(name)
            .is_some_and(|hit| hit.range() == (0..name.len()))
    };
    whole(&OWN_KIN_ZH) || whole(&ROLE_ZH)
}

/// Whether a known name stands by itself and is no part of a longer word.
fn is_whole(text: &str, range: &Range<usize>) -> bool {
    let letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() && !is_han(c));
    let starts = text[range.clone()].chars().next();
    if starts.is_some_and(is_han) {
        return true;
    }
    !letter(text[..range.start].chars().next_back()) && !letter(text[range.end..].chars().next())
}

/// Where it was.
pub fn place(text: &str, language: Language) -> Option<String> {
    let rules: &[&LazyLock<Regex>] = match language {
        Language::Chinese => &[&PLACE_ZH, &AREA_ZH],
        Language::English => &[&PLACE_EN],
    };
    rules
        .iter()
        .flat_map(|rule| rule.captures_iter(text))
        .filter_map(|captures| captures.name("p"))
        .map(|place| place.as_str().trim_start_matches("the ").to_owned())
        .find(|place| {
            let lower = place.to_lowercase();
            let first = lower.split(' ').next().unwrap_or_default();
            !NO_NAMES.contains(&first) && !MONTHS.contains(&first)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str, known: &[&str]) -> Vec<String> {
        let language = if text.chars().any(is_han) {
            Language::Chinese
        } else {
            Language::English
        };
        let known = known.iter().map(|name| (*name).to_owned()).collect();
        people(text, language, &known)
            .into_iter()
            .map(|named| named.name)
            .collect()
    }

    #[test]
    fn people_are_found_by_name_by_relation_and_by_being_introduced() {
        assert_eq!(names("今天沈师傅告诉我", &[]), ["沈师傅"]);
        assert_eq!(names("楼上的邻居叫孟凡", &[]), ["邻居", "孟凡"]);
        assert_eq!(
            names("室友周琪是鼓楼医院的护士", &[]),
            ["室友", "周琪", "护士"]
        );
        assert_eq!(names("雨桐十月五号在成都结婚", &[]), ["雨桐"]);
        assert_eq!(names("我打算跟苏晚求婚", &["苏晚"]), ["苏晚"]);
        assert_eq!(names("今天我才带 Bug 去了宠物医院", &["Bug"]), ["Bug"]);
        assert_eq!(names("Debugging is fun", &["Bug"]), Vec::<String>::new());
    }

    #[test]
    fn english_names_are_capitalised_and_neither_days_nor_places() {
        assert_eq!(names("I phoned Nell last night.", &[]), ["Nell"]);
        assert_eq!(
            names(
                "There was a man in the tower, a Norwegian, Henrik Lie.",
                &[]
            ),
            ["Henrik Lie"]
        );
        assert_eq!(names("Poppy has a loose tooth", &[]), ["Poppy"]);
        assert_eq!(
            names("She is going to Shetland in May", &[]),
            Vec::<String>::new()
        );
        assert_eq!(names("Nine customers already", &[]), Vec::<String>::new());
        assert_eq!(names("My editor Gwen said yes on Tuesday", &[]), ["Gwen"]);
    }

    #[test]
    fn a_place_follows_a_preposition() {
        assert_eq!(
            place("我在鸡鸣寺公交站捡的", Language::Chinese).as_deref(),
            Some("鸡鸣寺公交站")
        );
        assert_eq!(
            place("去听松茶馆喝茶", Language::Chinese).as_deref(),
            Some("听松茶馆")
        );
        assert_eq!(
            place("We had cake in the lamp room", Language::English).as_deref(),
            Some("lamp room")
        );
        assert_eq!(place("in May we met", Language::English), None);
    }
}
