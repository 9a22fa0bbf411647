//! What goes in through the BEAM comes back through it, after a restart of everything too.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;
use soulmem_proto::ops::message_list::Message;
use soulmem_proto::ops::push::{PushResponse, Role};
use soulmem_proto::ops::soul_list::SoulListResponse;
use soulmem_proto::{Op, SoulName, Value, from_value, to_value};
use soulmem_tests::{Daemon, Guarded, Node, chance, program};

/// Largest text of a message, in bytes.
const MOST_TEXT: usize = 1 << 20;

/// Texts that something on the way might take for something else.
fn strange_texts() -> Vec<String> {
    let short = [
        "小红，周六去江心洲看鸟吗？",
        "繁體與简体，㐀㒨𠀀𪚥，〇々ゟヿ",
        "👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽 ❤️‍🔥 🇨🇳",
        "שלום עולם",
        "مرحبا \u{200f}بالعالم\u{200e} abc \u{202e}cba\u{202c}",
        "e\u{301} \u{e9} Z\u{338}\u{322}a\u{335}l\u{337}g\u{336}o\u{338}",
        "ภาษาไทย हिन्दी 한국어 ᄒ\u{1161}\u{11ab}",
        "",
        " ",
        "\0",
        "a\0b\0",
        "\0\0\0 after",
        "\u{feff}mark",
        "\u{fffd} \u{ffff} \u{10ffff} \u{e000}",
        "\r\n\t\u{b}\u{c}\u{1b}[31m\u{7f}\u{85}\u{2028}\u{2029}",
        "'; DROP TABLE message; --",
        "{\"role\": \"system\"} \\u0000 \\x00 %s ${HOME} \"",
    ];
    let mut texts: Vec<String> = short.map(str::to_owned).to_vec();
    texts.push("x".repeat(MOST_TEXT));
    texts.push("\0".repeat(MOST_TEXT));
    texts.push(format!("{}x", "记".repeat(MOST_TEXT / 3)));
    texts
}

/// A text of any characters.
fn any_text(random: &mut fastrand::Rng) -> String {
    let length = random.usize(0..30);
    (0..length).map(|_| random.char(..)).collect()
}

fn push(node: &mut Node, soul: &str, messages: &serde_json::Value) -> Result<PushResponse, Value> {
    let messages = to_value(messages).unwrap();
    let arguments = [("soul", soul.into()), ("messages", messages)];
    node.run("push", arguments)
        .map(|answer| from_value(answer).unwrap())
}

/// A text as a name or a talk, which are shorter.
fn label(text: &str) -> Option<&str> {
    (text.len() <= 1_024).then_some(text)
}

fn fields(message: &Message) -> [Option<&str>; 3] {
    [
        Some(&message.text),
        message.name.as_deref(),
        message.session.as_deref(),
    ]
}

#[test]
fn every_text_comes_back_byte_for_byte() {
    let mut random = chance::seeded();
    let folder = tempfile::tempdir().unwrap();
    let mut texts = strange_texts();
    texts.extend((0..200).map(|_| any_text(&mut random)));
    let messages: Vec<_> = texts
        .iter()
        .map(|text| json!({"role": "user", "text": text, "name": label(text), "session": label(text)}))
        .collect();
    let display_name = "小红 👩‍👩‍👧‍👦 e\u{301} \0 שלום";

    let mut node = Node::start(folder.path());
    node.call::<Value>(
        Op::SoulCreate,
        "mei",
        &json!({"display_name": display_name}),
    )
    .unwrap();
    let pushed = push(&mut node, "mei", &json!(messages)).unwrap();
    let before = node.messages("mei");
    node.stop();

    let mut node = Node::start(folder.path());
    let after = node.messages("mei");
    let souls: SoulListResponse = node.call(Op::SoulList, "mei", &json!({})).unwrap();
    node.stop();
    let mei: SoulName = "mei".parse().unwrap();
    let direct = Daemon::start(folder.path())
        .connect()
        .messages(&mei)
        .unwrap();

    assert_eq!(souls.souls[0].display_name.as_deref(), Some(display_name));
    for listed in [before, after, direct] {
        let ids: Vec<_> = listed.iter().map(|message| message.id).collect();
        assert_eq!(ids, pushed.ids);
        for (message, text) in listed.iter().zip(&texts) {
            let expected = [Some(text.as_str()), label(text), label(text)];
            assert!(
                fields(message) == expected,
                "{text:.100?} came back as {:.100?}",
                message.text
            );
        }
    }
}

#[test]
fn a_text_over_the_limit_is_refused_with_all_that_came_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut node = Node::start(folder.path());
    node.call::<Value>(Op::SoulCreate, "mei", &json!({}))
        .unwrap();
    let messages = json!([
        {"role": "user", "text": "before"},
        {"role": "user", "text": "x".repeat(MOST_TEXT + 1)},
    ]);
    let refused = push(&mut node, "mei", &messages).unwrap_err();
    assert_eq!(
        refused.get("code").and_then(Value::as_str),
        Some("too_large")
    );
    let field = refused
        .get("details")
        .and_then(|details| details.get("field"));
    assert_eq!(field.and_then(Value::as_str), Some("messages[1].text"));
    assert_eq!(node.messages("mei"), []);
    node.stop();
}

#[test]
fn strange_texts_can_be_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let mut node = Node::start(folder.path());
    node.call::<Value>(Op::SoulCreate, "mei", &json!({}))
        .unwrap();
    let texts: Vec<String> = strange_texts()
        .into_iter()
        .filter(|text| text.len() < 1_024)
        .collect();
    let messages: Vec<_> = texts
        .iter()
        .map(|text| json!({"role": "user", "text": text}))
        .collect();
    let pushed = push(&mut node, "mei", &json!(messages)).unwrap();
    node.stop();

    let mut node = Node::start(folder.path());
    for text in &texts {
        // Most have no word in them that anything could be found by; none may be too much for recall.
        let answer = node.retrieve("mei", text);
        let code = answer.err().map(|error| error.get("code").cloned());
        let blank = text
            .trim()
            .is_empty()
            .then(|| Some("invalid_argument".into()));
        assert_eq!(code, blank, "{text:?}");
    }
    let heard = node.retrieve("mei", "江心洲看鸟").unwrap();
    assert_eq!(heard.utterances[0].id, pushed.ids[0]);
    node.stop();
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../fixtures/characters/xiaohong")
        .join(name)
}

/// A command of the command line, for the daemon of the node.
fn soulmem(data_dir: &Path, arguments: &[&str]) -> serde_json::Value {
    let mut command = program::command();
    command.args(["--json", "--data-dir"]).arg(data_dir);
    let output = Guarded::finish("soulmem", command.args(arguments), "");
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "soulmem {arguments:?}: {message}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_conversation_goes_in_through_the_beam_and_comes_back_as_memory() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let mut node = Node::start(data);
    soulmem(
        data,
        &[
            "soul",
            "create",
            "xiaohong",
            "--display-name",
            "小红",
            "--locale",
            "zh-CN",
        ],
    );
    let [graph, talk] = ["graph.json", "conversation.jsonl"].map(fixture);
    let import = |path: &Path| {
        soulmem(
            data,
            &["import", "--soul", "xiaohong", path.to_str().unwrap()],
        )
    };
    let lines = fs::read_to_string(&talk).unwrap().lines().count();
    let entries: Vec<serde_json::Value> =
        serde_json::from_slice(&fs::read(&graph).unwrap()).unwrap();
    assert_eq!(import(&graph)["notes"], json!(entries.len()));
    assert_eq!(import(&talk)["messages"], json!(lines));

    let line = "小红，周六我带外甥女来看你修书，奶奶那个饼干盒里的信，方便给她看看吗？";
    let said = [
        json!({"role": "user", "name": "阿哲", "text": line, "tz": "Asia/Shanghai"}),
        json!({"role": "assistant", "name": "小红", "text": "好啊，我把番批找出来。"}),
    ];
    let pushed = push(&mut node, "xiaohong", &json!(said)).unwrap();
    assert_remembers(&mut node, &pushed, line);
    node.stop();

    let mut node = Node::start(data);
    assert_remembers(&mut node, &pushed, line);
    assert_eq!(node.messages("xiaohong").len(), lines + said.len());
    node.stop();
}

/// The question asks for something said just now, something that she knows and something said long before.
fn assert_remembers(node: &mut Node, pushed: &PushResponse, line: &str) {
    let memory = node
        .retrieve(
            "xiaohong",
            "阿哲周六要带谁来看修书？奶奶的饼干盒里装着什么？",
        )
        .unwrap();
    let said = memory
        .utterances
        .iter()
        .find(|said| said.id == pushed.ids[0]);
    let said = said.unwrap_or_else(|| {
        panic!(
            "the pushed line did not come to mind: {:#?}",
            memory.utterances
        )
    });
    assert_eq!(
        (said.text.as_str(), said.role, said.name.as_deref()),
        (line, Role::User, Some("阿哲"))
    );
    let tin = memory
        .notes
        .iter()
        .find(|note| note.text.contains("饼干盒"));
    assert!(
        tin.is_some(),
        "the biscuit tin did not come to mind: {:#?}",
        memory.notes
    );
    let last = memory.short_history.last().unwrap();
    assert_eq!(
        (last.id, last.text.as_str()),
        (pushed.ids[1], "好啊，我把番批找出来。")
    );

    let memory = node.retrieve("xiaohong", "阿哲最喜欢的鸟是什么？").unwrap();
    let bird = memory
        .utterances
        .iter()
        .find(|said| said.text.starts_with("我最喜欢的鸟就是震旦鸦雀"));
    assert!(
        bird.is_some(),
        "the bird did not come to mind: {:#?}",
        memory.utterances
    );
}
