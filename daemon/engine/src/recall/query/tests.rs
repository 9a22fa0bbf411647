use super::*;

fn variant(json: &str) -> Result<QueryVariant, String> {
    serde_json::from_str(json).map_err(|error| error.to_string())
}

fn concept(name: &str) -> SemanticQuery {
    SemanticQuery {
        concept_identifier: name.into(),
        description: None,
    }
}

#[test]
fn wrapped_and_single_shapes_mean_the_same() {
    let expected = Ok(QueryVariant::Semantic(vec![concept("猫")]));
    assert_eq!(
        variant(r#"{"Semantic": [{"concept_identifier": "猫"}]}"#),
        expected
    );
    assert_eq!(
        variant(r#"{"Semantic": {"concept_identifier": "猫"}}"#),
        expected
    );
    assert_eq!(variant(r#"{"concept_identifier": "猫"}"#), expected);
    let rain = SituationQuery {
        narrative: Some("下雨".into()),
        ..SituationQuery::default()
    };
    let expected = Ok(QueryVariant::Situation(vec![rain]));
    assert_eq!(
        variant(r#"{"Situation": [{"narrative": "下雨"}]}"#),
        expected
    );
    assert_eq!(variant(r#"{"Situation": {"narrative": "下雨"}}"#), expected);
    assert_eq!(variant(r#"{"narrative": "下雨"}"#), expected);
}

/// The fault this guards against: an untagged decoder took a wrapped query for a single one without a concept, so
/// every query searched for nothing.
#[test]
fn a_wrapped_query_is_never_a_single_one_with_nothing_in_it() {
    let json = r#"{"Semantic": [{"concept_identifier": "Rust", "description": "a language"}]}"#;
    let Ok(QueryVariant::Semantic(concepts)) = variant(json) else {
        panic!("not semantic")
    };
    assert_eq!(concepts[0].concept_identifier, "Rust");
    assert_eq!(concepts[0].description.as_deref(), Some("a language"));
}

#[test]
fn key_order_does_not_matter_in_a_single_query() {
    let Ok(QueryVariant::Semantic(concepts)) =
        variant(r#"{"description": "d", "concept_identifier": "c"}"#)
    else {
        panic!("not semantic")
    };
    assert_eq!(
        (
            concepts[0].concept_identifier.as_str(),
            concepts[0].description.as_deref()
        ),
        ("c", Some("d"))
    );
}

#[test]
fn refusals_name_the_key() {
    for (json, word) in [
        ("{}", "empty map"),
        (r#"{"Semantik": []}"#, "Semantik"),
        (r#"{"Semantic": [], "Situation": []}"#, "Situation"),
        (r#"{"description": "only"}"#, "concept_identifier"),
        (r#"{"Semantic": ["text"]}"#, "SemanticQuery"),
        (r#""Semantic""#, "Situation"),
    ] {
        let error = variant(json).expect_err(json);
        assert!(error.contains(word), "{json}: {error}");
    }
}

#[test]
fn lists_may_be_given_as_one_element() {
    let json = r#"{"location": {"name": "茶馆"}, "event": {"action": "下棋"}, "time_span": {"start": "2026-01-01T00:00:00Z"}}"#;
    let Ok(QueryVariant::Situation(situations)) = variant(json) else {
        panic!("not a situation")
    };
    assert_eq!(situations[0].location[0].name.as_deref(), Some("茶馆"));
    assert_eq!(situations[0].event[0].action.as_deref(), Some("下棋"));
    assert_eq!(situations[0].time_span.len(), 1);
    let query: SubQuery =
        serde_json::from_str(r#"{"tag": "猫", "variant": {"Semantic": []}}"#).unwrap();
    assert_eq!(query.tag, ["猫"]);
}

#[test]
fn a_query_must_ask_for_something() {
    let query = |json: &str| serde_json::from_str::<SubQuery>(json).unwrap();
    assert!(
        query(r#"{"tag": ["猫"], "variant": {"Semantic": []}}"#)
            .check()
            .is_ok()
    );
    assert!(query(r#"{"variant": {"Semantic": []}}"#).check().is_err());
    assert!(
        query(r#"{"tag": [" "], "variant": {"Situation": [{"narrative": " "}]}}"#)
            .check()
            .is_err()
    );
    let backwards = r#"{"variant": {"Situation": [{"time_span":
        [{"start": "2026-01-02T00:00:00Z", "end": "2026-01-01T00:00:00Z"}]}]}}"#;
    assert_eq!(
        query(backwards).check().unwrap_err().field,
        "variant.Situation[0].time_span[0]"
    );
}
