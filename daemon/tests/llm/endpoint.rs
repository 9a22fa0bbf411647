//! What is sent where, and how an endpoint wants to be asked.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use serde_json::json;
use soulmem::llm::{KeySource, LlmFailure, LlmSettings, Mode, ModeChoice};

use crate::asking::{ask, client, settings};
use crate::llm_endpoint::{Act, Asked, LlmEndpoint};

/// An endpoint of which this is the best mode.
fn endpoint_with(best: Mode) -> LlmEndpoint {
    LlmEndpoint::choosing(move |asked| {
        let probe = asked.schema() == Some("probe");
        match asked.body["response_format"]["type"].as_str() {
            Some("json_schema") if best < Mode::Schema => Act::status(400),
            Some("json_object") if best < Mode::Json => Act::status(400),
            Some("json_schema") if probe => Act::say(&json!({"colour": "ochre"})),
            _ => Act::say(&json!({"gist": "an animal"})),
        }
    })
}

fn automatic(endpoint: &LlmEndpoint) -> LlmSettings {
    LlmSettings {
        mode: ModeChoice::Auto,
        ..settings(endpoint)
    }
}

fn formats(asked: &[Asked]) -> Vec<&str> {
    let format = |asked: &Asked| asked.body["response_format"]["type"].clone();
    let name = |format: serde_json::Value| match format.as_str() {
        Some("json_schema") => "schema",
        Some("json_object") => "json",
        _ => "plain",
    };
    asked.iter().map(format).map(name).collect()
}

#[tokio::test]
async fn the_best_mode_is_found_once_and_remembered() {
    for (best, probes) in [
        (Mode::Schema, vec!["schema"]),
        (Mode::Json, vec!["schema", "json"]),
        (Mode::Plain, vec!["schema", "json", "plain"]),
    ] {
        let endpoint = endpoint_with(best);
        let llm = client(automatic(&endpoint));
        for _ in 0..2 {
            assert_eq!(ask(&llm).await.unwrap().value, "an animal");
        }
        let asked = endpoint.asked();
        let mut expected = probes;
        expected.extend([best.as_str(); 2]);
        assert_eq!(formats(&asked), expected);
    }
}

#[tokio::test]
async fn a_schema_that_is_taken_but_not_followed_does_not_count() {
    let endpoint = LlmEndpoint::choosing(|asked| {
        let is_probe = asked.message(1).contains("two and two");
        if is_probe {
            return Act::Say("Four.".to_owned());
        }
        Act::say(&json!({"gist": "an animal"}))
    });
    let llm = client(automatic(&endpoint));
    ask(&llm).await.unwrap();
    let asked = endpoint.asked();
    assert_eq!(formats(&asked), ["schema", "json", "plain", "plain"]);
    // What the endpoint does not take the model is told in words.
    assert!(asked[3].message(0).contains("JSON schema"));
}

#[tokio::test]
async fn nothing_is_concluded_from_an_endpoint_that_is_down() {
    let mut down = 9;
    let endpoint = LlmEndpoint::choosing(move |asked| {
        if down > 0 {
            down -= 1;
            return Act::status(503);
        }
        match asked.schema() {
            Some("probe") => Act::say(&json!({"colour": "ochre"})),
            _ => Act::say(&json!({"gist": "an animal"})),
        }
    });
    let llm = client(automatic(&endpoint));
    for _ in 0..3 {
        let error = ask(&llm).await.unwrap_err();
        assert!(matches!(error.reason, LlmFailure::Endpoint(_)), "{error}");
    }
    ask(&llm).await.unwrap();
    let asked = endpoint.asked();
    assert_eq!(formats(&asked[9..]), ["schema", "schema"]);
}

#[tokio::test]
async fn a_schema_that_an_endpoint_cannot_take_is_asked_for_otherwise() {
    let endpoint = LlmEndpoint::choosing(|asked| match asked.schema() {
        Some("probe") => Act::say(&json!({"colour": "ochre"})),
        Some(_) => {
            let body = json!({"error": {"message": "Invalid schema for response_format"}});
            Act::Status(400, Vec::new(), body.to_string())
        }
        None => Act::say(&json!({"gist": "an animal"})),
    });
    let llm = client(automatic(&endpoint));
    for _ in 0..2 {
        assert!(!ask(&llm).await.unwrap().again);
    }
    let asked = endpoint.asked();
    assert_eq!(formats(&asked), ["schema", "schema", "json", "json"]);
    assert!(asked[2].message(0).contains("JSON schema"));
}

#[tokio::test]
async fn newer_names_of_parameters_are_learned() {
    let endpoint = LlmEndpoint::choosing(|asked| {
        let objection = if asked.body.get("max_tokens").is_some() {
            "'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
        } else if asked.body.get("temperature").is_some() {
            "'temperature' does not support 0 with this model."
        } else {
            return Act::say(&json!({"gist": "an animal"}));
        };
        let body = json!({"error": {"message": objection}});
        Act::Status(400, Vec::new(), body.to_string())
    });
    let llm = client(settings(&endpoint));
    for _ in 0..2 {
        ask(&llm).await.unwrap();
    }
    let asked = endpoint.asked();
    assert_eq!(asked.len(), 4);
    assert!(asked[3].body["max_completion_tokens"].is_u64());
}

#[tokio::test]
async fn the_key_goes_to_the_endpoint_and_a_new_one_counts_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("key");
    fs::write(&file, "first\n").unwrap();
    fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
    let endpoint = LlmEndpoint::doing(vec![Act::say(&json!({"gist": "an animal"}))]);
    let mut settings = settings(&endpoint);
    settings.key = KeySource {
        variable: None,
        file: Some(file.clone()),
    };
    let llm = client(settings);
    ask(&llm).await.unwrap();
    fs::write(&file, "second\n").unwrap();
    ask(&llm).await.unwrap();
    fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
    let error = ask(&llm).await.unwrap_err();
    assert!(matches!(error.reason, LlmFailure::Unusable(_)), "{error}");
    assert!(error.to_string().contains("chmod 600"), "{error}");
    let asked = endpoint.asked();
    let keys: Vec<_> = asked
        .iter()
        .map(|asked| asked.header("authorization"))
        .collect();
    assert_eq!(keys, [Some("Bearer first"), Some("Bearer second")]);
    assert_eq!(asked[0].path, "/v1/chat/completions");
}

#[tokio::test]
async fn a_key_that_an_endpoint_repeats_is_not_passed_on() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("key");
    fs::write(&file, "sk-secret").unwrap();
    fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
    let body = json!({"error": {"message": "Incorrect API key provided: sk-secret."}});
    let endpoint = LlmEndpoint::doing(vec![Act::Status(401, Vec::new(), body.to_string())]);
    let mut settings = settings(&endpoint);
    settings.key.file = Some(file);
    let llm = client(settings);
    let said = ask(&llm).await.unwrap_err().to_string();
    assert!(
        !said.contains("sk-secret") && said.contains("[key]"),
        "{said}"
    );
    assert!(!llm.health().unwrap().reason.unwrap().contains("sk-secret"));
}

#[tokio::test]
async fn without_a_key_none_is_sent() {
    let endpoint = LlmEndpoint::doing(vec![Act::say(&json!({"gist": "an animal"}))]);
    ask(&client(settings(&endpoint))).await.unwrap();
    let asked = &endpoint.asked()[0];
    assert_eq!(asked.header("authorization"), None);
    assert_eq!(asked.header("openai-organization"), None);
}
