//! Running the command line and reading what it prints.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value as Json;

use crate::support::Daemon;

pub const GRAPH: &str = r#"[
  {"id": "rain", "tags": ["weather"],
   "mem_type": {"Semantic": {"content": "雨", "concept_type": "Entity", "description": "她喜欢在雨里散步"}},
   "mem_links": [{"from": "rain", "to": "walk", "link_type": {"Sem": {"verb": "calls for", "confidence": 0.8}}}]},
  {"id": "walk", "created_at": "2026-05-01T08:00:00Z",
   "mem_type": {"Semantic": {"content": "a walk", "concept_type": "Abstract", "description": "slow, with a friend"}}}
]"#;

pub fn out(output: &Output) -> String {
    assert!(output.status.success(), "{}", err(output));
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

pub fn json(output: &Output) -> Json {
    serde_json::from_str(&out(output)).unwrap()
}

pub fn with_input(mut command: Command, input: &str) -> Output {
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

pub fn file(daemon: &Daemon, name: &str, content: &str) -> PathBuf {
    let path = daemon.folder().join(name);
    std::fs::write(&path, content).unwrap();
    path
}

pub fn run(daemon: &Daemon, arguments: &[&str]) -> Output {
    daemon.command(arguments).output().unwrap()
}

pub fn made(soul: &str) -> Daemon {
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

pub fn import(daemon: &Daemon, path: &Path, more: &[&str]) -> Output {
    daemon
        .command(&["import", "--soul", "ann"])
        .args(more)
        .arg(path)
        .output()
        .unwrap()
}
