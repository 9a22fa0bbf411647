//! The command line against a running daemon.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod support;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value as Json, json};
use support::{Daemon, soulmem};

const GRAPH: &str = r#"[
  {"id": "rain", "tags": ["weather"],
   "mem_type": {"Semantic": {"content": "雨", "concept_type": "Entity", "description": "她喜欢在雨里散步"}},
   "mem_links": [{"from": "rain", "to": "walk", "link_type": {"Sem": {"verb": "calls for", "confidence": 0.8}}}]},
  {"id": "walk", "created_at": "2026-05-01T08:00:00Z",
   "mem_type": {"Semantic": {"content": "a walk", "concept_type": "Abstract", "description": "slow, with a friend"}}}
]"#;

fn out(output: &Output) -> String {
    assert!(output.status.success(), "{}", err(output));
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn json(output: &Output) -> Json {
    serde_json::from_str(&out(output)).unwrap()
}

fn with_input(mut command: Command, input: &str) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    child.wait_with_output().unwrap()
}

fn file(daemon: &Daemon, name: &str, content: &str) -> PathBuf {
    let path = daemon.folder().join(name);
    std::fs::write(&path, content).unwrap();
    path
}

fn run(daemon: &Daemon, arguments: &[&str]) -> Output {
    daemon.command(arguments).output().unwrap()
}

fn made(soul: &str) -> Daemon {
    let daemon = Daemon::start();
    out(&run(
        &daemon,
        &[
            "soul",
            "create",
            soul,
            "--display-name",
            "小红",
            "--locale",
            "zh-CN",
        ],
    ));
    daemon
}

fn import(daemon: &Daemon, path: &Path, more: &[&str]) -> Output {
    daemon
        .command(&["import", "--soul", "ann"])
        .args(more)
        .arg(path)
        .output()
        .unwrap()
}

#[test]
fn characters_are_made_and_listed() {
    let daemon = Daemon::start();
    assert!(out(&run(&daemon, &["soul", "list"])).contains("soul create"));
    out(&run(
        &daemon,
        &["soul", "create", "xiaohong", "--display-name", "小红"],
    ));
    out(&run(&daemon, &["soul", "create", "tom"]));
    let listed = out(&run(&daemon, &["soul", "list"]));
    assert_eq!(listed, "soul      name  locale\ntom\nxiaohong  小红\n");
    let again = run(&daemon, &["soul", "create", "tom"]);
    assert_eq!(again.status.code(), Some(65));
    assert!(err(&again).contains("`tom` already"), "{}", err(&again));
}

#[test]
fn a_text_is_pushed_from_the_command_line_and_from_standard_input() {
    let daemon = made("ann");
    let said = out(&run(
        &daemon,
        &["push", "--soul", "ann", "--name", "Bo", "good", "morning"],
    ));
    assert_eq!(said, "1 message kept; window 1 of 12\n");
    let said = with_input(
        daemon.command(&["push", "--soul", "ann", "--role", "assistant", "--json"]),
        "第二句\n第三行\n",
    );
    assert_eq!(json(&said)["window"], json!({"len": 2, "capacity": 12}));
    let listed = daemon.connect().call(
        soulmem_proto::Op::MessageList,
        Some("ann"),
        support::map([]),
    );
    let listed = serde_json::to_value(listed.unwrap()).unwrap();
    assert_eq!(listed["messages"][0]["text"], "good morning");
    assert_eq!(listed["messages"][0]["name"], "Bo");
    assert_eq!(listed["messages"][1]["text"], "第二句\n第三行");
    assert_eq!(listed["messages"][1]["role"], "assistant");
}

#[test]
fn a_push_with_a_key_can_be_repeated() {
    let daemon = made("ann");
    let push = [
        "push",
        "--soul",
        "ann",
        "--key",
        "k",
        "--at",
        "2026-05-01T10:00:00Z",
        "once",
    ];
    out(&run(&daemon, &push));
    assert_eq!(
        out(&run(&daemon, &push)),
        "1 message was there already; window 1 of 12\n"
    );
}

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

#[test]
fn a_retrieve_shows_score_kind_time_and_text() {
    let daemon = made("ann");
    out(&import(&daemon, &file(&daemon, "graph.json", GRAPH), &[]));
    let said = [
        "push",
        "--soul",
        "ann",
        "--name",
        "阿哲",
        "--at",
        "2026-06-05T12:08:00Z",
        "雨里散步\u{1b}[2J",
    ];
    out(&run(&daemon, &said));
    let shown = out(&run(
        &daemon,
        &["retrieve", "--soul", "ann", "--no-record", "雨里散步"],
    ));
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(
        lines[0].split_whitespace().collect::<Vec<_>>(),
        ["score", "kind", "when", "text"]
    );
    assert!(
        lines[1].contains("  known  ") && lines[1].ends_with("雨: 她喜欢在雨里散步"),
        "{shown}"
    );
    let message = lines
        .iter()
        .find(|line| line.contains("  said   "))
        .unwrap();
    assert!(
        message.ends_with("2026-06-05 12:08  阿哲: 雨里散步\\u{1b}[2J"),
        "{shown}"
    );

    let answer = json(&run(
        &daemon,
        &["retrieve", "--soul", "ann", "--json", "雨里散步"],
    ));
    assert_eq!(answer["notes"][0]["text"], "雨: 她喜欢在雨里散步");
    let nothing = run(&daemon, &["retrieve", "--soul", "ann", "xylophone"]);
    assert_eq!(out(&nothing), "nothing comes to mind\n");
    let context = out(&run(
        &daemon,
        &["retrieve", "--soul", "ann", "--context", "雨里散步"],
    ));
    assert!(
        context.starts_with("<memories") && context.contains("她喜欢在雨里散步"),
        "{context}"
    );
    let query = r#"{"variant": {"Semantic": [{"concept_identifier": "a walk"}]}}"#;
    let asked = with_input(
        daemon.command(&["retrieve", "--soul", "ann", "--queries", "-", "--json"]),
        query,
    );
    assert_eq!(
        json(&asked)["notes"][0]["text"],
        "a walk: slow, with a friend"
    );
    assert_eq!(
        run(&daemon, &["retrieve", "--soul", "ann"]).status.code(),
        Some(64)
    );
}

#[test]
fn notes_and_links_are_put_from_json() {
    let daemon = made("ann");
    let note = r#"{"mem_type": {"Semantic": {"content": "tea", "concept_type": "Entity", "description": ""}}}"#;
    let tea = json(&with_input(
        daemon.command(&["note", "put", "--soul", "ann", "--json"]),
        note,
    ));
    let cup = json(&with_input(
        daemon.command(&["note", "put", "--soul", "ann", "--json"]),
        &note.replace("tea", "cup"),
    ));
    let link = json!([{"from": tea["id"], "to": cup["id"], "link_type": {"Sem": {"verb": "in", "confidence": 1.0}}}]);
    let id = out(&with_input(
        daemon.command(&["link", "put", "--soul", "ann"]),
        &link.to_string(),
    ));
    assert_eq!(id.trim().len(), 36);
    let refused = with_input(
        daemon.command(&["note", "put", "--soul", "ann"]),
        &note.replace("tea", " "),
    );
    assert_eq!(refused.status.code(), Some(65));
    assert!(
        err(&refused).contains("notes[0].mem_type.Semantic.content"),
        "{}",
        err(&refused)
    );
}

#[test]
fn status_shows_every_character() {
    let daemon = made("ann");
    let shown = out(&run(&daemon, &["status"]));
    assert!(shown.contains("LLM not configured"), "{shown}");
    assert!(
        shown
            .lines()
            .last()
            .unwrap()
            .starts_with("ann   idle   0      0"),
        "{shown}"
    );
    let status = json(&run(&daemon, &["status", "--json"]));
    assert_eq!(status["health"]["souls"][0]["soul"], "ann");
    assert_eq!(status["ping"]["state"], "Idle");
}

#[test]
fn without_a_daemon_a_command_says_how_to_start_one() {
    let folder = tempfile::tempdir().unwrap();
    let output = soulmem()
        .args(["status", "--data-dir"])
        .arg(folder.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(69));
    assert!(err(&output).contains("soulmem serve"), "{}", err(&output));

    let daemon = Daemon::start();
    let folder = daemon.kill();
    let output = soulmem()
        .args(["status", "--data-dir"])
        .arg(folder.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(69));
    assert!(err(&output).contains("does not answer"), "{}", err(&output));
}

#[test]
fn a_wrong_token_and_an_unknown_character_have_their_own_exit_codes() {
    let daemon = made("ann");
    let endpoint = support::endpoint_file(daemon.folder());
    let mut content: Json = serde_json::from_slice(&std::fs::read(&endpoint).unwrap()).unwrap();
    content["token"] = "0".repeat(64).into();
    let stale = file(&daemon, "stale.json", &content.to_string());
    let output = soulmem()
        .args(["status", "--endpoint"])
        .arg(stale)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(77));

    let output = run(&daemon, &["push", "--soul", "anne", "hi"]);
    assert_eq!(output.status.code(), Some(65));
    assert!(
        err(&output).contains("did you mean `ann`?"),
        "{}",
        err(&output)
    );
    assert!(
        err(&output).contains("soulmem soul create"),
        "{}",
        err(&output)
    );
    assert_eq!(
        run(&daemon, &["push", "--soul", "No Name", "hi"])
            .status
            .code(),
        Some(64)
    );
}
