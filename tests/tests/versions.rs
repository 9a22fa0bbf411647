//! Up and down by one version: the daemon of today under an ambassador of the previous version and of a later one, and the
//! node of today over a daemon of the previous version, with the same data all the way.
//!
//! What the previous version says was recorded from it (`fixtures/previous`). The daemon that knows no more than that is the
//! real one behind `beam/previous_daemon.exs`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs::{self, Permissions};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::json;
use soulmem_proto::{Op, Value, decode, encode, to_value};
use soulmem_tests::{Daemon, Node, PATIENCE, elixir, frames, program};

fn recorded() -> PathBuf {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures");
    fixtures
        .join("previous/recorded.json")
        .canonicalize()
        .unwrap()
}

/// One of the frames that the previous version said.
fn said(op: &str, side: &str) -> Vec<u8> {
    let recorded: serde_json::Value =
        serde_json::from_slice(&fs::read(recorded()).unwrap()).unwrap();
    let hex = recorded[op][side].as_str().unwrap();
    let digits: Vec<char> = hex.chars().collect();
    let byte = |pair: &[char]| u8::from_str_radix(&pair.iter().collect::<String>(), 16).unwrap();
    digits.chunks(2).map(byte).collect()
}

/// A frame with this daemon's token instead of the one that was recorded.
fn with_token(frame: &[u8], token: &str) -> Vec<u8> {
    let none = [b'0'; 64];
    let place = frame.windows(64).position(|window| window == none).unwrap();
    [&frame[..place], token.as_bytes(), &frame[place + 64..]].concat()
}

fn ask(stream: &mut TcpStream, frame: &[u8]) -> Value {
    frames::write(stream, frame).unwrap();
    decode(&frames::read(stream).unwrap()).unwrap()
}

fn connection(daemon: &Daemon) -> TcpStream {
    let stream = TcpStream::connect(("127.0.0.1", daemon.endpoint().port)).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

#[test]
fn an_ambassador_of_the_previous_version_is_served() {
    let folder = tempfile::tempdir().unwrap();
    let daemon = Daemon::start(folder.path());
    let mut stream = connection(&daemon);
    let hello = with_token(&said("hello", "request"), &daemon.endpoint().token);
    let answer = ask(&mut stream, &hello);
    let before = decode(&said("hello", "answer")).unwrap();
    let list = |hello: &Value| -> Vec<String> {
        let ops = hello.get("payload").and_then(|payload| payload.get("ops"));
        let ops = ops.and_then(Value::as_array).unwrap().iter();
        ops.map(|op| op.as_str().unwrap().to_owned()).collect()
    };
    let (now, then) = (list(&answer), list(&before));
    let gone: Vec<_> = then.iter().filter(|op| !now.contains(op)).collect();
    assert!(
        gone.is_empty(),
        "operations that the previous version had: {gone:?}"
    );
    let limits = |hello: &Value| hello.get("payload").unwrap().get("limits").unwrap().clone();
    let Value::Map(entries) = limits(&before) else {
        panic!("limits are a map");
    };
    for (limit, _) in entries {
        assert!(
            limits(&answer).get(&limit).is_some(),
            "limit {limit} is gone"
        );
    }

    for op in ["soul.create", "push"] {
        let answer = ask(&mut stream, &said(op, "request"));
        assert_eq!(
            answer.get("kind").and_then(Value::as_str),
            Some("res"),
            "{answer:?}"
        );
    }
    let messages = daemon.connect().messages(&"mei".parse().unwrap()).unwrap();
    assert_eq!(messages[0].text, "a heron");
    // The same request again, as it would come after an answer that was lost.
    ask(&mut stream, &said("push", "request"));
    let messages = daemon.connect().messages(&"mei".parse().unwrap()).unwrap();
    assert_eq!(messages.len(), 1);
}

#[test]
fn an_ambassador_of_a_later_version_is_understood_or_told_what_is_spoken() {
    let folder = tempfile::tempdir().unwrap();
    let daemon = Daemon::start(folder.path());
    let hello = |v: u64| {
        let token = &daemon.endpoint().token;
        let client = json!({"name": "later", "version": "9.0.0", "since": {"more": [1]}});
        let envelope = json!({
            "v": v, "kind": "req", "msg_id": 0, "op": "hello", "priority": "high",
            "payload": {"token": token, "client": client, "protocols": [1, 2]},
        });
        encode(&to_value(&envelope).unwrap()).unwrap()
    };
    let answer = ask(&mut connection(&daemon), &hello(1));
    let payload = answer.get("payload").unwrap();
    assert_eq!(payload.get("protocol").and_then(Value::as_u64), Some(1));

    let answer = ask(&mut connection(&daemon), &hello(2));
    assert_eq!(answer.get("v").and_then(Value::as_u64), Some(1));
    let payload = answer.get("payload").unwrap();
    assert_eq!(
        payload.get("code").and_then(Value::as_str),
        Some("unsupported_version")
    );
    let versions = payload.get("details").unwrap().get("versions");
    assert_eq!(versions, Some(&Value::Array(vec![1_u64.into()])));
}

/// A program that is started like the daemon.
fn previous_daemon(folder: &Path) -> PathBuf {
    let path = folder.join("soulmem");
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("beam/previous_daemon.exs");
    let script = format!(
        "#!/bin/sh\nexec elixir -pa {} {} {} {} \"$@\"\n",
        elixir::compiled().display(),
        here.display(),
        recorded().display(),
        program::path().display(),
    );
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o700)).unwrap();
    path
}

fn push(node: &mut Node, text: &str) {
    let messages = json!({"messages": [{"role": "user", "text": text}]});
    node.call::<Value>(Op::Push, "mei", &messages).unwrap();
}

fn texts(node: &mut Node) -> Vec<String> {
    let messages = node.messages("mei").into_iter();
    messages.map(|message| message.text).collect()
}

#[test]
fn a_node_goes_on_with_the_daemon_of_the_previous_version_and_back_with_all_its_data() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let previous = previous_daemon(folder.path());

    let mut node = Node::start(&data);
    node.call::<Value>(Op::SoulCreate, "mei", &json!({}))
        .unwrap();
    push(&mut node, "one");
    node.stop();

    let mut node = Node::start_with(&data, &previous);
    assert_eq!(texts(&mut node), ["one"]);
    push(&mut node, "two");
    let recalled = node.retrieve("mei", "one").unwrap();
    assert!(recalled.utterances.iter().any(|hit| hit.text == "one"));
    // What it does not have is refused by that name, and nothing else suffers.
    let refused = node
        .call::<Value>(Op::SoulOwner, "mei", &json!({}))
        .unwrap_err();
    assert_eq!(
        refused.get("code").and_then(Value::as_str),
        Some("unknown_op")
    );
    push(&mut node, "three");
    node.stop();

    let mut node = Node::start(&data);
    push(&mut node, "four");
    assert_eq!(texts(&mut node), ["one", "two", "three", "four"]);
    node.stop();
}
