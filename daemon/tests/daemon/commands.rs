//! The command line against a running daemon.

use serde_json::{Value as Json, json};

use crate::shell::{GRAPH, err, file, import, json, made, out, run, with_input};
use crate::support::{Daemon, map, soulmem};

#[test]
fn nothing_is_pushed_from_an_empty_input() {
    let daemon = made("ann");
    for arguments in [
        &["push", "--soul", "ann"][..],
        &["push", "--soul", "ann", "--file", "-"],
    ] {
        for input in ["", "\n"] {
            let refused = with_input(daemon.command(arguments), input);
            assert_eq!(refused.status.code(), Some(65), "{arguments:?} {input:?}");
            assert!(err(&refused).contains("nothing to push"));
        }
    }
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
    let listed = daemon
        .connect()
        .call(soulmem_proto::Op::MessageList, Some("ann"), map([]));
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
    let endpoint = crate::support::endpoint_file(daemon.folder());
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
