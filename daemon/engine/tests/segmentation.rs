//! The segmenter: what each script is cut into, what finds what, and that no text is too strange for it.

use std::collections::HashSet;

use proptest::prelude::*;
use soulmem_engine::text::{Segmenter, Token, TokenKind, fold, key};

fn tokens(text: &str) -> Vec<Token> {
    Segmenter::new().segment(text)
}

fn terms(text: &str) -> HashSet<String> {
    tokens(text).into_iter().map(|token| token.text).collect()
}

fn has(text: &str, term: &str, kind: TokenKind) -> bool {
    tokens(text)
        .iter()
        .any(|token| token.text == term && token.kind == kind)
}

/// A query finds a text when every token of the query is a term of the text; a word may also be there in bigrams.
fn finds(query: &str, text: &str) -> bool {
    let terms = terms(text);
    let query = tokens(query);
    let found = |token: &Token| terms.contains(&token.text);
    let inside = |bigram: &&Token, word: &Token| {
        bigram.kind == TokenKind::Bigram
            && word.range.start <= bigram.range.start
            && bigram.range.end <= word.range.end
    };
    let in_bigrams = |word: &Token| {
        let bigrams: Vec<_> = query.iter().filter(|bigram| inside(bigram, word)).collect();
        !bigrams.is_empty() && bigrams.into_iter().all(found)
    };
    !query.is_empty() && query.iter().all(|token| found(token) || in_bigrams(token))
}

#[test]
fn short_and_mixed_queries_find_their_text() {
    for (query, text) in [
        ("C盘", "我的C盘满了，清理一下"),
        ("c盘", "我的Ｃ盘满了"),
        ("3号线", "坐3号线到体育西路"),
        ("iPhone手机", "她新买的iPhone手机摔坏了"),
        ("iphone", "她新买的iPhone15手机"),
        ("가방", "어제 새 가방을 샀어요"),
        ("カメラ", "古いカメラで撮った写真"),
        ("ｶﾒﾗ", "古いカメラで撮った写真"),
        ("カメラ", "デジタルカメラで撮った"),
        ("ABC", "ＡＢＣ是什么"),
        ("ＡＢＣ", "abc"),
        ("Straße", "die lange STRASSE"),
        ("strasse", "die lange Straße"),
        ("cafe", "the Café on the corner"),
        ("cafe\u{301}", "the CAFÉ on the corner"),
        ("猫", "家里的小猫咪"),
        ("咖啡", "她爱喝咖啡馆的手冲"),
        ("食べる", "寿司を食べるのが好き"),
        ("東京", "東京都に住んでいる"),
        ("running", "He runs every day"),
        ("memories", "a memory of mine"),
        ("🐱", "今天看到一只🐱！"),
        ("👨‍👩‍👧", "全家👨‍👩‍👧出游"),
        ("❤", "I ❤️ you"),
        ("ไทย", "ภาษาไทยยากมาก"),
        ("привет", "Привет, мир"),
        ("שלום", "שָׁלוֹם עולם"),
        ("c++", "learning C++ now"),
        ("node.js", "a Node.js server"),
        ("node", "a Node.js server"),
        ("㍿", "株式会社を作る"),
        ("①", "第1条"),
    ] {
        assert!(
            finds(query, text),
            "{query:?} → {:?}\n{text:?} → {:?}",
            tokens(query),
            tokens(text)
        );
    }
}

#[test]
fn a_bigram_does_not_find_what_only_shares_its_characters() {
    assert!(!finds("C盘", "C语言和一个盘子"));
    assert!(!finds("가방", "방이 가깝다"));
    assert!(!finds("カメラ", "ラメカ"));
}

#[test]
fn kinds_tell_why_a_token_is_one() {
    assert!(has("我们去咖啡馆", "咖啡馆", TokenKind::Word));
    // Search mode: the word inside the word.
    assert!(has("我们去咖啡馆", "咖啡", TokenKind::Word));
    assert!(has("我们去咖啡馆", "啡馆", TokenKind::Bigram));
    assert!(has("我们去咖啡馆", "馆", TokenKind::Char));
    assert!(has("我们去咖啡馆", "我们", TokenKind::Stop));
    assert!(has("the cats", "cat", TokenKind::Stem));
    assert!(has("the cats", "the", TokenKind::Stop));
    assert!(has("2012", "2012", TokenKind::Word));
    assert!(has("🎉", "🎉", TokenKind::Symbol));
    assert!(has("C盘", "c盘", TokenKind::Bigram));
}

#[test]
fn one_place_never_yields_one_term_twice() {
    for text in [
        "咖啡馆里喝咖啡",
        "iPhone15手机在C盘",
        "가방 가방",
        "node.js node",
        "カメラ",
    ] {
        let mut seen = HashSet::new();
        for token in tokens(text) {
            assert!(
                seen.insert((token.text.clone(), token.range.clone())),
                "{text:?}: {token:?} twice"
            );
        }
    }
}

#[test]
fn ranges_point_at_the_original_bytes() {
    let text = "她说：“Ｃafé 手机”👍🏽";
    for token in tokens(text) {
        let written = &text[token.range.clone()];
        assert!(
            fold(written).contains(&token.text) || token.kind == TokenKind::Stem,
            "{token:?} stands on {written:?}"
        );
    }
    let cafe = tokens(text)
        .into_iter()
        .find(|token| token.text == "cafe")
        .expect("café is a word");
    assert_eq!(&text[cafe.range], "Ｃafé");
    let thumb = tokens(text)
        .into_iter()
        .find(|token| token.kind == TokenKind::Symbol)
        .expect("an emoji is a token");
    assert_eq!(&text[thumb.range], "👍🏽");
}

#[test]
fn names_are_words_of_their_own_from_the_moment_they_are_added() {
    let mut segmenter = Segmenter::new();
    let text = "昨天林小满和Mary Jane去了C盘咖啡";
    let names = |segmenter: &Segmenter| -> Vec<String> {
        let tokens = segmenter.segment(text).into_iter();
        tokens
            .filter(|token| token.kind == TokenKind::Name)
            .map(|token| token.text)
            .collect()
    };
    assert!(names(&segmenter).is_empty());
    assert!(segmenter.add_name("林小满"));
    assert!(
        segmenter.add_name("mary  JANE"),
        "case and spaces do not matter"
    );
    assert!(!segmenter.add_name("Mary Jane"), "it is there already");
    assert!(segmenter.add_name("C盘咖啡"));
    assert_eq!(names(&segmenter), ["林小满", "mary jane", "c盘咖啡"]);

    let older = segmenter.clone();
    assert!(segmenter.remove_name("林小满"));
    assert!(!segmenter.remove_name("林小满"));
    assert_eq!(names(&segmenter), ["mary jane", "c盘咖啡"]);
    assert_eq!(names(&older).len(), 3, "a clone is independent");
}

#[test]
fn the_longest_name_wins_and_words_are_not_cut_into() {
    let mut segmenter = Segmenter::new();
    for name in ["Ann", "Ann Lee", "小满", "林小满", "Will", "李"] {
        segmenter.add_name(name);
    }
    let found = |text: &str| -> Vec<String> {
        segmenter
            .names_in(text)
            .into_iter()
            .map(|range| text[range].to_owned())
            .collect()
    };
    assert_eq!(
        found("Ann Lee met Annabel and Ann's friend"),
        ["Ann Lee", "Ann"]
    );
    assert_eq!(found("林小满和小满"), ["林小满", "小满"]);
    assert_eq!(
        found("Will will come"),
        ["Will"],
        "a function word is a name only when written as one"
    );
    assert!(found("李子树").is_empty(), "a single character is no name");
}

#[test]
fn a_name_of_one_word_keeps_its_term() {
    let plain = tokens("Melanie's garden");
    let mut segmenter = Segmenter::new();
    segmenter.add_name("Melanie");
    let named = segmenter.segment("Melanie's garden");
    assert_eq!(plain[0].text, named[0].text);
    assert_eq!(
        (plain[0].kind, named[0].kind),
        (TokenKind::Stem, TokenKind::Name)
    );
}

#[test]
fn names_that_are_no_names_are_refused() {
    let mut segmenter = Segmenter::new();
    for name in ["", "  ", "红", "x", "。", "\u{301}", &"长".repeat(65)] {
        assert!(!segmenter.add_name(name), "{name:?}");
    }
    for name in ["小红", "Bo", "🐱", "2012", &"长".repeat(64)] {
        assert!(segmenter.add_name(name), "{name:?}");
    }
}

#[test]
fn fold_and_key_make_spellings_equal() {
    assert_eq!(fold("İstanbul"), "istanbul");
    assert_eq!(fold("ΣΊΣΥΦΟΣ"), fold("σίσυφος"));
    assert_eq!(fold("ｶﾞﾗｽ"), "ガラス");
    assert_eq!(
        fold("한국"),
        fold("\u{1112}\u{1161}\u{11ab}\u{1100}\u{116e}\u{11a8}")
    );
    assert_eq!(fold("Wi\u{200b}ki\u{ad}pedia"), "wikipedia");
    assert_eq!(fold("ﬁn"), "fin");
    assert_eq!(fold("Й"), "й", "a Cyrillic letter keeps what makes it one");
    assert_eq!(fold("don’t"), "don't");
    assert_eq!(key("  Mary\t JANE\n"), "mary jane");
}

#[test]
fn strange_texts_are_cut_without_panic_into_bounded_tokens() {
    const SIZE: usize = 1 << 16;
    let mut segmenter = Segmenter::new();
    for name in ["aa aa", "哈哈", "a a a a a a a a a a a a a a b"] {
        segmenter.add_name(name);
    }
    for unit in [
        "a",
        "a ",
        "哈",
        "的",
        "か",
        "カ",
        "가",
        "ก",
        "\0",
        "\u{301}",
        "a\u{301}",
        "哈\u{301}",
        "🐱",
        "👨\u{200d}",
        "🇨",
        "\u{200d}",
        "\u{fe0f}",
        ".",
        ". )",
        "a.",
        "1a",
        "a哈",
        "'",
        "a'",
        "\r\n",
        " ",
        "ﷺ",
        "\u{5d0}\u{5b8}",
        "\u{202e}",
        "-",
        "क्",
        "+",
        "a+",
        "Mr. ",
    ] {
        let text = unit.repeat(SIZE / unit.len());
        let mut count = 0_usize;
        segmenter.for_each_token(&text, |token| {
            count += 1;
            assert!(token.text.chars().count() <= 130, "a term is bounded");
        });
        assert!(count <= 4 * SIZE, "{unit:?}: {count}");
        soulmem_engine::text::words(&text);
        soulmem_engine::text::sentences(&text);
        soulmem_engine::text::estimate_tokens(&text);
        soulmem_engine::text::similarity(&text, "a");
    }
    // One name before a page of spaces, again and again.
    segmenter.segment(&format!("{}{}", "aa ".repeat(1000), " ".repeat(SIZE)));
}

#[test]
fn a_mebibyte_is_cut_whole() {
    const MIB: usize = 1 << 20;
    let mut last = 0;
    let text = format!("{}尾", "雨天a ".repeat(MIB / 8));
    Segmenter::new().for_each_token(&text, |token| last = last.max(token.range.end));
    assert_eq!(last, text.len());
    // One letter under a mebibyte of marks is one letter.
    assert_eq!(
        terms(&format!("a{}", "\u{301}".repeat(MIB / 2))),
        terms("a")
    );
}

fn any_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        any::<char>().prop_map(String::from),
        "[a-zA-Z0-9 '._+#-]{0,6}",
        "[\u{4e00}-\u{4eff}]{0,5}",
        "[ぁ-ヾ]{0,4}",
        "[가-갛]{0,3}",
        "[\u{300}-\u{310}\u{200d}\u{fe0f}\u{20e3}]{0,2}",
        prop::sample::select(vec![
            "👨‍👩‍👧",
            "🇨🇳",
            "1️⃣",
            "林小满",
            "Ann Lee",
            "。",
            "\0",
            "שלום"
        ])
        .prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn every_token_lies_on_grapheme_borders(text in any_text()) {
        use unicode_segmentation::UnicodeSegmentation;
        let mut segmenter = Segmenter::new();
        segmenter.add_name("林小满");
        segmenter.add_name("Ann Lee");
        let borders: HashSet<usize> =
            text.grapheme_indices(true).map(|(at, _)| at).chain([text.len()]).collect();
        for token in segmenter.segment(&text) {
            prop_assert!(!token.text.is_empty());
            prop_assert!(token.range.start < token.range.end);
            prop_assert!(borders.contains(&token.range.start) && borders.contains(&token.range.end), "{:?}", token);
        }
    }

    #[test]
    fn case_and_width_do_not_matter(text in "[a-zA-Z0-9\u{4e00}-\u{4e20} ]{0,30}") {
        let wide: String = text
            .chars()
            .map(|c| if c.is_ascii_graphic() { char::from_u32(c as u32 + 0xFEE0).unwrap_or(c) } else { c })
            .collect();
        let of = |text: &str| -> Vec<(String, TokenKind)> {
            tokens(text).into_iter().map(|token| (token.text, token.kind)).collect()
        };
        prop_assert_eq!(of(&text), of(&wide));
        prop_assert_eq!(of(&text), of(&text.to_uppercase()));
    }

    #[test]
    fn every_visible_letter_is_covered_by_a_token(text in any_text()) {
        let tokens = tokens(&text);
        for (at, c) in text.char_indices() {
            if c.is_ascii_digit() || ('\u{4e00}'..='\u{9fff}').contains(&c) || ('가'..='힣').contains(&c) {
                prop_assert!(tokens.iter().any(|token| token.range.contains(&at)), "{c:?} at {at} in {text:?}");
            }
        }
    }
}
