//! Endpoints that answer, and models that write what they like.

use serde_json::json;
use soulmem::llm::{LlmFailure, LlmSettings};
use soulmem_proto::ops::health::Condition;

use crate::asking::{ask, client, counts, settings};
use crate::llm_endpoint::{Act, LlmEndpoint, completion, cut_off};

#[tokio::test]
async fn a_good_reply_is_read_counted_and_kept_as_it_came() {
    let endpoint = LlmEndpoint::doing(vec![Act::Say("Here: {\"gist\": \"an animal\"}".to_owned())]);
    let llm = client(settings(&endpoint));
    let answer = ask(&llm).await.unwrap();
    assert_eq!(answer.value, "an animal");
    assert_eq!(answer.raw, "Here: {\"gist\": \"an animal\"}");
    assert!(!answer.again);
    let counts = counts(&llm);
    assert_eq!((counts.calls, counts.failures, counts.retries), (1, 0, 0));
    assert_eq!((counts.tokens_in, counts.tokens_out), (10, 5));
    let health = llm.health().unwrap();
    assert_eq!((health.condition, health.reason), (Condition::Ready, None));
}

#[tokio::test]
async fn what_cannot_be_used_is_told_to_the_model_once() {
    let good = json!({"gist": "an animal"});
    let unusable = [
        "",
        "I'm sorry, but I can't help with that.",
        "很抱歉，我不能回答。",
        "<think>hm",
        r#"{"gist": 7}"#,
        r#"{"something": "else"}"#,
        r#"{"type": "object", "properties": {"gist": {"type": "string"}}}"#,
    ];
    for reply in unusable {
        let endpoint = LlmEndpoint::doing(vec![Act::Say(reply.to_owned()), Act::say(&good)]);
        let llm = client(settings(&endpoint));
        let answer = ask(&llm).await.unwrap();
        assert_eq!(
            (answer.value.as_str(), answer.again),
            ("an animal", true),
            "{reply}"
        );
        let counts = counts(&llm);
        assert_eq!((counts.calls, counts.failures), (2, 1), "{reply}");
        let second = &endpoint.asked()[1];
        assert_eq!(second.body["messages"].as_array().unwrap().len(), 4);
        assert!(
            second.message(3).contains("cannot be used"),
            "{}",
            second.message(3)
        );
    }
}

#[tokio::test]
async fn after_two_replies_that_cannot_be_used_the_fallback_is_due() {
    let endpoint = LlmEndpoint::doing(vec![Act::Say("no".to_owned()), Act::Say("no!".to_owned())]);
    let llm = client(settings(&endpoint));
    let error = ask(&llm).await.unwrap_err();
    assert_eq!(
        error.reason,
        LlmFailure::Reply("there is no JSON in it".to_owned())
    );
    assert_eq!(error.raw.as_deref(), Some("no!"));
    assert_eq!(endpoint.asked().len(), 2);
    let counts = counts(&llm);
    assert_eq!((counts.calls, counts.failures, counts.tokens()), (2, 2, 30));
    let health = llm.health().unwrap();
    assert_eq!(health.condition, Condition::Ready);
    let reason = health.reason.unwrap();
    assert!(
        reason.contains("gist") && reason.contains("llm.model"),
        "{reason}"
    );
}

#[tokio::test]
async fn a_model_that_refuses_is_said_to_and_not_quoted() {
    let refusal = json!({
        "choices": [{"message": {"content": null, "refusal": "I will not."}, "finish_reason": "stop"}],
    });
    let endpoint = LlmEndpoint::doing(vec![Act::Body(refusal.to_string().into_bytes())]);
    let llm = client(settings(&endpoint));
    let said = ask(&llm).await.unwrap_err().to_string();
    assert!(said.contains("refuses"), "{said}");
    assert!(!said.contains("I will not."), "{said}");
    // The endpoint counted nothing, so it was estimated: something went in, nothing came out.
    let counts = counts(&llm);
    assert!(counts.tokens_in > 0);
    assert_eq!(counts.tokens_out, 0);
}

#[tokio::test]
async fn a_reply_that_was_cut_off_says_so() {
    let cut = cut_off("{\"gi").to_string();
    let endpoint = LlmEndpoint::doing(vec![Act::Body(cut.into_bytes())]);
    let said = ask(&client(settings(&endpoint)))
        .await
        .unwrap_err()
        .to_string();
    assert!(said.contains("cut off"), "{said}");
    assert!(said.contains("llm.max_reply_tokens"), "{said}");
}

#[tokio::test]
async fn a_part_of_a_reply_is_not_taken_for_all_of_it() {
    let cut = |text: &str| Act::Body(cut_off(text).to_string().into_bytes());
    let endpoint = LlmEndpoint::doing(vec![
        cut("{\"gist\": \"an ani"),
        cut("{\"gist\": \"an animal\"} I chose this because"),
    ]);
    let answer = ask(&client(settings(&endpoint))).await.unwrap();
    assert_eq!((answer.value.as_str(), answer.again), ("an animal", true));
    let told = &endpoint.asked()[1];
    assert!(
        told.message(3).contains("cut off for its length"),
        "{}",
        told.message(3)
    );
}

#[tokio::test]
async fn an_endpoint_that_counts_wildly_does_not_use_up_the_day() {
    let mut wild = completion("{\"gist\": \"an animal\"}");
    wild["usage"] = json!({"prompt_tokens": u32::MAX, "completion_tokens": u32::MAX});
    let endpoint = LlmEndpoint::doing(vec![Act::Body(wild.to_string().into_bytes())]);
    let llm = client(LlmSettings {
        daily_tokens: 20_000,
        max_reply_tokens: 64,
        ..settings(&endpoint)
    });
    ask(&llm).await.unwrap();
    let counts = counts(&llm);
    assert_eq!(counts.tokens_out, 64);
    let sent = endpoint.asked()[0].body.to_string().len() as u64;
    assert_eq!(counts.tokens_in, sent);
    ask(&llm).await.unwrap();
}
