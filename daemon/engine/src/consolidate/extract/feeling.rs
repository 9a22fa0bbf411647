//! What was felt, by the words for it.

use crate::model::{AffectDraft, Emotion};

/// A feeling: the words that tell it (the first names it), how pleasant it is and how stirring, each from 0 to 1.
struct Feeling {
    words: &'static [&'static str],
    valence: f64,
    arousal: f64,
}

const fn feeling(words: &'static [&'static str], valence: f64, arousal: f64) -> Feeling {
    Feeling {
        words,
        valence,
        arousal,
    }
}

/// Places on the circumplex of valence and arousal (Russell 1980), rounded to a tenth.
const CHINESE: [Feeling; 17] = [
    feeling(&["高兴", "开心", "快乐", "乐疯"], 0.9, 0.7),
    feeling(&["舒服", "惬意", "放松"], 0.8, 0.2),
    feeling(&["激动", "兴奋"], 0.8, 0.9),
    feeling(&["感动"], 0.8, 0.6),
    feeling(&["骄傲", "自豪"], 0.8, 0.6),
    feeling(&["难过", "伤心", "难受"], 0.2, 0.5),
    feeling(&["心疼"], 0.3, 0.6),
    feeling(&["哭"], 0.2, 0.8),
    feeling(&["害怕", "吓", "怕"], 0.2, 0.8),
    feeling(&["慌", "焦虑", "担心"], 0.3, 0.8),
    feeling(&["紧张"], 0.3, 0.8),
    feeling(&["生气", "愤怒", "气死"], 0.1, 0.9),
    feeling(&["后悔", "内疚", "愧疚"], 0.2, 0.5),
    feeling(&["失望"], 0.2, 0.4),
    feeling(&["孤独", "寂寞"], 0.2, 0.3),
    feeling(&["委屈"], 0.2, 0.5),
    feeling(&["累"], 0.3, 0.2),
];

const ENGLISH: [Feeling; 16] = [
    feeling(&["happy", "glad", "delighted"], 0.9, 0.7),
    feeling(&["proud"], 0.8, 0.6),
    feeling(&["touched", "moved to tears"], 0.8, 0.6),
    feeling(&["excited", "thrilled"], 0.8, 0.9),
    feeling(&["relieved", "calm"], 0.8, 0.3),
    feeling(&["sad", "unhappy"], 0.2, 0.4),
    feeling(&["cried", "crying", "wept"], 0.2, 0.8),
    feeling(&["guilty", "ashamed"], 0.2, 0.5),
    feeling(&["afraid", "scared", "frightened", "terrified"], 0.2, 0.8),
    feeling(&["nervous", "shaking"], 0.3, 0.8),
    feeling(&["worried", "anxious"], 0.3, 0.7),
    feeling(&["angry", "furious", "furiously"], 0.1, 0.9),
    feeling(&["disappointed"], 0.2, 0.4),
    feeling(&["lonely"], 0.2, 0.3),
    feeling(&["sick", "ill"], 0.2, 0.5),
    feeling(&["tired", "exhausted"], 0.3, 0.2),
];

/// How strongly a feeling is felt that is named and not weighed.
const NAMED: f64 = 0.6;
const STRONG: f64 = 0.9;
const FAINT: f64 = 0.3;

/// The feelings that a text names, in the order of the lists.
pub fn feelings(text: &str) -> Vec<Emotion> {
    found(text)
        .into_iter()
        .map(|(name, _)| Emotion {
            name: name.to_owned(),
            intensity: strength(text),
        })
        .collect()
}

/// How a memory with this text feels: the mean of the feelings in it. What stirred one matters more.
pub fn affect(text: &str, importance: u8) -> AffectDraft {
    let found = found(text);
    if found.is_empty() {
        return AffectDraft {
            importance: Some(importance),
            ..AffectDraft::default()
        };
    }
    let count = found.len() as f64;
    let mean = |of: fn(&Feeling) -> f64| found.iter().map(|(_, f)| of(f)).sum::<f64>() / count;
    let arousal = mean(|feeling| feeling.arousal);
    AffectDraft {
        importance: Some(
            if arousal >= 0.6 {
                importance + 1
            } else {
                importance
            }
            .min(10),
        ),
        valence: Some(mean(|feeling| feeling.valence)),
        arousal: Some(arousal),
        ..AffectDraft::default()
    }
}

fn found(text: &str) -> Vec<(&'static str, &'static Feeling)> {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !(c.is_alphabetic() || c == '\''))
        .collect();
    let tells = |word: &&str| {
        if word.is_ascii() {
            if word.contains(' ') {
                lower.contains(*word)
            } else {
                words.contains(word)
            }
        } else {
            lower.contains(*word) && !lower.contains(&format!("不{word}"))
        }
    };
    CHINESE
        .iter()
        .chain(&ENGLISH)
        .filter_map(|feeling| {
            let told = feeling.words.iter().find(|word| tells(word))?;
            Some((*told, feeling))
        })
        .collect()
}

fn strength(text: &str) -> f64 {
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if has(&[
        "死我", "极了", "非常", "特别", "太", "so much", "very", "terribly",
    ]) {
        STRONG
    } else if has(&["有点", "有些", "a bit", "a little", "slightly"]) {
        FAINT
    } else {
        NAMED
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_feeling_has_its_name_its_strength_and_its_place() {
        let felt = feelings("湿了三张雁皮纸，心疼死我了");
        assert_eq!((felt[0].name.as_str(), felt[0].intensity), ("心疼", STRONG));
        assert!((feelings("周二汇报，有点慌")[0].intensity - FAINT).abs() < 1e-12);
        let felt = affect("I was nervous and I cried", 5);
        assert_eq!(felt.valence, Some(0.25));
        assert_eq!(felt.importance, Some(6));
    }

    #[test]
    fn words_that_only_look_like_a_feeling_are_none() {
        assert_eq!(feelings("the unhappyland and the sickle"), []);
        assert_eq!(feelings("我不高兴理他"), []);
    }
}
