//! The extractive summary: the sentences of a talk that say most, in their own words.
//!
//! A sentence scores by the TF-IDF of its content words (term frequency over the whole talk, inverse frequency over its
//! sentences; Luhn 1958, Salton 1988), by its place (openings say what a talk is about, endings what came of it), and
//! by what it is: names and numbers raise it, a question lowers it. The best are taken one by one as long as they say
//! something new and the budget lasts, and are told in the order in which they were said.

use std::collections::{BTreeMap, BTreeSet};

use crate::text::{Segmenter, TokenKind, estimate_tokens, sentences};

/// Content words that a sentence needs to be worth keeping.
const MIN_TERMS: usize = 2;
/// Two sentences that share this part of their words say the same.
const SAME: f64 = 0.5;
/// What an earlier summary held has been found worth keeping once.
const KEPT_BEFORE: f64 = 1.2;
/// How much more the first and the last sentence of a talk count than one in its middle.
const ENDS: f64 = 0.3;
const TELLING: f64 = 1.25;
const QUESTION: f64 = 0.4;

/// Something that was said, and by whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'t> {
    /// The name of who said it; empty where there is none.
    pub speaker: &'t str,
    /// What was said.
    pub text: &'t str,
}

/// A sentence that may be kept.
struct Candidate {
    told: String,
    terms: BTreeMap<String, usize>,
    weight: f64,
    cost: usize,
}

/// A summary of an earlier summary and what was said since, of at most `budget` tokens (by
/// [`estimate_tokens`]): one sentence a line, each after the name of its speaker. Empty where nothing is worth keeping.
///
/// ```
/// use soulmem_engine::consolidate::{Line, summarise};
/// use soulmem_engine::text::Segmenter;
/// let said = |text| Line { speaker: "Ann", text };
/// let talk = [said("Hello!"), said("The ferry to Oban leaves at seven on Friday."), said("Ha ha.")];
/// let summary = summarise("", &talk, &Segmenter::new(), 100);
/// assert_eq!(summary, "Ann: The ferry to Oban leaves at seven on Friday.");
/// ```
pub fn summarise(old: &str, said: &[Line<'_>], segmenter: &Segmenter, budget: usize) -> String {
    let mut candidates: Vec<Candidate> = old
        .lines()
        .map(|line| candidate(line.to_owned(), line, KEPT_BEFORE, segmenter))
        .collect();
    let last = said.len().saturating_sub(1).max(1) as f64;
    for (place, line) in said.iter().enumerate() {
        let from_middle = (2.0 * place as f64 / last - 1.0).abs();
        for range in sentences(line.text) {
            let sentence = &line.text[range];
            let weight = (1.0 + ENDS * from_middle) * manner(sentence);
            candidates.push(candidate(
                told(line.speaker, sentence),
                sentence,
                weight,
                segmenter,
            ));
        }
    }
    candidates.retain(|candidate| candidate.terms.len() >= MIN_TERMS);
    let scores = scores(&candidates);
    let kept = choose(&candidates, &scores, budget);
    let lines: Vec<&str> = kept
        .into_iter()
        .map(|place| candidates[place].told.as_str())
        .collect();
    lines.join("\n")
}

fn told(speaker: &str, sentence: &str) -> String {
    let sentence = sentence.split_whitespace().collect::<Vec<_>>().join(" ");
    if speaker.is_empty() {
        sentence
    } else {
        format!("{speaker}: {sentence}")
    }
}

/// How much the form of a sentence says about its worth.
fn manner(sentence: &str) -> f64 {
    let asks = sentence
        .trim_end_matches(['”', '"', ' '])
        .ends_with(['?', '？', '吗', '呢']);
    if asks { QUESTION } else { 1.0 }
}

fn candidate(told: String, sentence: &str, weight: f64, segmenter: &Segmenter) -> Candidate {
    let mut terms = BTreeMap::new();
    let mut telling = false;
    segmenter.for_each_token(sentence, |token| {
        let content = matches!(
            token.kind,
            TokenKind::Name | TokenKind::Word | TokenKind::Stem
        );
        telling |= token.kind == TokenKind::Name || token.text.chars().any(char::is_numeric);
        if content && !is_laughter(token.text) {
            *terms.entry(token.text.to_owned()).or_insert(0) += 1;
        }
    });
    Candidate {
        cost: estimate_tokens(&told) + 1,
        told,
        terms,
        weight: if telling { weight * TELLING } else { weight },
    }
}

/// One character again and again: 哈哈哈.
fn is_laughter(word: &str) -> bool {
    let mut chars = word.chars();
    let first = chars.next();
    chars.clone().next().is_some() && chars.all(|c| Some(c) == first)
}

/// The score of each candidate, in their order.
fn scores(candidates: &[Candidate]) -> Vec<f64> {
    let mut said: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for candidate in candidates {
        for (term, times) in &candidate.terms {
            let (all, sentences) = said.entry(term).or_default();
            *all += times;
            *sentences += 1;
        }
    }
    let count = candidates.len() as f64;
    let worth = |term: &String| {
        let (all, sentences) = said.get(term.as_str()).copied().unwrap_or((1, 1));
        (1.0 + (all as f64).ln()) * (1.0 + count / sentences as f64).ln()
    };
    // Divided by the root of the length: a long sentence says more than a short one, but not in proportion.
    let score = |candidate: &Candidate| {
        let sum: f64 = candidate.terms.keys().map(worth).sum();
        candidate.weight * sum / (candidate.terms.len() as f64).sqrt()
    };
    candidates.iter().map(score).collect()
}

/// The places of the candidates to keep, in order.
fn choose(candidates: &[Candidate], scores: &[f64], budget: usize) -> BTreeSet<usize> {
    let mut by_score: Vec<usize> = (0..candidates.len()).collect();
    by_score.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
    let mut kept = BTreeSet::new();
    let mut left = budget;
    for place in by_score {
        let candidate = &candidates[place];
        let repeats = kept
            .iter()
            .any(|other| overlap(candidate, &candidates[*other]) >= SAME);
        if candidate.cost <= left && !repeats {
            left -= candidate.cost;
            kept.insert(place);
        }
    }
    kept
}

/// The part of the words of two sentences that both have (Jaccard).
fn overlap(a: &Candidate, b: &Candidate) -> f64 {
    let shared = a
        .terms
        .keys()
        .filter(|term| b.terms.contains_key(*term))
        .count();
    shared as f64 / (a.terms.len() + b.terms.len() - shared) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zhe(text: &str) -> Line<'_> {
        Line {
            speaker: "阿哲",
            text,
        }
    }

    fn summary(old: &str, said: &[Line<'_>], budget: usize) -> String {
        summarise(old, said, &Segmenter::new(), budget)
    }

    #[test]
    fn what_was_said_is_kept_and_small_talk_is_not() {
        let talk = [
            zhe("在吗"),
            zhe("哈哈哈哈"),
            zhe("我六月一号入职云帆科技，公司在软件谷。"),
            zhe("嗯嗯"),
            zhe("下周六去听松茶馆喝茶。"),
        ];
        assert_eq!(
            summary("", &talk, 200),
            "阿哲: 我六月一号入职云帆科技，公司在软件谷。\n阿哲: 下周六去听松茶馆喝茶。"
        );
    }

    #[test]
    fn a_sentence_that_says_the_same_again_is_told_once() {
        let talk = [
            zhe("天花板漏水，滴在纸柜上。"),
            zhe("我家天花板漏水了，滴在纸柜上！"),
            zhe("物业下午三点来看水管。"),
        ];
        let told = summary("", &talk, 200);
        assert_eq!(told.matches("漏水").count(), 1, "{told}");
        assert!(told.contains("物业"), "{told}");
    }

    #[test]
    fn the_budget_is_kept_and_the_most_telling_sentence_stays() {
        let talk = [
            zhe("今天天气真的还不错呀。"),
            zhe("医生说周琪七月十四号上午住院，十六号手术，床位在鼓楼医院。"),
            zhe("我们晚点再看看好了。"),
        ];
        let told = summary("", &talk, 40);
        assert!(estimate_tokens(&told) <= 40);
        assert!(told.contains("鼓楼医院"), "{told}");
        assert_eq!(summary("", &talk, 3), "");
    }

    #[test]
    fn an_old_summary_goes_into_the_new_one_before_what_was_said_since() {
        let old = "Tom: The heritage fund paid thirty thousand pounds.";
        let talk = [Line {
            speaker: "Priya",
            text: "My editor Gwen wants a documentary about the relighting.",
        }];
        let told = summary(old, &talk, 200);
        assert_eq!(
            told.lines().collect::<Vec<_>>(),
            [
                old,
                "Priya: My editor Gwen wants a documentary about the relighting."
            ]
        );
        // Summed up again without anything new it stays as it is.
        assert_eq!(summary(&told, &[], 200), told);
    }

    #[test]
    fn a_question_gives_way_to_a_statement_with_the_same_words() {
        let talk = [zhe("沈师傅十二月退休吗？"), zhe("沈师傅十二月退休。")];
        assert_eq!(summary("", &talk, 200), "阿哲: 沈师傅十二月退休。");
    }
}
