//! Telling in the third person what was said in the first: a note must stand by itself.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::clause::{Language, pattern};
use super::person::KIN_ZH;

/// Who is meant by the pronouns of a message.
#[derive(Debug, Clone, Copy, Default)]
pub struct Roles<'t> {
    /// "I"; empty where it is not known who speaks.
    pub speaker: &'t str,
    /// "You"; empty where it is not known who listens.
    pub listener: &'t str,
    /// "He", "she" or "it" at the beginning of a clause, where the message has named them.
    pub third: Option<&'t str>,
}

static PRONOUN_ZH: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(?P<own>自)?(?P<who>我|你)(?P<many>们)?(?P<of>的)?(?P<kin>(?:{KIN_ZH}))?"
    ))
});
static THIRD_ZH: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(?:他|她|它)(?P<many>们)?"));
static FIRST_EN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?P<who>I|[Yy]ou)(?P<short>['’](?:m|ve|ll|d|re))?\b(?: (?P<adverb>still|always|usually|really|also|only|just|never|often|now))?(?: (?P<verb>[a-z]+(?:['’]t)?))?",
    )
});
static OWN_EN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"\b(?P<who>[Mm]yself|[Mm]ine|[Mm]y|me|[Yy]ourself|[Yy]ours|[Yy]our)\b")
});
static THIRD_EN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^(?:(?P<s>He|She|It|he|she|it)\b|(?P<p>His|Her|Its|his|her|its)\b)")
});

/// Verbs that people use of themselves in the present; of all others the form tells the past.
const PRESENT: [&str; 30] = [
    "love", "like", "hate", "want", "need", "prefer", "feel", "keep", "live", "work", "promise",
    "start", "know", "think", "mean", "enjoy", "see", "get", "go", "play", "teach", "study", "own",
    "run", "polish", "listen", "collect", "drink", "eat", "remember",
];

/// The text as somebody else tells it.
pub fn retold<'t>(text: &'t str, language: Language, roles: Roles<'_>) -> Cow<'t, str> {
    match language {
        Language::Chinese => chinese(text, roles),
        Language::English => english(text, roles),
    }
}

/// Whether it speaks of whoever speaks.
pub fn in_first_person(text: &str, language: Language) -> bool {
    static FIRST: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"\b(?:I|[Mm]y|me|[Mm]yself|[Ww]e|us|[Oo]ur)\b"));
    match language {
        Language::Chinese => text.contains('我'),
        Language::English => FIRST.is_match(text),
    }
}

/// Whether it speaks of whoever listens.
pub fn in_second_person(text: &str, language: Language) -> bool {
    static SECOND: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"\b(?:[Yy]ou|[Yy]our|[Yy]ourself)\b"));
    match language {
        Language::Chinese => text.contains('你'),
        Language::English => SECOND.is_match(text),
    }
}

/// The pronoun that a clause begins with, if it does.
pub fn begins_with_third(text: &str) -> bool {
    THIRD_ZH.is_match(text) || THIRD_EN.is_match(text)
}

fn chinese<'t>(text: &'t str, roles: Roles<'_>) -> Cow<'t, str> {
    let text = match roles.third {
        Some(third) => THIRD_ZH.replace(text, |found: &Captures<'_>| {
            if found.name("many").is_some() {
                found[0].to_owned()
            } else {
                third.to_owned()
            }
        }),
        None => Cow::Borrowed(text),
    };
    let told = PRONOUN_ZH.replace_all(&text, |found: &Captures<'_>| {
        let who = if &found["who"] == "我" {
            roles.speaker
        } else {
            roles.listener
        };
        let stays = who.is_empty() || found.name("many").is_some() || found.name("own").is_some();
        if stays {
            return found[0].to_owned();
        }
        let kin = found.name("kin").map_or("", |kin| kin.as_str());
        let of = if found.name("of").is_some() || !kin.is_empty() {
            "的"
        } else {
            ""
        };
        format!("{who}{of}{kin}")
    });
    Cow::Owned(told.into_owned())
}

fn english<'t>(text: &'t str, roles: Roles<'_>) -> Cow<'t, str> {
    let text = match roles.third {
        Some(third) => THIRD_EN.replace(text, |found: &Captures<'_>| {
            if found.name("p").is_some() {
                format!("{third}'s")
            } else {
                third.to_owned()
            }
        }),
        None => Cow::Borrowed(text),
    };
    let told = FIRST_EN.replace_all(&text, |found: &Captures<'_>| {
        let who = if &found["who"] == "I" {
            roles.speaker
        } else {
            roles.listener
        };
        if who.is_empty() {
            return found[0].to_owned();
        }
        third_person(who, found)
    });
    let told = OWN_EN.replace_all(&told, |found: &Captures<'_>| {
        let own = found["who"].to_lowercase();
        let who = if own.starts_with('m') {
            roles.speaker
        } else {
            roles.listener
        };
        match own.as_str() {
            _ if who.is_empty() => found[0].to_owned(),
            "me" | "myself" | "yourself" => who.to_owned(),
            _ => format!("{who}'s"),
        }
    });
    Cow::Owned(told.into_owned())
}

fn third_person(who: &str, found: &Captures<'_>) -> String {
    let mut told = who.to_owned();
    let short = found
        .name("short")
        .map(|short| &short.as_str()[short.as_str().len() - 1..]);
    match short {
        // 've and 're end alike; only "you" can have both.
        Some("e") if found["short"].contains('v') => told.push_str(" has"),
        Some("m" | "e") => told.push_str(" is"),
        Some("l") => told.push_str(" will"),
        Some("d") => told.push_str(" had"),
        _ => {}
    }
    if let Some(adverb) = found.name("adverb") {
        told.push(' ');
        told.push_str(adverb.as_str());
    }
    if let Some(verb) = found.name("verb") {
        told.push(' ');
        if short.is_some() {
            told.push_str(verb.as_str());
        } else {
            told.push_str(&conjugated(verb.as_str()));
        }
    }
    told
}

fn conjugated(verb: &str) -> Cow<'_, str> {
    match verb {
        "am" | "are" => "is".into(),
        "have" => "has".into(),
        "do" => "does".into(),
        "don't" | "don’t" => "doesn't".into(),
        "haven't" | "haven’t" => "hasn't".into(),
        "were" => "was".into(),
        _ if !PRESENT.contains(&verb) => verb.into(),
        _ if verb.ends_with("ch") || verb.ends_with("sh") || verb.ends_with('o') => {
            format!("{verb}es").into()
        }
        "study" => "studies".into(),
        _ => format!("{verb}s").into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ZHE: Roles<'static> = Roles {
        speaker: "阿哲",
        listener: "小红",
        third: None,
    };
    const PRIYA: Roles<'static> = Roles {
        speaker: "Priya",
        listener: "Tom",
        third: None,
    };

    #[test]
    fn chinese_pronouns_become_names() {
        let told = |text| retold(text, Language::Chinese, ZHE).into_owned();
        assert_eq!(told("我妈下个月来南京"), "阿哲的妈下个月来南京");
        assert_eq!(told("你泡的肉桂我回甘到现在"), "小红泡的肉桂阿哲回甘到现在");
        assert_eq!(told("我的新公司"), "阿哲的新公司");
        assert_eq!(told("我们的自我介绍"), "我们的自我介绍");
        let third = Roles {
            third: Some("Bug"),
            ..ZHE
        };
        assert_eq!(
            retold("它大概四个月大", Language::Chinese, third),
            "Bug大概四个月大"
        );
    }

    #[test]
    fn english_verbs_follow_their_new_subject() {
        let told = |text| retold(text, Language::English, PRIYA).into_owned();
        assert_eq!(told("I love flat whites"), "Priya loves flat whites");
        assert_eq!(
            told("I'm allergic to walnuts"),
            "Priya is allergic to walnuts"
        );
        assert_eq!(told("I've given up coffee"), "Priya has given up coffee");
        assert_eq!(told("I don't like it"), "Priya doesn't like it");
        assert_eq!(told("I still love kippers"), "Priya still loves kippers");
        assert_eq!(told("I ran the 10K with you"), "Priya ran the 10K with Tom");
        assert_eq!(
            told("My dad likes your boat"),
            "Priya's dad likes Tom's boat"
        );
        let third = Roles {
            third: Some("Henrik Lie"),
            ..PRIYA
        };
        assert_eq!(
            retold("He is Constance's grandson", Language::English, third),
            "Henrik Lie is Constance's grandson"
        );
    }

    #[test]
    fn without_a_name_nothing_is_changed() {
        let nobody = Roles::default();
        assert_eq!(retold("我喜欢你", Language::Chinese, nobody), "我喜欢你");
        assert_eq!(
            retold("I love my dog", Language::English, nobody),
            "I love my dog"
        );
    }
}
