//! Who ends whom, and who waits for whom: nodes, their daemons, and two daemons on the same data.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;
use soulmem_proto::ops::push::PushResponse;
use soulmem_proto::{Op, SoulName, Value, from_value, to_value};
use soulmem_tests::{Daemon, Guarded, Ledger, Node, Write, until, watched};

/// How long a daemon without anything to do may outlive its host.
const IDLE: Duration = Duration::from_secs(2);
/// And one with much to do.
const BUSY: Duration = Duration::from_secs(6);

fn mei() -> SoulName {
    "mei".parse().unwrap()
}

fn create(daemon: &Daemon) {
    let created = daemon
        .connect()
        .call::<Value>(Op::SoulCreate, Some(&mei()), &json!({}), None);
    created.unwrap();
}

fn push(daemon: &Daemon, text: &str) {
    let messages = json!({"messages": [{"role": "user", "text": text}]});
    let pushed = daemon
        .connect()
        .call::<PushResponse>(Op::Push, Some(&mei()), &messages, None);
    pushed.unwrap();
}

fn texts(daemon: &Daemon) -> Vec<String> {
    let messages = daemon.connect().messages(&mei()).unwrap();
    messages.into_iter().map(|message| message.text).collect()
}

#[test]
fn an_idle_daemon_goes_with_its_killed_node() {
    let folder = tempfile::tempdir().unwrap();
    let mut node = Node::start(folder.path());
    let daemon = node.daemon();
    node.kill();
    assert!(daemon.ends_within(IDLE), "process {} is left", daemon.id());
    assert_eq!(watched::with_mark(folder.path()), [""; 0]);
}

/// Each of these keeps the daemon at work for a while.
fn long_texts(write: Write) -> Vec<String> {
    let rest = "小红，周六带外甥女来看你修书好吗？".repeat(3_000);
    let texts = write.texts().into_iter();
    texts.map(|text| format!("{text} {rest}")).collect()
}

/// Times that it is tried to kill a node before its daemon has answered everything.
const TRIES: u64 = 10;

#[test]
fn a_busy_daemon_goes_with_its_killed_node_and_keeps_what_it_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let mut ledger = Ledger::default();
    for attempt in 0..TRIES {
        kill_at_work(folder.path(), attempt, &mut ledger);
        if ledger.unanswered() > 0 {
            break;
        }
    }
    assert!(ledger.unanswered() > 0, "it was never busy");
    let messages = Daemon::start(folder.path())
        .connect()
        .messages(&mei())
        .unwrap();
    let short = |text: String| text.split(' ').next().unwrap().to_owned();
    let there: Vec<_> = messages
        .into_iter()
        .map(|message| (message.id, short(message.text)))
        .collect();
    ledger.hold_against(&there);
}

/// Kills a node that has a daemon at work, and enters what that had been asked for and had answered.
fn kill_at_work(data_dir: &Path, attempt: u64, ledger: &mut Ledger) {
    let mut node = Node::start(data_dir);
    let daemon = node.daemon();
    if attempt == 0 {
        node.call::<Value>(Op::SoulCreate, "mei", &json!({}))
            .unwrap();
    }
    let writes = (0..20).map(|caller| Write {
        caller: attempt * 20 + caller,
        number: 2,
    });
    let pushes: Vec<(Write, u64)> = writes
        .map(|write| {
            ledger.ask(write);
            let messages = to_value(&long_texts(write)).unwrap();
            (
                write,
                node.ask("push", [("soul", "mei".into()), ("messages", messages)]),
            )
        })
        .collect();
    // The first was answered, so the others are under way, or answered too.
    let first = node.answer(pushes[0].1).unwrap();
    node.kill();
    assert!(daemon.ends_within(BUSY), "process {} is left", daemon.id());
    assert_eq!(watched::with_mark(data_dir), [""; 0]);

    let mut answers = node.last_answers();
    answers.push((pushes[0].1, Ok(first)));
    for (id, answer) in answers {
        let (write, _) = pushes.iter().find(|(_, asked)| *asked == id).unwrap();
        match answer {
            Ok(answer) => {
                let answer: PushResponse = from_value(answer).unwrap();
                ledger.acknowledge(*write, &answer.ids);
            }
            // A machine that is slow enough runs out of time for the last of them; those may be there or not.
            Err(error) => {
                let code = error.get("code").and_then(Value::as_str);
                assert_eq!(code, Some("deadline"), "{error:?}");
            }
        }
    }
}

/// A second daemon that has come as far as waiting for the first to leave.
fn waiting(data_dir: &Path) -> Guarded {
    let process = Daemon::started(data_dir);
    let lock = data_dir.join("daemon.lock");
    until("the second daemon waits", || {
        process.has_open(&lock).then_some(())
    });
    process
}

#[test]
fn a_second_daemon_waits_then_leaves_with_75_and_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let first = Daemon::start(folder.path());
    create(&first);
    let begun = Instant::now();
    let mut second = Daemon::started(folder.path());
    assert_eq!(second.ended().code(), Some(75));
    // It waits for 10 s; half a second is for clocks and its own start.
    assert!(
        begun.elapsed() > Duration::from_millis(9_500),
        "{:?}",
        begun.elapsed()
    );
    let message = second.log();
    let holder = format!("process {}", first.endpoint().pid);
    for part in [
        &holder,
        "is in use by another daemon",
        folder.path().to_str().unwrap(),
        "--data-dir",
    ] {
        assert!(message.contains(part), "{part}: {message}");
    }
    push(&first, "still there");
    assert_eq!(texts(&first), ["still there"]);
}

#[test]
fn a_second_daemon_takes_over_from_one_that_leaves_or_falls() {
    let folder = tempfile::tempdir().unwrap();
    let mut first = Daemon::start(folder.path());
    create(&first);
    push(&first, "by the first");
    let second = waiting(folder.path());
    assert!(first.leave().success());
    first = Daemon::ready(second).unwrap();
    assert_eq!(texts(&first), ["by the first"]);

    push(&first, "by the second");
    let third = waiting(folder.path());
    first.kill();
    let third = Daemon::ready(third).unwrap();
    assert_eq!(texts(&third), ["by the first", "by the second"]);
}

#[test]
fn a_node_takes_over_from_another_on_the_same_data() {
    let folder = tempfile::tempdir().unwrap();
    let mut first = Node::start(folder.path());
    first
        .call::<Value>(Op::SoulCreate, "mei", &json!({}))
        .unwrap();
    let message = ("messages", vec!["by the first"].into());
    first
        .run("push", [("soul", "mei".into()), message])
        .unwrap();

    let mut second = Node::alone(folder.path());
    let start = second.ask_to_start();
    until("both nodes have a daemon", || {
        (watched::with_mark(folder.path()).len() == 2).then_some(())
    });
    first.stop();
    second.answer(start).unwrap();
    let messages = second.messages("mei");
    assert_eq!(messages.len(), 1);
    assert_eq!(messages[0].text, "by the first");
    second.stop();
    assert_eq!(watched::with_mark(folder.path()), [""; 0]);
}
