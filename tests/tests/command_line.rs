//! The command line as a person uses it: a daemon run by hand, found without being named.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value as Json, json};
use soulmem_tests::{Guarded, program, until};
use tempfile::TempDir;

/// A home folder in which a daemon runs.
struct Home {
    folder: TempDir,
    daemon: Guarded,
}

impl Home {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut command = command(folder.path());
        // A stray daemon of the machine may hold the usual port.
        command
            .args(["serve", "--listen", "127.0.0.1:0"])
            .stdin(Stdio::null());
        let daemon = Guarded::start("a daemon by hand", &mut command);
        let home = Self { folder, daemon };
        let endpoint = home.path().join("run/soulmem/endpoint.json");
        until("the endpoint file", || endpoint.exists().then_some(()));
        home
    }

    /// One with a character.
    fn with_soul() -> Self {
        let home = Self::new();
        home.prints(&[
            "soul",
            "create",
            "xiaohong",
            "--display-name",
            "小红",
            "--locale",
            "zh-CN",
        ]);
        home
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn run_with(&self, input: &str, arguments: &[&str]) -> Output {
        let mut command = command(self.path());
        Guarded::finish("soulmem", command.args(arguments), input)
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.run_with("", arguments)
    }

    /// What a command prints that must succeed.
    fn prints(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!(
            output.status.code(),
            Some(0),
            "{arguments:?}: {}",
            said(&output)
        );
        String::from_utf8(output.stdout).unwrap()
    }

    /// The same as JSON.
    fn json(&self, arguments: &[&str]) -> Json {
        let printed = self.prints(&[arguments, &["--json"]].concat());
        serde_json::from_str(&printed).unwrap_or_else(|error| panic!("{error}: {printed}"))
    }

    /// What a command says that must fail with that exit code, and print nothing.
    fn refuses(&self, code: i32, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!(
            output.status.code(),
            Some(code),
            "{arguments:?}: {}",
            said(&output)
        );
        assert_eq!(output.stdout, b"", "{arguments:?}");
        said(&output)
    }

    fn file(&self, name: &str, content: &str) -> PathBuf {
        let path = self.path().join(name);
        fs::write(&path, content).unwrap();
        path
    }
}

fn command(home: &Path) -> Command {
    let mut command = program::command();
    command
        .env("HOME", home)
        .env("XDG_RUNTIME_DIR", home.join("run"))
        .env("XDG_DATA_HOME", home.join("data"));
    command
}

fn said(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn xiaohong() -> Json {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/characters/xiaohong");
    serde_json::from_slice(&fs::read(folder.join("graph.json")).unwrap()).unwrap()
}

#[test]
fn a_line_goes_in_and_comes_back() {
    let mut home = Home::with_soul();
    let souls = home.json(&["soul", "list"]);
    assert_eq!(
        souls["souls"],
        json!([{"soul": "xiaohong", "display_name": "小红", "locale": "zh-CN"}])
    );
    let said = [
        "push",
        "-s",
        "xiaohong",
        "--name",
        "阿哲",
        "--at",
        "2026-06-05T12:08:00Z",
        "周六去江心洲看鸟吗",
    ];
    let pushed = home.json(&said);
    assert_eq!(pushed["window"]["len"], 1);

    let found = home.json(&["retrieve", "-s", "xiaohong", "什么时候看鸟"]);
    let first = &found["utterances"][0];
    assert_eq!(first["id"], pushed["ids"][0]);
    assert_eq!(first["text"], "周六去江心洲看鸟吗");
    assert_eq!(first["name"], "阿哲");
    assert_eq!(first["at"], "2026-06-05T12:08:00Z");
    assert!(first["score"].as_f64().unwrap() > 0.0);
    let shown = home.prints(&["retrieve", "-s", "xiaohong", "什么时候看鸟"]);
    assert!(
        shown.contains("2026-06-05 12:08") && shown.contains("阿哲: 周六去江心洲看鸟吗"),
        "{shown}"
    );

    // A daemon by hand ends with a signal, and what was said is there for the next.
    rustix::process::kill_process(
        rustix::process::Pid::from_child(&home.daemon.child),
        rustix::process::Signal::TERM,
    )
    .unwrap();
    assert_eq!(home.daemon.ended().code(), Some(0));
    assert!(home.refuses(69, &["status"]).contains("soulmem serve"));
}

#[test]
fn a_character_is_imported_and_its_notes_are_read() {
    let home = Home::with_soul();
    let graph = xiaohong();
    let count = graph.as_array().unwrap().len();
    let path = home.file("graph.json", &graph.to_string());
    let import = ["import", "-s", "xiaohong", path.to_str().unwrap()];
    assert_eq!(home.json(&import)["notes"], json!(count));
    assert_eq!(
        home.json(&import),
        json!({"notes": 0, "links": 0, "messages": 0, "known": count})
    );

    let listed = home.prints(&[
        "note", "list", "-s", "xiaohong", "--limit", "1000", "--json",
    ]);
    assert_eq!(listed.lines().count(), count);
    let habits = home.prints(&[
        "note",
        "list",
        "-s",
        "xiaohong",
        "--kind",
        "procedure",
        "--json",
    ]);
    let is_habit = |note: &&Json| note["mem_type"].get("Procedure").is_some();
    assert_eq!(
        habits.lines().count(),
        graph.as_array().unwrap().iter().filter(is_habit).count()
    );

    let found = home.json(&[
        "retrieve",
        "-s",
        "xiaohong",
        "--no-utterances",
        "奶奶的饼干盒里装着什么",
    ]);
    let mut notes = found["notes"].as_array().unwrap().iter();
    let tin = notes.find(|note| note["text"].as_str().unwrap().contains("饼干盒"));
    let tin = tin.unwrap_or_else(|| panic!("{found:#}"));
    let note = home.json(&["note", "get", "-s", "xiaohong", tin["id"].as_str().unwrap()]);
    assert_eq!(note["id"], tin["id"]);

    let status = home.json(&["status"]);
    assert_eq!(status["health"]["souls"][0]["notes"], json!(count));
    let data_dir = home.path().join("data/soulmem");
    assert_eq!(
        status["health"]["data_dir"],
        json!(data_dir.to_str().unwrap())
    );
}

#[test]
fn a_bad_file_changes_nothing_and_is_named_with_path_and_reason() {
    let home = Home::with_soul();
    let last = xiaohong().as_array().unwrap().len() - 1;
    let broken = |mend: &dyn Fn(&mut Json)| {
        let mut graph = xiaohong();
        mend(&mut graph[last]);
        graph.to_string()
    };
    let cases = [
        (
            "no_type.json",
            broken(&|note| drop(note.as_object_mut().unwrap().remove("mem_type"))),
            "mem_type",
        ),
        (
            "odd_key.json",
            broken(&|note| note["tgas"] = json!([])),
            "tgas",
        ),
        (
            "twice.json",
            broken(&|note| note["id"] = "sem_self".into()),
            "sem_self",
        ),
        (
            "odd_link.json",
            broken(&|note| {
                note["mem_links"] = json!([{"from": note["id"], "to": "nobody", "link_type": {"Sem": {"verb": "x", "confidence": 1.0}}}]);
            }),
            "nobody",
        ),
    ];
    for (name, content, reason) in cases {
        let path = home.file(name, &content);
        let message = home.refuses(65, &["import", "-s", "xiaohong", path.to_str().unwrap()]);
        for part in [name, &format!("[{last}]"), reason] {
            assert!(message.contains(part), "{part}: {message}");
        }
    }
    let path = home.file("cut.json", &xiaohong().to_string()[..9_999]);
    let message = home.refuses(65, &["import", "-s", "xiaohong", path.to_str().unwrap()]);
    assert!(message.contains("cut.json"), "{message}");

    let talk = "{\"role\": \"user\", \"text\": \"好\"}\n{\"role\": \"nobody\", \"text\": \"好\"}\n";
    let path = home.file("talk.jsonl", talk);
    let message = home.refuses(65, &["import", "-s", "xiaohong", path.to_str().unwrap()]);
    assert!(
        message.contains("talk.jsonl:2:") && message.contains("nobody"),
        "{message}"
    );

    assert_eq!(home.json(&["status"])["health"]["souls"][0]["notes"], 0);
    let found = home.json(&["retrieve", "-s", "xiaohong", "好"]);
    assert_eq!(
        (
            &found["notes"],
            &found["utterances"],
            &found["short_history"]
        ),
        (&json!([]), &json!([]), &json!([]))
    );
}

#[test]
fn notes_come_from_standard_input() {
    let home = Home::with_soul();
    let note = json!({"mem_type": {"Semantic": {"content": "江心洲", "concept_type": "Entity", "description": "看鸟的地方"}}});
    let put = ["note", "put", "-s", "xiaohong", "--json"];
    let output = home.run_with(&note.to_string(), &put);
    assert_eq!(output.status.code(), Some(0));
    let put: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(put["revision"], 1);
    let found = home.json(&["retrieve", "-s", "xiaohong", "江心洲"]);
    assert_eq!(found["notes"][0]["id"], put["id"]);
}

#[test]
fn each_way_to_fail_has_its_exit_code() {
    let home = Home::with_soul();
    home.refuses(64, &["push", "-s", "xiaohong", "--rôle", "user", "hi"]);
    home.refuses(64, &["push", "-s", "Not A Name", "hi"]);
    home.refuses(64, &["retrieve", "-s", "xiaohong"]);
    assert!(
        home.refuses(65, &["push", "-s", "xiaohang", "hi"])
            .contains("did you mean `xiaohong`?")
    );
    assert!(
        home.refuses(65, &["soul", "create", "xiaohong"])
            .contains("xiaohong")
    );
    let nobody = "01981e5e-0000-7000-8000-000000000000";
    assert!(
        home.refuses(65, &["note", "get", "-s", "xiaohong", nobody])
            .contains(nobody)
    );
    assert!(
        home.refuses(66, &["import", "-s", "xiaohong", "/nowhere.json"])
            .contains("/nowhere.json")
    );
    assert!(
        home.refuses(78, &["status", "--set", "server.lisen=x"])
            .contains("server.listen")
    );
    let elsewhere = home.path().join("elsewhere");
    assert!(
        home.refuses(69, &["status", "--data-dir", elsewhere.to_str().unwrap()])
            .contains("elsewhere")
    );
}
