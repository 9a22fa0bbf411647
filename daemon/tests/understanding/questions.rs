//! Plain questions with the help of a model.

use std::time::Duration;

use serde_json::json;
use soulmem::llm::{Task, TaskModel};
use soulmem_engine::model::NoteDraft;
use soulmem_proto::ops::retrieve_options::RetrieveOptions;

use crate::home::{Home, only};
use crate::llm_endpoint::{Act, Asked};

async fn known(home: &Home, content: &str, description: &str) {
    let draft = json!({"mem_type": {"Semantic": {"content": content, "aliases": [], "concept_type": "Entity", "description": description}}});
    let draft: NoteDraft = serde_json::from_value(draft).unwrap();
    home.soul
        .put_notes(vec![draft], <_>::default())
        .await
        .unwrap();
}

async fn home(choose: impl FnMut(&Asked) -> Act + Send + 'static) -> Home {
    let home = Home::configured(json!(null), choose, |settings| {
        only(Task::SubQueries)(settings);
        settings.sub_queries_timeout = Duration::from_millis(500);
    })
    .await;
    known(&home, "Idris", "the flatmate who plays the trumpet").await;
    known(&home, "harbour", "where the ferry lands").await;
    home
}

fn explained() -> RetrieveOptions {
    RetrieveOptions {
        explain: Some(true),
        ..RetrieveOptions::default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sub_queries_find_what_the_words_do_not_and_strangers_are_not_asked_for() {
    let home = home(|_| {
        Act::say(&json!({
            "entities": [{"name": "Idris", "description": ""}, {"name": "Mallory", "description": "nobody"}],
            "situations": [{"narrative": "zzz qqq xyzzy", "people": ["Mallory"], "place": "", "atmosphere": "", "tone": "", "acts": []}],
        }))
    })
    .await;
    let found = home
        .glance("who makes that noise at night", explained())
        .await;
    assert!(
        found.notes.iter().any(|hit| hit.text.starts_with("Idris")),
        "{found:?}"
    );
    assert_eq!((&found.degraded, &found.dropped), (&None, &None));
    let trace = serde_json::to_value(found.trace.unwrap()).unwrap();
    let asked = trace["sub_queries"].as_array().unwrap();
    assert_eq!(asked.len(), 2, "{asked:?}");
    assert_eq!(
        (&asked[0]["dropped"], &asked[1]["dropped"]),
        (&json!(false), &json!(true))
    );
    assert!(!trace["sub_queries"].to_string().contains("Mallory"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_is_too_slow_or_broken_costs_nothing_but_the_lift() {
    for act in [
        Act::Silence,
        Act::status(500),
        Act::Reset,
        Act::Say("no".to_owned()),
        Act::say(&json!({})),
    ] {
        let home = home(move |_| act.clone()).await;
        let found = home.glance("Idris trumpet", explained()).await;
        assert!(found.notes[0].text.starts_with("Idris"));
        assert!(
            found.degraded.unwrap().contains("rules alone"),
            "said in the answer"
        );
        let alone = Home::configured(
            json!(null),
            |_| Act::status(500),
            |settings| {
                settings.tasks.insert(Task::SubQueries, TaskModel::Off);
            },
        )
        .await;
        known(&alone, "Idris", "the flatmate who plays the trumpet").await;
        known(&alone, "harbour", "where the ferry lands").await;
        let without = alone
            .glance("Idris trumpet", RetrieveOptions::default())
            .await;
        assert_eq!(found.notes, without.notes);
        home.close().await;
        alone.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_asked_unless_that_is_configured() {
    let home = Home::with(|_| Act::status(500)).await;
    known(&home, "Idris", "the flatmate who plays the trumpet").await;
    let found = home
        .glance("Idris trumpet", RetrieveOptions::default())
        .await;
    assert_eq!((found.degraded, home.endpoint.asked().len()), (None, 0));
}
