use serde_json::{Value, json};
use soulmem_engine::recall::context::{ContextMessage, ContextNote, Material, render};

use super::*;

/// A word, a mark, a Chinese character: a token each, every word but one unknown. It asks to cut and to fill up, as files of
/// models that read sentences do.
fn words() -> Value {
    json!({
        "version": "1.0",
        "truncation": {"direction": "Right", "max_length": 4, "strategy": "LongestFirst", "stride": 0},
        "padding": {
            "strategy": {"Fixed": 64}, "direction": "Right", "pad_to_multiple_of": null,
            "pad_id": 0, "pad_type_id": 0, "pad_token": "[UNK]"
        },
        "added_tokens": [],
        "normalizer": {
            "type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": true
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": null,
        "decoder": null,
        "model": {"type": "WordLevel", "vocab": {"[UNK]": 0, "tea": 1}, "unk_token": "[UNK]"}
    })
}

/// Bytes, with one word merged: what most models of today are built on.
fn bytes() -> Value {
    // The bytes of U+8336 (E8 8C B6), as byte-level vocabularies write them.
    json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true},
        "post_processor": null, "decoder": {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true},
        "model": {
            "type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": null, "end_of_word_suffix": null,
            "fuse_unk": false, "byte_fallback": false, "ignore_merges": false,
            "vocab": {"t": 0, "e": 1, "a": 2, "te": 3, "tea": 4, "\u{120}": 5, "\u{e8}": 6, "\u{12e}": 7, "\u{b6}": 8},
            "merges": [["t", "e"], ["te", "a"]]
        }
    })
}

fn counting(tokenizer: &Value) -> Result<CountTokens, TokenizerError> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tokenizer.json");
    std::fs::write(&file, tokenizer.to_string()).unwrap();
    counter(Some(&file))
}

/// What [`words`] makes of a text, counted by hand.
fn tokens_of(text: &str) -> usize {
    let mut tokens = 0;
    let mut in_word = false;
    for c in text.chars() {
        let letter = c.is_ascii_alphanumeric();
        tokens += usize::from(letter && !in_word || !letter && !c.is_whitespace());
        in_word = letter;
    }
    tokens
}

#[test]
fn without_a_file_tokens_are_estimated() {
    let count = counter(None).unwrap();
    assert_eq!(count("今天喝茶"), 4);
    assert_eq!(count("twelve bytes"), 3);
}

#[test]
fn a_tokeniser_counts_a_text_to_its_end_and_nothing_beside() {
    let count = counting(&words()).unwrap();
    // The file cuts after four tokens and fills up to 64.
    assert_eq!(count("The tea, please."), 5);
    assert_eq!(count("今天喝茶。"), 5);
    assert_eq!(count("Tea 茶, 又 tea"), 5);
    assert_eq!(count(""), 0);
}

#[test]
fn bytes_that_no_merge_joins_count_each() {
    let count = counting(&bytes()).unwrap();
    assert_eq!(count("tea"), 1);
    assert_eq!(count("tea tea"), 3, "a word, a space, a word");
    assert_eq!(count("茶茶"), 6, "three bytes each");
}

#[test]
fn a_context_keeps_its_budget_by_that_tokeniser() {
    let count = counting(&words()).unwrap();
    let note = |text: String| ContextNote {
        kind: "semantic",
        at: None,
        provenance: "given",
        text,
    };
    let message = |text: String| ContextMessage {
        role: "user".into(),
        name: Some("陈小红".into()),
        at: "2026-05-01T08:30:00Z".parse().unwrap(),
        text,
    };
    let material = Material {
        notes: (0..30)
            .map(|n| note(format!("第{n}壶茶是奶奶泡的；the kettle sang {n} times.")))
            .collect(),
        window: (0..12)
            .map(|n| message(format!("{n}: 今天喝什么茶？ Which tea?")))
            .collect(),
        ..Material::default()
    };
    let empty = tokens_of(&render(&Material::default(), 0, &*count));
    for budget in [empty, 150, 400, 1_200] {
        let context = render(&material, budget, &*count);
        assert_eq!(count(&context), tokens_of(&context));
        assert!(tokens_of(&context) <= budget, "{budget}: {context}");
    }
    let full = render(&material, 400, &*count);
    assert!(tokens_of(&full) > 300, "the budget is used: {full}");
}

#[test]
fn a_file_that_is_no_tokeniser_is_refused_by_its_setting() {
    let folder = tempfile::tempdir().unwrap();
    let refusal = |file: &Path| match counter(Some(file)) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("{} is taken", file.display()),
    };
    let missing = folder.path().join("none.json");
    let broken = folder.path().join("broken.json");
    std::fs::write(&broken, "{\"version\": \"1.0\"").unwrap();
    for file in [&missing, &broken, &folder.path().to_owned()] {
        let refusal = refusal(file);
        assert!(refusal.starts_with("context.tokenizer: "), "{refusal}");
        assert!(refusal.contains(&file.display().to_string()), "{refusal}");
        assert!(refusal.ends_with("leave it empty to estimate"), "{refusal}");
    }
}

#[test]
fn a_tokeniser_that_stops_at_what_it_does_not_know_is_refused() {
    let mut tokenizer = words();
    tokenizer["model"]["vocab"] = json!({"tea": 0});
    let refusal = match counting(&tokenizer) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("it is taken"),
    };
    assert!(refusal.starts_with("context.tokenizer: "), "{refusal}");
}
