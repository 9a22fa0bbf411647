//! The built-in model: what its vectors promise, and the measured floor.

use proptest::prelude::*;
use soulmem_embed::{EmbeddingModel, LexicalModel, calibrate, chunks, unrelated_lines};
use soulmem_engine::index::dot;
use soulmem_engine::text::estimate_tokens;

fn embed(text: &str) -> Vec<f32> {
    let mut vectors = LexicalModel::new()
        .embed_passages(&[text])
        .expect("nothing here can fail");
    vectors.remove(0)
}

fn cosine(a: &str, b: &str) -> f32 {
    dot(&embed(a), &embed(b))
}

fn length(vector: &[f32]) -> f32 {
    vector.iter().map(|value| value * value).sum::<f32>().sqrt()
}

#[test]
fn the_floor_is_what_was_measured() {
    let model = LexicalModel::new();
    let measured = calibrate(&model).unwrap();
    assert!(
        (model.floor() - measured).abs() < 0.005,
        "the floor is {}, measured {measured}",
        model.floor()
    );
}

#[test]
fn the_calibration_lines_are_sixty_of_each_language() {
    for lines in unrelated_lines() {
        let distinct: std::collections::HashSet<&str> = lines.iter().copied().collect();
        assert_eq!((lines.len(), distinct.len()), (60, 60));
    }
}

#[test]
fn texts_that_share_words_are_nearer_than_texts_that_do_not() {
    let floor = LexicalModel::new().floor();
    for (query, near, far) in [
        (
            "她喜欢喝什么咖啡",
            "我每天早上都要喝一杯手冲咖啡",
            "地铁三号线今天停运",
        ),
        (
            "Where did she go hiking?",
            "We hiked in the mountains all day",
            "The printer is out of ink",
        ),
        ("iphone手机", "他的iPhone手机没电了", "今天下雨"),
        ("カメラ", "新しいカメラを買った", "電車が遅れた"),
        ("가방", "새 가방을 샀어요", "비가 와요"),
    ] {
        assert!(
            cosine(query, near) > floor,
            "{query} / {near}: {}",
            cosine(query, near)
        );
        assert!(cosine(query, near) > cosine(query, far) + 0.1);
    }
}

#[test]
fn only_a_text_without_tokens_is_the_zero_vector() {
    for text in ["", " \n", "。。。", "\0", "\u{301}"] {
        assert!(length(&embed(text)) == 0.0, "{text:?}");
        assert!(cosine(text, "雨") == 0.0);
    }
    for text in ["的", "the of and", "😀", "了吗", "a", "1", "∑"] {
        assert!((length(&embed(text)) - 1.0).abs() < 1e-5, "{text:?}");
        assert!((cosine(text, text) - 1.0).abs() < 1e-5);
    }
}

#[test]
fn a_sentence_of_a_long_text_is_still_found() {
    let page: String = unrelated_lines().concat().join(" ");
    assert!(estimate_tokens(&page) > 1_000, "longer than the limit");
    let line = unrelated_lines()[0][10];
    assert!(cosine(line, &page) > cosine("量子纠缠实验的误差", &page));
    assert!((length(&embed(&page)) - 1.0).abs() < 1e-5);
}

#[test]
fn a_mebibyte_is_embedded() {
    assert!((length(&embed(&"雨天。".repeat((1 << 20) / 9))) - 1.0).abs() < 1e-5);
    assert!((length(&embed(&"word ".repeat((1 << 20) / 5))) - 1.0).abs() < 1e-5);
}

#[test]
fn chunks_are_whole_sentences_within_the_limit() {
    assert_eq!(
        chunks("下雨了。雪停了。天晴了。", 9),
        ["下雨了。雪停了。", "天晴了。"]
    );
    assert_eq!(chunks("一二三四五六七八", 3), ["一二三", "四五六", "七八"]);
    assert_eq!(chunks("short", 256), ["short"]);
    assert!(chunks("  \n", 256).is_empty());
}

proptest! {
    #[test]
    fn chunks_keep_the_limit_and_every_visible_character(text in "[a-c .!。\n\u{4e00}-\u{4e0f}]{0,80}", limit in 2_usize..12) {
        let chunks = chunks(&text, limit);
        let visible = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        prop_assert_eq!(visible(&chunks.concat()), visible(&text));
        for chunk in chunks {
            prop_assert!(estimate_tokens(chunk) <= limit, "{:?}", chunk);
        }
    }

    #[test]
    fn vectors_have_length_one_or_zero_and_are_repeatable(text in "\\PC{0,60}") {
        let vector = embed(&text);
        let length = length(&vector);
        prop_assert_eq!(vector.len(), 512);
        prop_assert!(length == 0.0 || (length - 1.0).abs() < 1e-4);
        prop_assert_eq!(vector, embed(&text));
    }
}
