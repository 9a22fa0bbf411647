//! What ends what: by rules, and as a model says it.

use serde_json::{Value as Json, json};
use soulmem::llm::Task;
use soulmem::soul::WriteOrder;
use soulmem_engine::model::{MemoryNote, NoteDraft};

use crate::home::{Home, only};
use crate::llm_endpoint::Act;

/// One where rules understand.
async fn plain() -> Home {
    Home::configured(json!(null), |_| Act::status(500), only(Task::Summarise)).await
}

/// One whose model says of whatever is heard what it says.
async fn told(reply: Json) -> Home {
    Home::configured(json!(null), move |_| Act::say(&reply), only(Task::Extract)).await
}

/// What is current, sorted.
async fn current(home: &Home) -> Vec<String> {
    let notes = home.notes().await;
    let current = notes.iter().filter(|note| note.superseded_by.is_none());
    let mut texts: Vec<String> = current.map(MemoryNote::summary_text).collect();
    texts.sort();
    texts
}

async fn put(home: &Home, note: Json) {
    let draft: NoteDraft = serde_json::from_value(note).unwrap();
    let put = home.soul.put_notes(vec![draft], WriteOrder::default());
    put.await.unwrap();
}

fn known(content: &str, concept: &str, affect: &Json) -> Json {
    json!({"mem_type": {"Semantic": {"content": content, "concept_type": concept, "description": ""}}, "affect": affect})
}

fn replacing(content: &str, replaces: &str) -> Json {
    json!({"facts": [{"content": content, "kind": "fact", "who": "Bo", "replaces": replaces, "sources": [1]}]})
}

#[tokio::test(flavor = "multi_thread")]
async fn a_liking_that_comes_and_goes_is_current_one_way_only() {
    for (talk, last) in [
        (
            [
                "I like coriander.",
                "I can't stand coriander any more.",
                "I like coriander again.",
            ],
            "Bo likes coriander again",
        ),
        (
            [
                "I like dogs a lot.",
                "I don't like dogs at all.",
                "I like dogs very much.",
            ],
            "Bo likes dogs very much",
        ),
        (
            ["我喜欢香菜。", "我讨厌香菜。", "我又喜欢香菜了。"],
            "Bo又喜欢香菜了",
        ),
    ] {
        let home = plain().await;
        for line in talk {
            home.hear(&[line]).await;
            home.consolidated().await;
            home.pass_hours(1);
        }
        assert_eq!(current(&home).await, [last]);
        assert_eq!(home.notes().await.len(), 3, "the others are kept");
        home.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_of_one_name_who_were_introduced_as_different_ones_stay_two() {
    let home = plain().await;
    home.hear(&[
        "我同事李伟在杭州开了一家面馆。",
        "我表弟李伟今年考上了北京大学。",
        "我同事昨天在公司加班。",
    ])
    .await;
    home.consolidated().await;
    let texts = home.texts().await;
    for person in ["李伟: Bo的同事", "李伟: Bo的表弟"] {
        assert!(texts.iter().any(|text| text == person), "{texts:?}");
    }
    assert!(
        !texts.iter().any(|text| text.starts_with("昨天")),
        "{texts:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_said_long_ago_and_comes_in_late_is_past_at_once() {
    let home = plain().await;
    home.hear_at("I hate olives.", "2026-06-04T12:00:00Z").await;
    home.consolidated().await;
    home.hear_at("I like olives.", "2026-01-04T12:00:00Z").await;
    home.consolidated().await;
    assert_eq!(current(&home).await, ["Bo hates olives"]);
    assert_eq!(home.notes().await.len(), 2);
    // The same in one go, in the order in which it came in.
    let home = plain().await;
    home.hear_at("我讨厌榴莲。", "2026-06-04T12:00:00Z").await;
    home.hear_at("我喜欢榴莲。", "2020-01-04T12:00:00Z").await;
    home.consolidated().await;
    let current = current(&home).await;
    assert!(current.contains(&"Bo讨厌榴莲".to_owned()), "{current:?}");
    assert!(!current.contains(&"Bo喜欢榴莲".to_owned()), "{current:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_ends_the_fact_that_it_describes() {
    let home = told(replacing("Bo lives in Rome", "Bo lives in Oslo")).await;
    put(&home, known("Bo lives in Oslo", "Abstract", &json!({}))).await;
    put(
        &home,
        known("Bo has a cat and a dog", "Abstract", &json!({})),
    )
    .await;
    home.hear(&["I live in Rome these days."]).await;
    home.consolidated().await;
    assert_eq!(
        current(&home).await,
        ["Bo has a cat and a dog", "Bo lives in Rome"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_ends_nobody_nothing_held_fast_and_nothing_that_is_about_something_else() {
    let fast = json!({"pinned": true});
    let protected = json!({"protected": true});
    for (old, concept, affect, replaces) in [
        ("Clara", "Entity", &json!({}), "Clara"),
        ("Bo lives in Oslo", "Abstract", &fast, "Bo lives in Oslo"),
        (
            "Bo lives in Oslo",
            "Abstract",
            &protected,
            "Bo lives in Oslo",
        ),
        (
            "Bo keeps a key under the blue pot",
            "Abstract",
            &json!({}),
            "Bo keeps a key under the blue pot",
        ),
        ("Bo lives in Oslo", "Abstract", &json!({}), "Bo"),
    ] {
        let home = told(replacing("Bo went to the market in Rome", replaces)).await;
        put(&home, known(old, concept, affect)).await;
        home.hear(&["I went to the market in Rome."]).await;
        let report = home.consolidated().await;
        assert!(report.superseded.is_empty(), "{old}, {replaces}");
        assert!(current(&home).await.iter().any(|text| text == old), "{old}");
        home.close().await;
    }
}
