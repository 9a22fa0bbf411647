//! Endpoints that do not answer.

use std::time::Duration;

use serde_json::json;
use soulmem::llm::{Fault, LlmFailure};
use soulmem_proto::ops::health::Condition;

use crate::asking::{ask, ask_within, client, counts, settings};
use crate::llm_endpoint::{Act, LlmEndpoint};

fn good() -> Act {
    Act::say(&json!({"gist": "an animal"}))
}

#[tokio::test]
async fn what_passes_is_asked_again_until_it_has_passed() {
    let busy = Act::Status(429, vec![("retry-after", "0".to_owned())], "{}".to_owned());
    for fault in [
        busy,
        Act::status(500),
        Act::status(503),
        Act::Reset,
        Act::ResetInBody,
        Act::EndInBody,
        Act::Body(b"{\"choices\": \"\xff\"}".to_vec()),
        Act::Body(b"<html>Bad gateway</html>".to_vec()),
        Act::Body(b"{}".to_vec()),
        Act::Body(Vec::new()),
    ] {
        let endpoint = LlmEndpoint::doing(vec![fault.clone(), fault.clone(), good()]);
        let llm = client(settings(&endpoint));
        let answer = ask(&llm).await.unwrap();
        assert_eq!(answer.value, "an animal", "{fault:?}");
        let counts = counts(&llm);
        assert_eq!(
            (counts.calls, counts.failures, counts.retries),
            (1, 0, 2),
            "{fault:?}"
        );
        assert_eq!(llm.health().unwrap().condition, Condition::Ready);
    }
}

#[tokio::test]
async fn what_does_not_pass_is_given_up_and_health_says_what_to_do() {
    let empty = r#"{"error": {"message": "no credit", "code": "insufficient_quota"}}"#;
    let elsewhere = vec![("location", "http://192.0.2.1/v1".to_owned())];
    for (act, asked, hint) in [
        (Act::status(500), 3, "500"),
        (Act::ResetInBody, 3, "broke off"),
        (Act::Body(b"\xff".to_vec()), 3, "UTF-8"),
        (Act::status(401), 1, "llm.key_env"),
        (Act::status(404), 1, "llm.model"),
        (Act::status(400), 1, "400"),
        (
            Act::Status(429, Vec::new(), empty.to_owned()),
            1,
            "account is empty",
        ),
        // Told to wait for an hour, it does not.
        (
            Act::Status(429, vec![("retry-after", "3600".to_owned())], String::new()),
            1,
            "429",
        ),
        (
            Act::Status(302, elsewhere, String::new()),
            1,
            "redirects are not followed",
        ),
        (Act::Endless, 1, "llm.max_reply_bytes"),
    ] {
        let endpoint = LlmEndpoint::doing(vec![act.clone()]);
        let mut settings = settings(&endpoint);
        settings.max_reply_bytes = 64 << 10;
        let llm = client(settings);
        let error = ask(&llm).await.unwrap_err();
        assert!(
            matches!(error.reason, LlmFailure::Endpoint(_)),
            "{act:?}: {error}"
        );
        assert_eq!(endpoint.asked().len(), asked, "{act:?}");
        let counts = counts(&llm);
        assert_eq!((counts.calls, counts.failures), (1, 1), "{act:?}");
        assert_eq!(counts.retries, asked as u64 - 1, "{act:?}");
        let health = llm.health().unwrap();
        let reason = health.reason.unwrap();
        assert_eq!(health.condition, Condition::Down, "{act:?}");
        assert!(reason.contains(hint), "{act:?}: {reason}");
    }
}

#[tokio::test]
async fn a_silent_endpoint_is_waited_for_so_long_and_no_longer() {
    let endpoint = LlmEndpoint::doing(vec![Act::Silence]);
    let mut settings = settings(&endpoint);
    settings.timeout = Duration::from_millis(50);
    let llm = client(settings);
    let error = ask(&llm).await.unwrap_err();
    let fault = Fault::Timeout(Duration::from_millis(50));
    assert_eq!(error.reason, LlmFailure::Endpoint(fault));
    assert_eq!(endpoint.asked().len(), 3);
    let counts = counts(&llm);
    assert_eq!((counts.failures, counts.retries), (1, 2));
    // Each attempt may have been worked at, and paid for.
    assert!(
        counts.tokens_in > 0 && counts.tokens_in.is_multiple_of(3),
        "{counts:?}"
    );
}

#[tokio::test]
async fn whoever_asks_may_be_less_patient() {
    let endpoint = LlmEndpoint::doing(vec![Act::Silence]);
    let llm = client(settings(&endpoint));
    let patience = Duration::from_millis(50);
    let error = ask_within(&llm, Some(patience)).await.unwrap_err();
    assert_eq!(error.reason, LlmFailure::Timeout(patience));
    let counts = counts(&llm);
    assert_eq!((counts.calls, counts.failures), (1, 1));
    // That it took too long for one who asked does not mean that it is down.
    let health = llm.health().unwrap();
    assert_eq!(health.condition, Condition::Ready);
    assert!(health.reason.unwrap().contains("50 ms"));
}

#[tokio::test]
async fn an_endpoint_that_is_not_there_cannot_be_reached() {
    let endpoint = LlmEndpoint::doing(vec![good()]);
    let settings = settings(&endpoint);
    drop(endpoint);
    // The port is free once the listener has seen that it is over.
    let llm = client(settings);
    let error = ask(&llm).await.unwrap_err();
    assert!(matches!(error.reason, LlmFailure::Endpoint(_)), "{error}");
    assert_eq!(llm.health().unwrap().condition, Condition::Down);
}

#[tokio::test]
async fn past_the_budget_nothing_is_sent_and_health_says_so() {
    let endpoint = LlmEndpoint::doing(vec![good()]);
    let mut settings = settings(&endpoint);
    settings.max_reply_tokens = 64;
    settings.daily_tokens = 100;
    let llm = client(settings);
    for _ in 0..2 {
        // Each takes 15, and might have taken 64 and what goes in.
        ask(&llm).await.unwrap();
    }
    let error = ask(&llm).await.unwrap_err();
    let LlmFailure::Budget(over) = error.reason else {
        panic!("{error}");
    };
    assert_eq!(over.left, 70);
    assert_eq!(endpoint.asked().len(), 2);
    let health = llm.health().unwrap();
    assert_eq!(health.condition, Condition::Down);
    let reason = health.reason.unwrap();
    assert!(
        reason.contains("llm.daily_tokens") && reason.contains("00:00 UTC"),
        "{reason}"
    );
}

#[tokio::test]
async fn without_a_model_nothing_is_sent_and_health_does_not_suffer() {
    let endpoint = LlmEndpoint::doing(vec![good()]);
    let mut settings = settings(&endpoint);
    settings.model = String::new();
    let llm = client(settings);
    let error = ask(&llm).await.unwrap_err();
    assert!(error.to_string().contains("llm.gist.model"), "{error}");
    assert!(endpoint.asked().is_empty());
    assert_ne!(llm.health().unwrap().condition, Condition::Down);
}
