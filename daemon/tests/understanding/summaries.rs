//! The summary of what slides out of the window.

use std::sync::mpsc;

use serde_json::json;
use soulmem::llm::Task;
use soulmem::store::View;

use crate::home::{Home, PATIENCE, only};
use crate::llm_endpoint::{Act, Asked};

async fn summary(home: &Home) -> String {
    let summary = home.soul.read(View::summary).await.unwrap();
    summary.map(|summary| summary.text).unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread")]
async fn pushes_are_acknowledged_while_a_slow_summary_is_written_and_nothing_is_left_out() {
    let (go_on, goes_on) = mpsc::channel::<()>();
    let mut first = true;
    let choose = move |asked: &Asked| {
        if std::mem::take(&mut first) {
            goes_on.recv_timeout(PATIENCE).unwrap();
        }
        let said = asked.message(1).matches("jars").count();
        let before = asked.message(1).contains("summary_so_far");
        Act::say(&json!({"summary": format!("honey, {said} lines, after another: {before}")}))
    };
    let home = Home::configured(
        json!({"window": {"capacity": 2}}),
        choose,
        only(Task::Summarise),
    )
    .await;
    home.hear(&[
        "We sold 1 jars of honey.",
        "We sold 2 jars of honey.",
        "We sold 3 jars of honey.",
        "We sold 4 jars of honey.",
    ])
    .await;
    home.until(async |home: &Home| home.asked("summary") > 0)
        .await;
    // The model has not answered yet.
    for number in 5..12 {
        home.hear(&[&format!("We sold {number} jars of honey.")])
            .await;
    }
    assert_eq!(summary(&home).await, "");
    go_on.send(()).unwrap();
    home.until(async |home: &Home| summary(home).await.contains("after another: true"))
        .await;
    assert_eq!(home.messages().await, 11);
    let left = home.soul.read(|view| view.unsummarised(100)).await.unwrap();
    assert!(left.is_empty(), "{left:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_cannot_leaves_the_summary_to_the_sentences() {
    for act in [
        Act::status(500),
        Act::Say("no".to_owned()),
        Act::say(&json!({"summary": "word ".repeat(5_000)})),
    ] {
        let home = Home::configured(
            json!({"window": {"capacity": 2}}),
            move |_| act.clone(),
            only(Task::Summarise),
        )
        .await;
        home.hear(&[
            "The ferry to Oban leaves at seven on Friday.",
            "Ha ha.",
            "The ferry was late by an hour again.",
            "Ok.",
        ])
        .await;
        home.until(async |home: &Home| summary(home).await.contains("Oban"))
            .await;
        assert_eq!(home.messages().await, 4);
        home.close().await;
    }
}
