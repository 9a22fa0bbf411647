//! Documents, passages and rows of talk from the command line: what is good comes in once, what is bad is named.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value as Json, json};

use crate::shell::{err, file, import, json, made, out, run};
use crate::support::Daemon;

fn folder(daemon: &Daemon, files: &[(&str, &[u8])]) -> PathBuf {
    let root = daemon.folder().join("documents");
    for (name, bytes) in files {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    root
}

fn notes(daemon: &Daemon) -> Vec<Json> {
    let listed = out(&run(daemon, &["note", "list", "--soul", "ann", "--json"]));
    listed
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn a_folder_comes_in_once_and_says_what_it_left_out() {
    let daemon = made("ann");
    let long = "江边的茶馆从前天天开门。".repeat(60);
    let root = folder(
        &daemon,
        &[
            ("a/tea.md", "---\ntitle: Tea house\naliases: [茶馆]\ntags: [place]\n---\nBy the river.\n\n## Flood\nIt was wet.\n".as_bytes()),
            ("b.txt", long.as_bytes()),
            ("binary.txt", b"\x00\x01"),
            ("empty.md", b"\n\n"),
            ("latin1.txt", b"caf\xe9"),
            ("picture.png", b"png"),
            (".hidden.md", b"# not this"),
        ],
    );
    let report = json(&import(&daemon, &root, &["--json"]));
    // 60 sentences of 12 characters are 720 tokens: two notes of at most 400. With the two sections that is four.
    assert_eq!(report["notes"], json!(4));
    let skipped: Vec<(&str, &str)> = report["skipped"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["file"].as_str().unwrap(), one["why"].as_str().unwrap()))
        .collect();
    assert_eq!(
        skipped,
        [
            ("binary.txt", "is binary"),
            ("empty.md", "is empty"),
            ("latin1.txt", "is not UTF-8: the byte at 3 fits nowhere"),
            (
                "picture.png",
                "is neither Markdown (.md) nor plain text (.txt)"
            ),
        ]
    );

    let kept = notes(&daemon);
    assert_eq!(kept.len(), 4);
    let of = |name: &str| {
        let found = kept
            .iter()
            .find(|note| note["mem_type"]["Semantic"]["content"] == name);
        found.unwrap_or_else(|| panic!("no note {name}: {kept:?}"))
    };
    let tea = &of("Tea house")["mem_type"]["Semantic"];
    assert_eq!(
        (&tea["aliases"], &tea["description"]),
        (&json!(["茶馆"]), &json!("By the river."))
    );
    assert_eq!(of("Tea house: Flood")["tags"], json!(["place"]));
    assert_eq!(of("b (2)")["mem_type"]["Semantic"]["aliases"], json!(["b"]));

    // Again it adds nothing, after a crash too; what is new is added.
    let daemon = Daemon::start_in(daemon.kill(), &[]);
    fs::write(root.join("c.txt"), "One more.").unwrap();
    let again = import(&daemon, &root, &[]);
    let shown = out(&again);
    assert!(
        shown.starts_with("1 notes came into ann; 4 were there already; 4 skipped\n"),
        "{shown}"
    );
    assert!(shown.contains("skipped binary.txt: is binary\n"), "{shown}");
    assert_eq!(notes(&daemon).len(), 5);
}

#[test]
fn passages_are_found_by_title_and_alias() {
    let daemon = made("ann");
    let rows = [
        r#"{"id": "p0", "title": "Kestrel Lake (Oregon)", "text": "A lake where herons breed.", "speaker": "", "time": ""}"#,
        r#"{"id": "p1", "title": "", "text": "no title"}"#,
        r#"{"id": "p2", "title": "Heron"#,
        r#"{"id": "p3", "title": "Heron", "text": " "}"#,
        r#"{"id": "p4", "title": "Kestrel Lake (Oregon)", "text": "A lake where herons breed."}"#,
        r#"{"id": "p5", "title": "苍鹭", "text": "一种水鸟。", "aliases": ["灰鹭"]}"#,
    ];
    let path = file(&daemon, "passages.jsonl", &rows.join("\n"));
    let report = json(&import(&daemon, &path, &["--json"]));
    assert_eq!((&report["notes"], &report["known"]), (&json!(2), &json!(0)));
    let lines: Vec<i64> = report["skipped"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["line"].as_i64().unwrap())
        .collect();
    // The first pass names the rows that are none, the second the one that repeats another.
    assert_eq!(lines, [2, 3, 4, 5]);
    let found = json(&run(
        &daemon,
        &["retrieve", "--soul", "ann", "--json", "灰鹭"],
    ));
    assert!(
        found["notes"][0]["text"].as_str().unwrap().contains("苍鹭"),
        "{found}"
    );
    let again = json(&import(&daemon, &path, &["--json", "--format", "passages"]));
    assert_eq!((&again["notes"], &again["known"]), (&json!(0), &json!(2)));
}

#[test]
fn rows_of_talk_come_in_with_speaker_time_and_talk() {
    let daemon = made("ann");
    let rows = [
        r#"{"id": "t0", "text": "我们昨天去了江边", "speaker": "阿哲", "time": "2026-05-13T23:50:00", "session": 1, "conv": "c", "turn": 0}"#,
        r#"{"id": "t1", "text": "x", "user": "你好", "reply": "你好呀", "speaker": "阿哲", "time": "2026-05-14", "session": 2, "conv": "c"}"#,
        r#"{"id": "t2", "text": "", "speaker": "阿哲"}"#,
        "not JSON",
    ];
    let path = file(&daemon, "talk.jsonl", &rows.join("\n"));
    let options = ["--format", "messages", "--tz", "Asia/Shanghai"];
    let shown = out(&import(&daemon, &path, &options));
    assert!(
        shown.starts_with("3 messages came into ann; 0 were there already; 2 skipped\n"),
        "{shown}"
    );
    assert!(shown.contains("talk.jsonl:3: is empty\n"), "{shown}");
    assert!(
        shown.contains("talk.jsonl:4: is no such JSON row"),
        "{shown}"
    );
    let shown = out(&import(&daemon, &path, &options));
    assert!(
        shown.starts_with("0 messages came into ann; 3 were there already"),
        "{shown}"
    );

    let found = json(&run(
        &daemon,
        &["retrieve", "--soul", "ann", "--json", "江边"],
    ));
    let said = &found["utterances"][0];
    assert_eq!(
        (&said["name"], &said["at"], &said["session"]),
        (
            &json!("阿哲"),
            &json!("2026-05-13T15:50:00Z"),
            &json!("c/1")
        )
    );

    let refused = import(&daemon, &path, &["--format", "messages", "--tz", "Mars"]);
    assert_eq!(refused.status.code(), Some(64));
    assert!(err(&refused).contains("--tz Mars"), "{}", err(&refused));
}

#[test]
fn a_folder_that_is_not_there_is_said_to_be_missing() {
    let daemon = made("ann");
    let missing = import(&daemon, "/nowhere".as_ref(), &["--format", "documents"]);
    assert_eq!(missing.status.code(), Some(66));
    assert!(err(&missing).contains("/nowhere"), "{}", err(&missing));
}
