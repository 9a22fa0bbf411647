//! Query files as they are written, and as they are refused.

use serde_json::{Value, json};
use soulmem_engine::recall::query::QueryVariant;

use super::*;
use crate::eval::data::case::{Half, PerQuery};

/// A folder with a graph of one concept, one experience, its pattern and the habit it triggers.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("graphs")).unwrap();
        std::fs::create_dir(folder.path().join("queries")).unwrap();
        let graph = json!([
            {"id": "mem_rust", "tags": ["Rust"], "mem_type": {"Semantic": {
                "content": "Rust", "aliases": ["rustlang"], "concept_type": "Entity", "description": "a language"}}},
            {"id": "sit_day", "mem_type": {"Situation": {"SpecificSituation": {
                "narrative": "wrote a server", "time_span": "2026-06-01T08:00:00Z", "context": {}}}}},
            {"id": "abs_work", "mem_type": {"Situation": {"AbstractSituation": {
                "Event": {"action": "programming", "action_intensity": 0.5, "initiator": "", "target": ""}}}}},
            {"id": "proc_hum", "mem_type": {"Procedure": {"action": {
                "content": "hums", "action_type": "Speak"}}}}
        ]);
        std::fs::write(folder.path().join("graphs/g.json"), graph.to_string()).unwrap();
        Self(folder)
    }

    fn read(&self, queries: &Value) -> Result<QueryFile, EvalError> {
        let file = self.0.path().join("queries/q.json");
        std::fs::write(&file, queries.to_string()).unwrap();
        QueryFile::read(&file)
    }
}

fn minimal() -> Value {
    json!({
        "name": "smoke",
        "graph_path": "../graphs/g.json",
        "test_cases": [{
            "name": "rust",
            "sub_queries": [
                {"priority": 1, "tag": ["Rust"], "variant": {"Semantic": [{"concept_identifier": "Rust"}]}},
                {"priority": 2, "tag": ["code"], "variant": {"Semantic": []}}
            ],
            "expected_per_query": [{"q": 1, "ranking": ["mem_rust"]}],
            "expected_combined_ranking": ["mem_rust"]
        }]
    })
}

#[test]
fn what_is_left_out_has_the_defaults_of_the_format() {
    let read = Folder::new().read(&minimal()).unwrap();
    assert_eq!(
        read.config,
        RetrieveConfig {
            similarity_threshold: 0.0,
            max_results: 10,
            k_values: vec![1, 3, 5]
        }
    );
    assert_eq!(read.variations, [Variation::default()]);
    let case = &read.cases[0];
    assert_eq!(case.half, Half::Tuned);
    assert_eq!(case.must, ["mem_rust"], "must is the combined ranking");
    assert_eq!(case.actions, None, "actions are not judged");
    assert_eq!(
        case.per_query,
        [PerQuery {
            query: 1,
            ranking: vec!["mem_rust".into()]
        }]
    );
    assert!(
        matches!(&case.sub_queries[1].variant, QueryVariant::Semantic(concepts) if concepts.is_empty())
    );
}

#[test]
fn everything_of_the_format_is_read() {
    let mut value = minimal();
    value["config"] =
        json!({"similarity_threshold": 0.2, "max_results": 7, "test_k_values": [5, 1, 5]});
    value["blend_sweep"] = json!({"tag_sweep": [0.1, 0.9]});
    let case = &mut value["test_cases"][0];
    case["holdout"] = json!(true);
    case["must"] = json!(["sit_day"]);
    case["bonus_combined_ranking"] = json!(["mem_rust"]);
    case["expected_actions"] = json!(["proc_hum"]);
    case["expected_abstract"] = json!(["abs_work"]);
    let read = Folder::new().read(&value).unwrap();
    assert_eq!(read.config.k_values, [1, 5], "ascending, each once");
    assert_eq!(read.config.max_results, 7);
    assert_eq!(read.variations.len(), 2);
    let case = &read.cases[0];
    assert_eq!(case.half, Half::Holdout);
    assert_eq!(case.must, ["sit_day"]);
    assert_eq!(case.bonus, ["mem_rust"]);
    assert_eq!(case.actions.as_deref(), Some(&["proc_hum".to_owned()][..]));
    assert_eq!(case.abstracts, ["abs_work"]);
}

#[test]
fn an_error_names_file_place_and_reason() {
    let folder = Folder::new();
    for (pointer, wrong, place, reason) in [
        (
            "/test_cases/0/must",
            json!(["mem_rusty"]),
            "test_cases[0].must[0]",
            "did you mean `mem_rust`",
        ),
        (
            "/test_cases/0/bonus",
            json!(["mem_rust", "mem_rust"]),
            "test_cases[0].bonus[1]",
            "twice",
        ),
        (
            "/test_cases/0/expected_actions",
            json!(["sit_day"]),
            "test_cases[0].expected_actions[0]",
            "is of kind specific_situation; give procedure",
        ),
        (
            "/test_cases/0/expected_abstract",
            json!(["mem_rust"]),
            "test_cases[0].expected_abstract[0]",
            "give abstract_situation notes",
        ),
        (
            "/test_cases/0/expected_per_query",
            json!([{"q": 2, "ranking": []}]),
            "test_cases[0].expected_per_query[0].q",
            "2 sub-queries",
        ),
        (
            "/test_cases/0/sub_queries",
            json!([]),
            "test_cases[0].sub_queries",
            "nothing is asked",
        ),
        (
            "/test_cases/0/sub_queries",
            json!([{"tag": [], "variant": {"Semantic": []}}]),
            "test_cases[0].sub_queries[0].variant",
            "asks for nothing",
        ),
        (
            "/test_cases/0/sub_queries",
            json!([{"tags": ["x"], "variant": {"Semantic": []}}]),
            "test_cases[0].sub_queries[0].tags",
            "did you mean `tag`",
        ),
        (
            "/test_cases/0/sub_queries",
            json!([{"variant": {"Semantic": [{"concept_identifer": "Rust"}]}}]),
            "test_cases[0].sub_queries[0].variant",
            "concept_identifier",
        ),
        (
            "/test_cases/0/expected_action",
            json!([]),
            "test_cases[0].expected_action",
            "did you mean `expected_actions`",
        ),
        ("/test_cases", json!([]), "test_cases", "nothing to run"),
        (
            "/config",
            json!({"max_results": 0}),
            "config.max_results",
            "1 or more",
        ),
        (
            "/config",
            json!({"test_k_values": [0]}),
            "config.test_k_values",
            "1 or more",
        ),
        (
            "/config",
            json!({"similarity_threshold": 2}),
            "config.similarity_threshold",
            "0 to 1",
        ),
        (
            "/blend_sweep",
            json!({"pairs": []}),
            "blend_sweep.pairs",
            "empty",
        ),
    ] {
        let mut value = minimal();
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        value.pointer_mut(parent).unwrap()[key] = wrong;
        let message = folder.read(&value).unwrap_err().to_string();
        let (file, rest) = message.split_once("q.json: ").unwrap();
        assert!(file.ends_with("queries/"), "{message}");
        assert!(rest.starts_with(place), "{message}");
        assert!(rest.contains(reason), "{message}");
    }
}

#[test]
fn a_graph_that_is_not_there_or_is_refused_is_named() {
    let folder = Folder::new();
    let mut value = minimal();
    value["graph_path"] = json!("../graphs/other.json");
    let message = folder.read(&value).unwrap_err().to_string();
    assert!(message.contains("other.json"), "{message}");
    std::fs::write(
        folder.0.path().join("graphs/other.json"),
        r#"[{"id": "x"}]"#,
    )
    .unwrap();
    let message = folder.read(&value).unwrap_err().to_string();
    assert!(
        message.contains("q.json: graph_path") && message.contains("[0].mem_type: is missing"),
        "{message}"
    );
}

#[test]
fn what_is_not_json_is_refused_with_the_line() {
    let folder = Folder::new();
    let file = folder.0.path().join("queries/q.json");
    std::fs::write(&file, "{\n \"name\": }").unwrap();
    let message = QueryFile::read(&file).unwrap_err().to_string();
    assert!(
        message.contains("q.json: not valid JSON") && message.contains("line 2"),
        "{message}"
    );
}
