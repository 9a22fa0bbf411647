//! Words for masks, sentences, token estimates and string similarity.

use std::collections::HashSet;

use proptest::prelude::*;
use soulmem_engine::text::{estimate_tokens, pieces, sentences, similarity, words};
use unicode_segmentation::UnicodeSegmentation;

fn parts(text: &str, ranges: Vec<std::ops::Range<usize>>) -> Vec<&str> {
    ranges.into_iter().map(|range| &text[range]).collect()
}

#[test]
fn words_are_what_a_reader_calls_words() {
    for (text, expected) in [
        ("我来到北京清华大学", vec!["我", "来到", "北京", "清华大学"]),
        (
            "价格是3.14元，打8折！",
            vec!["价格", "是", "3.14", "元", "打", "8", "折"],
        ),
        (
            "I don't know well-known facts.",
            vec!["I", "don't", "know", "well-known", "facts"],
        ),
        (
            "at 10:30, maybe 1,000 people",
            vec!["at", "10:30", "maybe", "1,000", "people"],
        ),
        ("古いカメラ", vec!["古", "い", "カメラ"]),
        ("새 가방을", vec!["새", "가방을"]),
        ("哈哈👨‍👩‍👧👍🏽", vec!["哈哈", "👨‍👩‍👧", "👍🏽"]),
        ("……，。 \u{301}\0", vec![]),
        ("", vec![]),
    ] {
        assert_eq!(parts(text, words(text)), expected, "{text:?}");
    }
}

#[test]
fn marks_and_selectors_neither_split_nor_hide_a_word() {
    let text = "北\u{fe00}京\u{301}cafe\u{301}s";
    assert_eq!(
        parts(text, words(text)),
        ["北\u{fe00}京\u{301}", "cafe\u{301}s"]
    );
}

#[test]
fn sentences_end_where_a_reader_ends_them() {
    for (text, expected) in [
        (
            "你好。我是小红！真的吗？",
            vec!["你好。", "我是小红！", "真的吗？"],
        ),
        ("她说：“走吧。”然后走了", vec!["她说：“走吧。”", "然后走了"]),
        ("真的？！好吧……算了", vec!["真的？！", "好吧……", "算了"]),
        (
            "Dr. Lee came at 3.30 p.m. yesterday. We met J. Smith.",
            vec!["Dr. Lee came at 3.30 p.m. yesterday.", "We met J. Smith."],
        ),
        ("It was I. We knew.", vec!["It was I.", "We knew."]),
        (
            "Really?! (Yes.) Wait... what",
            vec!["Really?!", "(Yes.)", "Wait...", "what"],
        ),
        (
            "one line\nanother  line\r\n\r\nlast",
            vec!["one line", "another  line", "last"],
        ),
        ("visit example.com now", vec!["visit example.com now"]),
        ("  \n ", vec![]),
        ("", vec![]),
    ] {
        assert_eq!(parts(text, sentences(text)), expected, "{text:?}");
    }
}

#[test]
fn token_estimates_follow_the_stated_rates() {
    // 4 Han at one each; "hello, " and "!" are 8 bytes: two; one emoji: two.
    assert_eq!(estimate_tokens("hello, 你好世界!👍"), 8);
    assert_eq!(estimate_tokens(""), 0);
    assert_eq!(estimate_tokens("a"), 1);
    assert_eq!(estimate_tokens("カメラ가방"), 5);
}

#[test]
fn similarity_takes_the_larger_measure_of_folded_text() {
    // Jaro-Winkler of MARTHA and MARHTA, Winkler 1990: 0.961.
    assert!((similarity("Martha", "MARHTA") - 0.961).abs() < 1e-3);
    // One substitution in seven at the first place: Levenshtein 1 - 1/7; Jaro (6/7+6/7+1)/3 = 0.905 is larger.
    assert!((similarity("xmemory", "ymemory") - 0.9048).abs() < 1e-3);
    assert!((similarity("  Café ", "CAFE") - 1.0).abs() < f64::EPSILON);
    assert!(similarity("abc", "xyz").abs() < f64::EPSILON);
    assert!(similarity("", "abc").abs() < f64::EPSILON);
}

proptest! {
    #[test]
    fn words_lie_on_grapheme_borders_in_order(text in "\\PC{0,40}|[\u{4e00}-\u{4fff}\u{300}\u{fe0f}\u{200d}👍a-c' .]{0,40}") {
        let borders: HashSet<usize> = text.grapheme_indices(true).map(|(at, _)| at).chain([text.len()]).collect();
        let mut last = 0;
        for word in words(&text) {
            prop_assert!(word.start >= last && word.start < word.end);
            prop_assert!(borders.contains(&word.start) && borders.contains(&word.end));
            last = word.end;
        }
    }

    #[test]
    fn sentences_hold_everything_but_white_space(text in "[a-c .!?。！？…”’)\n\u{4e00}-\u{4e0f}]{0,60}") {
        let mut rest = 0;
        for sentence in sentences(&text) {
            prop_assert!(text[rest..sentence.start].trim().is_empty());
            prop_assert_eq!(text[sentence.clone()].trim(), &text[sentence.clone()]);
            rest = sentence.end;
        }
        prop_assert!(text[rest..].trim().is_empty());
    }

    #[test]
    fn pieces_keep_the_limit_and_lose_nothing(text in "[a-c \n\u{4e00}-\u{4e0f}👍\u{301}]{0,60}", limit in 0_usize..9) {
        let cut = pieces(&text, limit);
        prop_assert_eq!(cut.concat(), text.as_str());
        for piece in cut {
            prop_assert!(estimate_tokens(piece) <= limit.max(1) || piece.graphemes(true).count() == 1, "{:?}", piece);
        }
    }

    #[test]
    fn similarity_is_bounded_symmetric_and_one_for_equals(a in "\\PC{0,20}", b in "\\PC{0,20}") {
        let s = similarity(&a, &b);
        prop_assert!((0.0..=1.0).contains(&s));
        prop_assert!((s - similarity(&b, &a)).abs() < 1e-12);
        if s > 0.0 {
            prop_assert!((similarity(&a, &a) - 1.0).abs() < 1e-12);
        }
    }
}
