//! One sentence, understood: what kind each clause is, told in the third person, with who and when.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use jiff::Timestamp;
use regex::Regex;

use super::clause::{Language, Sentence, pattern};
use super::feeling::feelings;
use super::moment::{self, Tense};
use super::person::{self, people};
use super::preference::{Preference, preference, turned};
use super::retell::{Roles, begins_with_third, in_first_person, in_second_person, retold};
use super::rules;
use super::talk::as_told;
use crate::consolidate::finding::{Polarity, Utterance};
use crate::model::TimeSpan;
use crate::text::Grain;

/// What a clause is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A liking or disliking, or the end of one.
    Preference(Preference),
    /// Somebody's word.
    Promise,
    /// What somebody tends to do.
    Habit,
    /// What is so.
    Fact,
    /// Something that happened or will.
    Event,
    /// Nothing by itself; it belongs to the clause before or after it.
    Rest,
}

/// A clause, understood.
#[derive(Debug, Clone)]
pub struct Clause {
    /// What it is.
    pub kind: Kind,
    /// As somebody else tells it.
    pub told: String,
    /// The times that it tells, at their places in what was said.
    pub times: Vec<moment::Told>,
}

/// A sentence, understood.
#[derive(Debug, Clone)]
pub struct Told<'t> {
    /// Its language.
    pub language: Language,
    /// As it was said.
    pub said: &'t str,
    /// As somebody else tells it.
    pub retold: String,
    /// Its clauses.
    pub clauses: Vec<Clause>,
    /// Who took part, whoever talks among them where they did.
    pub participants: Vec<String>,
    /// Whether it says of something told before that it was otherwise.
    pub corrects: bool,
}

static CORRECTS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)更正|纠正|说错|记错|不是.{1,10}(?:去|来|到|买|吃|做)的|其实是|\bcorrection\b|\bI meant\b|\bI was wrong\b|\bactually,? it (?:was|is)\b",
    )
});
static DENIED: LazyLock<Regex> = LazyLock::new(|| pattern(r"^不是|\bnot on\b"));
static FUTURE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)要|打算|准备|会|将|请你|下(?:个)?(?:周|月|星期)|明|后天|退休|\b(?:will|'ll|going to|coming|meeting|sending|start|starts|gets in|promise|bring|next|tomorrow)\b",
    )
});
static PAST: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)了|过|昨|前天|上(?:个)?(?:周|月|星期)|去年|终于|的$|\b(?:was|were|had|did|didn't|went|came|got|told|said|gave|took|made|found|bought|sold|ran|met|last|ago|yesterday|\w{2,}ed)\b",
    )
});
static THIRD_INSIDE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b(?:[Hh]e|[Ss]he|[Hh]im|[Hh]er|[Hh]is)\b|他|她|它"));
static NOW: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^(?i:现在|目前|如今|以前|从前|now|nowadays)$"));
static AGE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"今年\s*[0-9零一二三四五六七八九十百]+岁?$"));
static CALLED_EN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?P<r>(?:[Mm]y|[Hh]is|[Hh]er|[Tt]he) [\w -]{2,40}?) (?:is |was )?(?:called|named) (?P<n>[A-Z][\w-]+)",
    )
});
static OWN_EN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?P<r>[Mm]y (?:new |old )?(?:editor|boss|aunt|uncle|friend|flatmate|neighbour|brother|sister|cousin|colleague|partner|wife|husband|son|daughter|niece|nephew|teacher|cat|dog)) (?P<n>[A-Z][\w-]+)\b",
    )
});
static CALLED_ZH: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?P<r>[\p{Han}]{1,10}?)(?:名叫|叫做|叫)\s*(?P<n>[\p{Han}]{2,3}|[A-Za-z][\w-]*)$")
});
static OWN_ZH: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?P<r>(?:我|你)的?(?:室友|同事|同学|朋友|女朋友|男朋友|弟弟|妹妹|哥哥|姐姐|[表堂][哥弟姐妹]|侄子|侄女|外甥女|外甥|弟|妹|哥|姐|邻居|老板))(?P<n>\p{Han}{2,3}?)(?:是|在|说|教|读|住|今年|去年|今天|昨天|最近|刚|考)",
    )
});
/// What may stand where a name would, and is none: "我同事昨天在…".
static NO_NAME_ZH: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:昨|今|明天|前天|后天|去年|最近|现在|以前|刚|一直|已经|经常|总|也|都|就|还|又|不|正|常)",
    )
});

impl<'t> Told<'t> {
    /// Understands a sentence. `third` is whom its first "he", "she" or "it" means, where the message has told.
    pub fn new(
        sentence: &Sentence<'t>,
        said: &Utterance<'_>,
        third: Option<&str>,
        known: &BTreeSet<String>,
    ) -> Self {
        let named = people(sentence.text, sentence.language, known);
        let called: Vec<String> = named
            .iter()
            .map(|named| as_told(named, sentence, said))
            .collect();
        let mut clauses: Vec<Clause> = Vec::new();
        for (place, range) in sentence.clauses.iter().enumerate() {
            // Whom the clause means: the last one named before it, in the sentence or else in the message.
            let before = named
                .iter()
                .zip(&called)
                .filter(|(named, _)| {
                    named.range.end <= range.start
                        && named.name != said.speaker
                        && named.name != said.listener
                })
                .map(|(_, name)| name.as_str())
                .next_back();
            let roles = Roles {
                speaker: said.speaker,
                listener: said.listener,
                third: before.or(third),
            };
            let text = sentence.clause(place);
            clauses.push(Clause::new(text, sentence.language, said, roles));
        }
        mark_turn(sentence, &mut clauses);
        mark_dated(sentence, &mut clauses);
        let mut told = Self {
            language: sentence.language,
            said: sentence.text,
            retold: String::new(),
            clauses,
            participants: Vec::new(),
            corrects: CORRECTS.is_match(sentence.text),
        };
        told.retold = told.whole(sentence, said);
        told.name_participants(sentence, said, third, called);
        told
    }

    /// The sentence with each clause as it is told.
    fn whole(&self, sentence: &Sentence<'_>, said: &Utterance<'_>) -> String {
        let roles = Roles {
            speaker: said.speaker,
            listener: said.listener,
            third: None,
        };
        let between = |range| {
            retold(
                sentence.text.get(range).unwrap_or_default(),
                sentence.language,
                roles,
            )
        };
        let mut whole = String::new();
        let mut at = 0;
        for (clause, range) in self.clauses.iter().zip(&sentence.clauses) {
            whole.push_str(&between(at..range.start));
            whole.push_str(&clause.told);
            at = range.end;
        }
        whole.push_str(&between(at..sentence.text.len()));
        whole.trim().to_owned()
    }

    fn name_participants(
        &mut self,
        sentence: &Sentence<'_>,
        said: &Utterance<'_>,
        third: Option<&str>,
        names: Vec<String>,
    ) {
        let mut all: Vec<String> = Vec::new();
        if in_first_person(sentence.text, sentence.language) {
            all.push(said.speaker.to_owned());
        }
        if in_second_person(sentence.text, sentence.language) {
            all.push(said.listener.to_owned());
        }
        if THIRD_INSIDE.is_match(sentence.text) || begins_with_third(sentence.text) {
            all.extend(third.map(str::to_owned));
        }
        all.extend(names);
        for name in all {
            if !name.is_empty() && !self.participants.contains(&name) {
                self.participants.push(name);
            }
        }
    }

    /// When what it tells was, where it is past.
    pub fn past_time(&self, said: Timestamp) -> Option<TimeSpan> {
        let event = self
            .clauses
            .iter()
            .filter(|clause| clause.kind == Kind::Event);
        let times: Vec<moment::Told> = event.flat_map(|clause| clause.times.clone()).collect();
        moment::of_event(&times).filter(|span| span.start() <= said)
    }

    /// Those whom it introduces by name, each with what they are.
    pub fn introductions(&self) -> Vec<(String, String)> {
        let forms: &[&LazyLock<Regex>] = match self.language {
            Language::Chinese => &[&CALLED_ZH, &OWN_ZH],
            Language::English => &[&CALLED_EN, &OWN_EN],
        };
        let texts = self.said.split(['，', ',', '。', '.', '；', '！']);
        let mut found: Vec<(String, String)> = Vec::new();
        for text in texts.map(str::trim) {
            for form in forms {
                let Some(captures) = form.captures(text) else {
                    continue;
                };
                let (name, mut relation) = (captures["n"].to_owned(), captures["r"].to_owned());
                // "取名叫 Bug" names somebody without saying who they are.
                if relation.chars().count() < 2 || relation.ends_with('取') {
                    relation.clear();
                }
                let new = !found.iter().any(|(other, _)| *other == name);
                if new && !person::is_kin(&name) && !NO_NAME_ZH.is_match(&name) {
                    found.push((name, relation));
                }
            }
        }
        let speaker = self.participants.first().map_or("", String::as_str);
        let roles = Roles {
            speaker,
            ..Roles::default()
        };
        found
            .into_iter()
            .map(|(name, relation)| {
                let told = retold(relation.trim(), self.language, roles).into_owned();
                (name, told)
            })
            .collect()
    }
}

impl Clause {
    fn new(text: &str, language: Language, said: &Utterance<'_>, roles: Roles<'_>) -> Self {
        let times = moment::told(text, &said.at, tense(text, language));
        let kind = kind(text, language, &times);
        Self {
            kind,
            told: retold(text, language, roles).into_owned(),
            // "今年八十六" tells an age, not when.
            times: if DENIED.is_match(text) || AGE.is_match(text) {
                Vec::new()
            } else {
                times
            },
        }
    }
}

/// A promise is about what is to come. So is what a Chinese clause says without any word for what is over.
pub fn tense(text: &str, language: Language) -> Tense {
    let past = PAST.is_match(text);
    match (past, FUTURE.is_match(text)) {
        _ if rules::promises(text, language) => Tense::Future,
        (true, false) => Tense::Past,
        (false, true) => Tense::Future,
        _ if !past && language == Language::Chinese => Tense::Future,
        _ => Tense::Open,
    }
}

fn kind(text: &str, language: Language, times: &[moment::Told]) -> Kind {
    if rules::promises(text, language) {
        return Kind::Promise;
    }
    if rules::tells_habit(text, language) {
        return Kind::Habit;
    }
    if let Some(preference) = preference(text, language) {
        return Kind::Preference(preference);
    }
    let fact = rules::tells_fact(text, language);
    let left = moment::without(text, times);
    let dated = times
        .iter()
        .filter(|time| !NOW.is_match(text.get(time.range.clone()).unwrap_or_default()))
        .any(|time| time.grain < Grain::Year || time.range.len() >= 4 && !AGE.is_match(text));
    let tells = language == Language::Chinese || rules::has_verb(text);
    if dated && tells && !rules::lasts(text, language) && rules::content_words(&left) >= 1 {
        return Kind::Event;
    }
    if fact && (rules::lasts(text, language) || !rules::happened(text, language, false)) {
        return Kind::Fact;
    }
    if rules::happened(text, language, !feelings(text).is_empty()) {
        return Kind::Event;
    }
    if fact { Kind::Fact } else { Kind::Rest }
}

/// A clause that tells nothing but a time dates the one after it.
fn mark_dated(sentence: &Sentence<'_>, clauses: &mut [Clause]) {
    for place in 1..clauses.len() {
        let dates = clauses[place - 1].kind == Kind::Rest && !clauses[place - 1].times.is_empty();
        if dates
            && clauses[place].kind == Kind::Rest
            && rules::content_words(sentence.clause(place)) >= 2
        {
            clauses[place].kind = Kind::Event;
        }
    }
}

/// "I used to dislike it, now I like it": two clauses that together tell a change.
fn mark_turn(sentence: &Sentence<'_>, clauses: &mut [Clause]) {
    for place in 1..clauses.len() {
        if turned(sentence.clause(place - 1), sentence.clause(place)) {
            let object = match &clauses[place].kind {
                Kind::Preference(told) => told.object.clone(),
                _ => match &clauses[place - 1].kind {
                    Kind::Preference(told) => told.object.clone(),
                    _ => sentence.clause(place - 1).to_owned(),
                },
            };
            let change = Kind::Preference(Preference {
                polarity: Polarity::Correction,
                object,
            });
            clauses[place - 1].kind = change.clone();
            clauses[place].kind = change;
        }
    }
}
