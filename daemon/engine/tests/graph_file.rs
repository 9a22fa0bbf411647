//! Graph files: what they may hold, and how each fault is told.

use serde_json::{Value, json};
use soulmem_engine::model::graph_file::{GraphFile, GraphFileError, export, note_id, parse};
use soulmem_engine::model::*;

fn read(file: &Value) -> Result<GraphFile, GraphFileError> {
    parse(file.to_string().as_bytes(), "memory.json", "xiaohong")
}

fn rust_and_c() -> Value {
    json!([
        {"id": "mem_rust", "tags": ["编程"],
         "mem_type": {"Semantic": {"content": "Rust语言", "aliases": ["Rust"], "concept_type": "Entity", "description": "一种系统编程语言"}},
         "mem_links": [{"from": "mem_rust", "to": "mem_c", "intensity": 0.8, "link_type": {"Sem": {"verb": "related", "confidence": 0.7}}}]},
        {"id": "mem_c", "tags": [],
         "mem_type": {"Semantic": {"content": "C语言", "aliases": [], "concept_type": "Entity", "description": ""}}}
    ])
}

/// The file with the value at the JSON pointer `place` replaced or added.
fn with(place: &str, value: Value) -> Value {
    let mut file = rust_and_c();
    let (parent, key) = place.rsplit_once('/').expect("a pointer has a slash");
    file.pointer_mut(parent).expect("the parent is there")[key] = value;
    file
}

#[test]
fn notes_and_links_get_ids_that_depend_only_on_soul_and_id() {
    let first = read(&rust_and_c()).unwrap();
    let again = read(&rust_and_c()).unwrap();
    assert_eq!(first, again);
    let rust = &first.notes[0];
    assert_eq!(rust.id, Some(note_id("xiaohong", "mem_rust")));
    assert_eq!(first.ids["mem_c"], note_id("xiaohong", "mem_c"));
    assert_ne!(note_id("xiaohong", "mem_c"), note_id("ann", "mem_c"));
    assert_eq!(rust.mem_links[0].to, note_id("xiaohong", "mem_c"));
    assert_eq!(rust.mem_links[0].intensity, Some(0.8));
    assert_eq!(
        rust.source,
        [Source::Import {
            file: "memory.json".into(),
            id: "mem_rust".into()
        }]
    );
}

#[test]
fn a_uuid_stands_for_itself() {
    let uuid = "0190163d-8694-739b-aea5-966c26f8ad91";
    assert_eq!(note_id("xiaohong", uuid).to_string(), uuid);
}

#[test]
fn links_keep_their_ids_when_their_order_changes() {
    let link =
        |verb: &str| json!({"to": "mem_c", "link_type": {"Sem": {"verb": verb, "confidence": 1}}});
    let ids = |file: &Value| -> Vec<_> {
        let file = read(file).unwrap();
        file.notes[0].mem_links.iter().map(|l| l.id).collect()
    };
    let one = ids(&with(
        "/0/mem_links",
        json!([link("a"), link("b"), link("b")]),
    ));
    let other = ids(&with(
        "/0/mem_links",
        json!([link("b"), link("a"), link("b")]),
    ));
    assert_eq!(one, [other[1], other[0], other[2]]);
    assert_ne!(one[1], one[2]);
}

#[test]
fn all_that_a_note_has_may_be_given() {
    let mut file = rust_and_c();
    let note = file[0].as_object_mut().unwrap();
    let more = json!({
        "create_time": "2024-01-01T00:00:00Z", "last_accessed_time": "2025-01-01T00:00:00+08:00",
        "retrieval_count": 7, "valid_from": "2023-01-01T00:00:00Z",
        "valid_until": "2025-01-01T00:00:00Z", "superseded_by": "mem_c",
        "affect": {"importance": 9, "pinned": true},
        "anchors": [{"field": "content", "start": 0, "end": 4, "gist": "a tool", "kind": "Name"}],
        "source": ["Given"]
    });
    note.extend(more.as_object().unwrap().clone());
    let file = read(&file).unwrap();
    let draft = &file.notes[0];
    assert_eq!(
        draft.created_at.unwrap().to_string(),
        "2024-01-01T00:00:00Z"
    );
    assert_eq!(
        draft.last_accessed_at.unwrap().to_string(),
        "2024-12-31T16:00:00Z"
    );
    assert_eq!(draft.retrieval_count, 7);
    assert_eq!(draft.superseded_by, Some(file.ids["mem_c"]));
    assert_eq!(draft.affect.importance, Some(9));
    assert_eq!(draft.anchors[0].kind, Some(AnchorKind::Name));
    assert_eq!(draft.source, [Source::Given]);
}

#[test]
fn each_fault_is_told_with_file_path_and_reason() {
    let sem = "/0/mem_type/Semantic";
    let link = "/0/mem_links/0";
    #[rustfmt::skip]
    let cases = [
        (json!({}), "the file", "expected a sequence"),
        (with("/0/id", json!("")), "[0].id", "must not be empty"),
        (with("/1/id", json!("mem_rust")), "[1].id", "also the id of entry [0]"),
        (with("/1/mem_typ", json!(1)), "[1].mem_typ", "did you mean `mem_type`?"),
        (with("/0/crated_at", json!(1)), "[0].crated_at", "did you mean `created_at`?"),
        (with(&format!("{sem}/descripton"), json!("x")), "[0].mem_type.Semantic.descripton", "did you mean `description`?"),
        (with(&format!("{sem}/concept_type"), json!("Entitty")), "[0].mem_type.Semantic.concept_type", "did you mean `Entity`?"),
        (with(&format!("{sem}/content"), json!(5)), "[0].mem_type.Semantic.content", "expected a string"),
        (with(&format!("{sem}/content"), json!(" ")), "[0].mem_type.Semantic.content", "must not be empty"),
        (with("/0/mem_type", json!({"Semantic": {"concept_type": "Entity"}})), "[0].mem_type.Semantic.content", "is missing"),
        (with("/0/mem_type", json!({"Semantic": {}, "Procedure": {}})), "[0].mem_type", "exactly one of: Semantic, Situation, Procedure"),
        (with("/0/mem_type", json!({"Sematic": {}})), "[0].mem_type", "did you mean `Semantic`?"),
        (with("/0/mem_type", json!("Semantic")), "[0].mem_type", "needs a value"),
        (with("/0/mem_type", json!({"Procedure": {"action": {"content": "x", "action_type": {"Speak": {}}}}})), "[0].mem_type.Procedure.action.action_type.Speak", "takes no value"),
        (with("/0/mem_type", json!({"Procedure": {"action": {"content": "x", "action_type": {"Skill": {"level": 3}}}}})), "[0].mem_type.Procedure.action.action_type.Skill.level", "not a known field"),
        (with("/0/mem_type", json!({"Situation": {"SpecificSituation": {"narrative": "x", "time_span": {"start": "2026-06-01T08:00:00Z", "end": "2026-06-01T08:00:00Z", "stop": 1}}}})), "[0].mem_type.Situation.SpecificSituation.time_span.stop", "not a known field"),
        (with("/0/mem_type", json!({"Situation": {"SpecificSituation": {"narrative": "x", "time_span": "yesterday"}}})), "[0].mem_type.Situation.SpecificSituation.time_span", "yesterday"),
        (with("/0/affect", json!({"importance": 300})), "[0].affect.importance", "300"),
        (with("/0/affect", json!({"importance": 12})), "[0].affect.importance", "from 1 to 10"),
        (with("/0/superseded_by", json!("mem_d")), "[0].superseded_by", "did you mean `mem_c`?"),
        (with(&format!("{link}/to"), json!("mem_d")), "[0].mem_links[0].to", "no note of the file has the id `mem_d`; did you mean `mem_c`?"),
        (with(&format!("{link}/to"), json!("mem_rust")), "[0].mem_links[0].to", "the note that the link starts from"),
        (with(&format!("{link}/from"), json!("mem_c")), "[0].mem_links[0].from", "stands in the note `mem_rust`"),
        (with(&format!("{link}/intensity"), json!(-1)), "[0].mem_links[0].intensity", "-1"),
        (with(&format!("{link}/link_type"), json!({"Sem": {"verb": "x", "confidence": 2}})), "[0].mem_links[0].link_type.Sem.confidence", "from 0 to 1"),
        (with(&format!("{link}/id"), json!("link-1")), "[0].mem_links[0].id", "not an id"),
    ];
    for (file, path, reason) in cases {
        let Err(GraphFileError::Entry { file, error }) = read(&file) else {
            panic!("{path} was accepted");
        };
        assert_eq!(file, "memory.json");
        assert_eq!(error.field, path, "{error}");
        assert!(error.reason.contains(reason), "{error}");
    }
}

#[test]
fn a_link_id_may_stand_once() {
    let id = "0190163d-8694-739b-aea5-966c26f8ad91";
    let link =
        json!({"id": id, "to": "mem_c", "link_type": {"Situation": {"AbstractToSpecific": {}}}});
    let error = read(&with("/0/mem_links", json!([link.clone(), link]))).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("memory.json: [0].mem_links[1].id: {id} is also [0].mem_links[0].id")
    );
}

#[test]
fn bad_json_is_told_with_line_and_column() {
    for (text, place) in [
        ("[\n  {\"id\": ]", "line 2 column 10"),
        ("", "line 1 column 0"),
        ("[1e999]", "line 1 column 6"),
        ("[{\"id\": \"a\",\n  \"id\": \"b\"}]", "line 2 column 6"),
    ] {
        let error = parse(text.as_bytes(), "memory.json", "xiaohong").unwrap_err();
        assert!(matches!(error, GraphFileError::Json { .. }), "{error}");
        assert!(
            error
                .to_string()
                .starts_with("memory.json: not valid JSON: ")
        );
        assert!(error.to_string().ends_with(place), "{error}");
    }
    assert!(parse(b"[\xff]", "memory.json", "xiaohong").is_err());
    assert!(parse("[".repeat(100_000).as_bytes(), "memory.json", "xiaohong").is_err());
}

#[test]
fn a_byte_order_mark_is_skipped() {
    let text = format!("\u{feff}{}", rust_and_c());
    assert!(parse(text.as_bytes(), "memory.json", "xiaohong").is_ok());
}

#[test]
fn an_export_keeps_ids_and_tells_the_links_it_cannot_hold() {
    let clock = FixedClock("2026-06-01T08:00:00Z".parse().unwrap());
    let ids = SequentialIds::new();
    let notes: Vec<MemoryNote> = read(&rust_and_c())
        .unwrap()
        .notes
        .into_iter()
        .map(|draft| draft.build(&clock, &ids).unwrap())
        .collect();
    let whole = export(&notes, "xiaohong").unwrap();
    assert!(whole.links_left_out.is_empty());
    let file = parse(whole.json.as_bytes(), "other.json", "xiaohong").unwrap();
    assert_eq!(file.ids.keys().collect::<Vec<_>>(), ["mem_c", "mem_rust"]);
    let again: Vec<MemoryNote> = file
        .notes
        .into_iter()
        .map(|draft| draft.build(&clock, &ids).unwrap())
        .collect();
    assert_eq!(again, notes);

    let part = export(&notes[..1], "xiaohong").unwrap();
    assert_eq!(part.links_left_out, [notes[0].mem_links[0].id]);
    assert!(parse(part.json.as_bytes(), "part.json", "xiaohong").is_ok());
}
