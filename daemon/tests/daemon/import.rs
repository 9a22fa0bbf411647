//! Whole files from the command line: all or nothing, and only once.

use std::path::Path;

use serde_json::{Value as Json, json};

use crate::shell::{GRAPH, err, file, import, json, made, out, run};
use crate::support::Daemon;

#[test]
fn a_graph_is_imported_once_and_shows_in_lists() {
    let daemon = made("ann");
    let path = file(&daemon, "graph.json", GRAPH);
    assert_eq!(
        out(&import(&daemon, &path, &[])),
        "2 notes with 1 links came into ann; 0 were there already\n"
    );
    assert_eq!(
        out(&import(&daemon, &path, &[])),
        "0 notes with 0 links came into ann; 2 were there already\n"
    );
    let daemon = Daemon::start_in(daemon.kill(), &[]);
    let listed = out(&run(&daemon, &["note", "list", "--soul", "ann"]));
    let lines: Vec<&str> = listed.lines().collect();
    assert_eq!(lines.len(), 3, "{listed}");
    assert!(
        lines[1].contains("semantic  ") && lines[1].ends_with("雨: 她喜欢在雨里散步"),
        "{listed}"
    );
    assert!(lines[2].contains("2026-05-01 08:00"), "{listed}");
    let tagged = run(
        &daemon,
        &[
            "note", "list", "--soul", "ann", "--tag", "weather", "--json",
        ],
    );
    let note = json(&tagged);
    assert_eq!(
        note["mem_links"][0]["link_type"]["Sem"]["verb"],
        "calls for"
    );
    let read = run(
        &daemon,
        &[
            "note",
            "get",
            "--soul",
            "ann",
            "--json",
            note["id"].as_str().unwrap(),
        ],
    );
    assert_eq!(json(&read), note);
}

#[test]
fn a_graph_with_one_bad_entry_is_refused_by_file_path_and_reason() {
    let daemon = made("ann");
    let bad = GRAPH.replace("\"to\": \"walk\"", "\"to\": \"nowhere\"");
    let refused = import(&daemon, &file(&daemon, "graph.json", &bad), &[]);
    assert_eq!(refused.status.code(), Some(65));
    let message = err(&refused);
    assert!(
        message.contains("graph.json: [0].mem_links[0].to"),
        "{message}"
    );
    assert!(message.contains("nowhere"), "{message}");
    assert_eq!(
        out(&run(&daemon, &["note", "list", "--soul", "ann", "--json"])),
        ""
    );
    assert_eq!(
        import(&daemon, Path::new("/nowhere.json"), &[])
            .status
            .code(),
        Some(66)
    );
}

#[test]
fn a_refusal_shows_control_characters_of_a_file_and_does_not_obey_them() {
    let daemon = made("ann");
    let bad = GRAPH.replacen("\"tags\"", "\"\\u001b[2Jtags\"", 1);
    assert_ne!(bad, GRAPH);
    let message = err(&import(&daemon, &file(&daemon, "graph.json", &bad), &[]));
    assert!(message.contains(r"\u{1b}[2Jtags"), "{message}");
    assert!(!message.contains('\u{1b}'), "{message}");
}

#[test]
fn a_conversation_is_imported_once() {
    let daemon = made("ann");
    let lines = [
        r#"{"role": "user", "name": "阿哲", "text": "在不在", "at": "2026-06-05T12:08:00Z", "tz": "Asia/Shanghai"}"#,
        r#"{"role": "assistant", "text": "在呢", "at": "2026-06-05T12:08:42Z"}"#,
        r#"{"role": "assistant", "text": "在呢", "at": "2026-06-05T12:08:42Z"}"#,
    ];
    let path = file(&daemon, "talk.jsonl", &lines.join("\n"));
    assert_eq!(
        out(&import(&daemon, &path, &[])),
        "3 messages came into ann; 0 were there already\n"
    );
    assert_eq!(
        out(&import(&daemon, &path, &[])),
        "0 messages came into ann; 3 were there already\n"
    );
    let longer = file(
        &daemon,
        "longer.jsonl",
        &format!(
            "{}\n{}\n",
            lines.join("\n"),
            r#"{"role": "user", "text": "好"}"#
        ),
    );
    assert_eq!(
        out(&import(&daemon, &longer, &[])),
        "1 messages came into ann; 3 were there already\n"
    );

    let refused = import(
        &daemon,
        &file(
            &daemon,
            "bad.jsonl",
            &format!("{}\n{{\"role\": \"user\", \"txt\": 1}}", lines[0]),
        ),
        &[],
    );
    assert_eq!(refused.status.code(), Some(65));
    assert!(err(&refused).contains("bad.jsonl:2:"), "{}", err(&refused));
    let refused = import(
        &daemon,
        &file(
            &daemon,
            "zone.jsonl",
            r#"{"role": "user", "text": "x", "tz": "Mars"}"#,
        ),
        &[],
    );
    assert!(
        err(&refused).contains("zone.jsonl:1: tz: `Mars`"),
        "{}",
        err(&refused)
    );
}

#[test]
fn a_file_larger_than_one_piece_comes_in_whole() {
    let daemon = made("ann");
    let line =
        |n| json!({"role": "user", "text": format!("{n} {}", "x".repeat(100_000))}).to_string();
    let lines: Vec<String> = (0..30).map(line).collect();
    let path = file(&daemon, "large", &lines.join("\n"));
    let report = json(&import(&daemon, &path, &["--format", "messages", "--json"]));
    assert_eq!(
        report,
        json!({"notes": 0, "links": 0, "messages": 30, "known": 0})
    );
}

#[test]
fn the_sample_characters_come_in_whole() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/characters");
    let daemon = Daemon::start();
    for name in ["xiaohong", "tom"] {
        out(&run(&daemon, &["soul", "create", name]));
        let import = |file: &str| {
            let path = fixtures.join(name).join(file);
            let mut command = daemon.command(&["import", "--json", "--soul", name]);
            (
                json(&command.arg(&path).output().unwrap()),
                std::fs::read_to_string(path).unwrap(),
            )
        };
        let (report, graph) = import("graph.json");
        let count = serde_json::from_str::<Vec<Json>>(&graph).unwrap().len();
        assert_eq!(
            (&report["notes"], &report["known"]),
            (&json!(count), &json!(0)),
            "{name}"
        );
        let (report, talk) = import("conversation.jsonl");
        assert_eq!(report["messages"], json!(talk.lines().count()), "{name}");
    }
}
