//! What kind of thing a text tells of, by its form and by closed classes of words: a person, a place, a liking.
//!
//! A hint for who looks for an answer, no extraction: it says that there is one, not which.

use super::fold;

/// Words for people by what they are to each other.
const PEOPLE: [&str; 40] = [
    "mom",
    "mum",
    "dad",
    "mother",
    "father",
    "parents",
    "sister",
    "brother",
    "friend",
    "friends",
    "husband",
    "wife",
    "partner",
    "family",
    "son",
    "daughter",
    "kid",
    "kids",
    "grandma",
    "grandpa",
    "grandmother",
    "grandfather",
    "aunt",
    "uncle",
    "cousin",
    "niece",
    "nephew",
    "boss",
    "teacher",
    "colleague",
    "coworker",
    "neighbour",
    "neighbor",
    "roommate",
    "classmate",
    "boyfriend",
    "girlfriend",
    "doctor",
    "team",
    "someone",
];

const PEOPLE_UNSPACED: [&str; 39] = [
    "妈", "爸", "母亲", "父亲", "父母", "爷爷", "奶奶", "外公", "外婆", "姥姥", "哥", "姐", "弟",
    "妹", "儿子", "女儿", "孩子", "丈夫", "妻子", "老公", "老婆", "朋友", "同学", "同事", "老师",
    "医生", "老板", "经理", "师傅", "邻居", "室友", "叔", "阿姨", "姑", "舅", "先生", "女士",
    "客户", "亲戚",
];

/// Before a place that is written with a capital.
const BEFORE_PLACE: [&str; 8] = ["in", "at", "to", "from", "near", "around", "through", "of"];

/// Words for kinds of places.
const PLACES: [&str; 36] = [
    "home",
    "house",
    "park",
    "beach",
    "school",
    "office",
    "museum",
    "library",
    "hospital",
    "restaurant",
    "cafe",
    "shop",
    "store",
    "church",
    "station",
    "airport",
    "hotel",
    "theater",
    "theatre",
    "gym",
    "studio",
    "center",
    "centre",
    "gallery",
    "mountain",
    "mountains",
    "lake",
    "river",
    "forest",
    "city",
    "town",
    "village",
    "country",
    "street",
    "garden",
    "bar",
];

const BEFORE_PLACE_UNSPACED: [char; 7] = ['在', '去', '到', '从', '来', '住', '往'];

/// What names of places and words for them end with.
const PLACE_ENDS: [char; 40] = [
    '省', '市', '县', '区', '镇', '村', '乡', '国', '州', '洲', '路', '街', '楼', '店', '馆', '院',
    '校', '园', '场', '站', '港', '湾', '山', '湖', '海', '河', '江', '岛', '桥', '寺', '城', '厅',
    '家', '室', '司', '厂', '边', '房', '吧', '京',
];

/// How far after its preposition a place ends, at most.
const PLACE_CHARS: usize = 8;

const LIKINGS: [&str; 24] = [
    "like",
    "likes",
    "liked",
    "love",
    "loves",
    "loved",
    "enjoy",
    "enjoys",
    "enjoyed",
    "enjoying",
    "favorite",
    "favourite",
    "prefer",
    "prefers",
    "hate",
    "hates",
    "dislike",
    "dislikes",
    "fan",
    "adore",
    "fond",
    "obsessed",
    "passion",
    "passionate",
];

const LIKINGS_UNSPACED: [&str; 12] = [
    "喜欢", "最爱", "喜爱", "热爱", "爱吃", "爱喝", "爱看", "爱听", "讨厌", "不爱", "迷上", "偏爱",
];

/// Whether it names somebody, or somebody by what they are to somebody.
pub fn tells_person(text: &str) -> bool {
    let folded = fold(text);
    PEOPLE_UNSPACED.iter().any(|person| folded.contains(person))
        || words(&folded).any(|word| PEOPLE.contains(&word))
        || inner_words(text).any(is_capitalised)
}

/// Whether it says where.
pub fn tells_place(text: &str) -> bool {
    let folded = fold(text);
    tells_place_unspaced(&folded)
        || words(&folded).any(|word| PLACES.contains(&word))
        || inner_words(text)
            .zip(inner_words(text).skip(1))
            .any(|(before, word)| BEFORE_PLACE.contains(&before) && is_capitalised(word))
}

/// Whether somebody says what is liked or not.
pub fn tells_liking(text: &str) -> bool {
    let folded = fold(text);
    LIKINGS_UNSPACED
        .iter()
        .any(|liking| folded.contains(liking))
        || words(&folded).any(|word| LIKINGS.contains(&word))
}

fn tells_place_unspaced(folded: &str) -> bool {
    let mut since: Option<usize> = None;
    for c in folded.chars() {
        if BEFORE_PLACE_UNSPACED.contains(&c) {
            since = Some(0);
        } else if let Some(chars) = since {
            if chars > 0 && PLACE_ENDS.contains(&c) {
                return true;
            }
            since = (chars < PLACE_CHARS && c.is_alphanumeric()).then_some(chars + 1);
        }
    }
    false
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|word| !word.is_empty())
}

/// The words that begin no sentence: there a capital says nothing.
fn inner_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(['.', '!', '?', '\n', '"', ':'])
        .flat_map(|sentence| words(sentence).skip(1))
}

/// Written with a capital, and not only because it is "I".
fn is_capitalised(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(char::is_uppercase) && letters.next().is_some_and(char::is_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_and_where_and_what_is_liked_in_both_languages() {
        // What is told: a person, a place, a liking.
        for (text, person, place, liking) in [
            ("Yesterday I met Brenn", true, false, false),
            ("My sister sings", true, false, false),
            ("I'm going now. Tired!", false, false, false),
            ("We flew to Tarn", true, true, false),
            ("They sat by the river", false, true, false),
            ("Nothing is better, I love it", false, false, true),
            ("我妹妹会唱歌", true, false, false),
            ("今天很累", false, false, false),
            ("我们去了湖边", false, true, false),
            ("他住在城西的老房子", false, true, false),
            ("下雨我最讨厌了", false, false, true),
        ] {
            assert_eq!(tells_person(text), person, "{text}");
            assert_eq!(tells_place(text), place, "{text}");
            assert_eq!(tells_liking(text), liking, "{text}");
        }
    }
}
